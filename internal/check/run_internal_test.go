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

// TestFromTree: what people read has paths as they are in the project.
func TestFromTree(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"rootdir: " + placeToken + "/tree":       "rootdir: .",
		"at " + placeToken + "/tree/a/b.py:3":    "at a/b.py:3",
		cacheToken + "/deps/x.py: not there":     "deps/x.py: not there",
		"in " + placeToken + "/tmp/x, and so on": "in tmp/x, and so on",
	} {
		if got := fromTree.Replace(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
