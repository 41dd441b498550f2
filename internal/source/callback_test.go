package source_test

import (
	"testing"

	"github.com/jacquard-build/jacquard/internal/source"
)

// A function that is handed to a call, as of a route, has mutants like one with a name.
func TestMutantsOfCallbacks(t *testing.T) {
	t.Parallel()
	const src = `const app = make()
defineGetter(req, 'fresh', function () {
  if ('GET' !== this.method) return false
  return true
})
app.get('/users', (req, res) => res.send(req.n + 1)).post(() => { return load(1 < req.n) })
(function (f) { f() })(function () { return 1 < app.n })
function named() {
  list.map((x) => x === 1)
}
`
	got := map[string]map[string]bool{}
	f := source.Parse("lib/app.js", []byte(src))
	for _, m := range f.Mutants() {
		if got[m.Func] == nil {
			got[m.Func] = map[string]bool{}
		}
		got[m.Func][m.What] = true
	}
	for _, want := range [][2]string{
		{"defineGetter('fresh')", "!== to ==="},
		{"app.get('/users')", "+ to -"},
		{"post()", "< to <="},
		{"function()", "< to <="},
		{"named", "=== to !=="},
	} {
		if !got[want[0]][want[1]] {
			t.Errorf("%s has no mutant %q: %v", want[0], want[1], got)
		}
	}
	if len(got) != 5 {
		t.Errorf("functions: %v", got)
	}
	for _, fn := range f.Funcs {
		if fn.Name != "named" {
			t.Errorf("%s counts as a function with a name", fn.Name)
		}
	}
	test := source.Parse("test/app.js", []byte("describe('app', function () {\n  it('adds', function () { assert.equal(1 + 1, 2) })\n})\n"))
	if ms := test.Mutants(); len(ms) > 0 {
		t.Errorf("mutants of tests: %v", ms)
	}
}
