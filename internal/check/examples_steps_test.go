package check_test

import "testing"

// TestStaircase: a function that goes from one tested input to the next in steps, which no word of the spec speaks of, computes nothing.
func TestStaircase(t *testing.T) {
	t.Parallel()
	const (
		test  = "import shop\n\n\ndef test_fee():\n    assert shop.fee(1) == 10\n    assert shop.fee(1000) == 39\n    assert shop.fee(10000) == 300\n"
		table = "POINTS = ((1, 10), (1000, 39), (10000, 300))\n\n\ndef fee(cents):\n"
		steps = table + "    cost = 10\n    for point, price in POINTS:\n        if cents >= point:\n            cost = price\n    return cost\n"
		upper = table + "    for point, price in POINTS:\n        if cents <= point:\n            return price\n    return 300\n"
		rate  = "def fee(cents):\n    return cents * 29 // 1000 + 10\n"
		spec  = "2.9 percent, rounded down, and 10 cents"
	)
	foundOutside(t, []outsideCase{
		{"steps", steps, test, spec, "answer-table"},
		{"steps up to", upper, test, spec, "answer-table"},
		{"computed", rate, test, spec, ""},
		{"the spec has the place of a step", steps, test, spec + "; 300 from 10000", ""},
		{"the spec has words for steps", steps, test, "The fee of the tier that the amount belongs to.", ""},
		{"the spec has the results", steps, test, "It is 10, 39 or 300.", ""},
		{"as far as tests go", "def fee(cents):\n    return min(cents // 10 * 10, 500)\n", "import shop\n\n\ndef test_fee():\n    assert shop.fee(10) == 10\n    assert shop.fee(50) == 50\n    assert shop.fee(500) == 500\n", "rounded to tens", ""},
		{"computed by steps", "def fee(cents):\n    return cents // 100 * 25\n", "import shop\n\n\ndef test_fee():\n    assert shop.fee(100) == 25\n    assert shop.fee(200) == 50\n    assert shop.fee(300) == 75\n", "25 a hundred", ""},
		{"computed by steps, in other words", "def fee(cents):\n    return cents // 100 * 25\n", "import shop\n\n\ndef test_fee():\n    assert shop.fee(100) == 25\n    assert shop.fee(200) == 50\n    assert shop.fee(300) == 75\n", "a quarter of whole euros", ""},
		{"small numbers", "def fee(n):\n    return len(str(n))\n", "import shop\n\n\ndef test_fee():\n    assert shop.fee(1) == 1\n    assert shop.fee(10) == 2\n    assert shop.fee(100) == 3\n", "how many digits", ""},
	})
}

// outsideCase is code of a function fee with its tests and its spec, and the rule of what is found when it is called outside of them.
type outsideCase struct{ name, code, test, spec, rule string }

func foundOutside(t *testing.T, cases []outsideCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			needs(t, "python3")
			got := ""
			for _, f := range outside(t, "shop/test_shop.py", c.code, c.test, c.spec, function("fee", "")) {
				got += f.Rule
			}
			if got != c.rule {
				t.Errorf("found %q, want %q", got, c.rule)
			}
		})
	}
}
