package check_test

import (
	"strings"
	"testing"
)

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
		rates  = "import shop\n\n\ndef test_fee():\n    assert shop.fee(100, 3) == 300\n    assert shop.fee(200, 5) == 1000\n"
		memo   = "SEEN = {}\n\n\ndef fee(cents, rate):\n    if KEY not in SEEN:\n        SEEN[KEY] = cents * rate\n    return SEEN[KEY]\n"
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
		{"kept by one of two arguments", strings.ReplaceAll(memo, "KEY", "cents"), rates, "The price at a rate.", "ambient-state"},
		{"kept by both arguments", strings.ReplaceAll(memo, "KEY", "(cents, rate)"), rates, "The price at a rate.", ""},
		{"kept by one of two arguments, as the spec says", strings.ReplaceAll(memo, "KEY", "cents"), rates, "The price at the first rate that it is called with.", ""},
		{"one letter", "def fee(cents):\n    return 'x again'\n", steps, "A letter, followed by \" again\".", ""},
	})
}
