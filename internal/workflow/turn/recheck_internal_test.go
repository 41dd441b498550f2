package turn

import (
	"testing"

	"github.com/jacquard-build/jacquard/internal/step"
)

// Two who work out a call agree where they mean the same literal. Of an error one may say less.
func TestAgreed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ a, b, want string }{
		{"1", "1.0", "1"},
		{"1", "2", ""},
		{`"1"`, "1", ""},
		{`[1, {"a": null}]`, `[1,{"a":null}]`, `[1, {"a": null}]`},
		{"KeyError", " KeyError ", "KeyError"},
		{"KeyError", "ValueError", ""},
		{`KeyError("b")`, "error", "error"},
		{"error", "null", ""},
		{"error", "undefined", ""},
		{"error", "High", ""},
		{`KeyError("b")`, "KeyError", "KeyError"},
		{`KeyError("b")`, `KeyError("a")`, ""},
		{"ErrUnknown", "error", "error"},
		{"9007199254740993", "9007199254740992", ""},
		{`Decimal("3.525")`, "[3.52500, BigDecimal(1)]", ""},
		{`[Decimal("3.525"), 1]`, "[3.52500, BigDecimal(1)]", "[3.525, 1]"},
		{"Color.RED", "Color.RED", "Color.RED"},
	} {
		if got := agreed(step.HeldOut{Gives: c.a}.Result(), step.HeldOut{Gives: c.b}.Result()); got != c.want {
			t.Errorf("agreed(%s, %s) = %q, want %q", c.a, c.b, got, c.want)
		}
	}
}
