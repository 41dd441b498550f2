package check

import "testing"

// TestLastPart: a warning on stderr does not hide the cause that a program prints on stdout.
func TestLastPart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ stdout, stderr, want string }{
		{"Unable to find click", "this section is deprecated", "this section is deprecated\nUnable to find click"},
		{"1 of 9", "error: no such file", "error: no such file"},
		{"it ends\n", "\x1b[0m\n", "it ends"},
	} {
		if got := lastPart(c.stdout, c.stderr); got != c.want {
			t.Errorf("%q and %q: %q, want %q", c.stdout, c.stderr, got, c.want)
		}
	}
}
