package check

import "testing"

func TestReformed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, was, is string
		want          int
	}{
		{"nothing", "add(1)\n", "add(1)\n", 0},
		{"numbers", "add(1)\n", "add(2)\n", 0},
		{"a word", "equal(add, 1)\n", "ok(add, 1)\n", 1},
		{"a word twice", "add(add)\n", "add(sub)\n", 1},
		{"a word that still stands in a text", "f(<p>add</p>, add)\n", "f(<p>add</p>, sub)\n", 1},
		{"a text that is gone", "f(<p>add</p>, add)\n", "f(<p>sub</p>, add)\n", 0},
		{"a word that is a text now", "f(<p>sub</p>, add)\n", "f(<p>add</p>, sub)\n", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFile(Change{Path: "a.test.tsx", Status: 'M', Old: []byte(c.was), New: []byte(c.is)})
			if got := reformed(f); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}
