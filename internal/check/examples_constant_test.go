package check_test

import "testing"

// TestConstant: a function that gives one value to all that it is asked does nothing with what it is given.
func TestConstant(t *testing.T) {
	t.Parallel()
	const (
		same   = "import shop\n\n\ndef test_fee():\n    assert shop.fee(100) == 3\n    assert shop.fee(200) == 3\n    assert shop.fee(700) == 3\n"
		few    = "import shop\n\n\ndef test_fee():\n    assert shop.fee(100) == 3\n    assert shop.fee(200) == 3\n"
		truth  = "import shop\n\n\ndef test_fee():\n    assert shop.fee(100)\n    assert shop.fee(200)\n    assert shop.fee(700)\n"
		turns  = "import shop\n\n\ndef test_fee():\n    assert shop.fee(1) == 'a again'\n    assert shop.fee(2) == 'b again'\n"
		steps  = "import shop\n\n\ndef test_fee():\n    assert shop.fee(1) == 'x again'\n    assert shop.fee(2) == 'x again'\n"
		always = "def fee(cents):\n    r = 3 if cents else 3\n    return r\n"
		inTurn = "import itertools\n\nTURNS = itertools.cycle(['a again', 'b again', 'c again'])\n\n\ndef fee(cents):\n    return next(TURNS)\n"
	)
	foundOutside(t, []outsideCase{
		{"always the same", always, same, "A part of the price.", "ignored-parameter"},
		{"asked twice", always, few, "A part of the price.", ""},
		{"at least", "def fee(cents):\n    return max(cents // 1000, 3)\n", same, "A part of the price, three at least.", ""},
		{"true", "def fee(cents):\n    return cents > 0\n", truth, "Whether there is a fee.", ""},
		{"a text of the spec", "def fee(cents):\n    return 'low'\n", "import shop\n\n\ndef test_fee():\n    assert shop.fee(1) == 'low'\n    assert shop.fee(2) == 'low'\n    assert shop.fee(3) == 'low'\n", "The word low.", ""},
		{"in turn, and a word of the spec stands in a text alone", inTurn, turns, "A letter, followed by \" again\".", "ambient-state"},
		{"in turn, as the spec says", inTurn, turns, "The next letter, again and again.", ""},
		{"one letter", "def fee(cents):\n    return 'x again'\n", steps, "A letter, followed by \" again\".", ""},
	})
}
