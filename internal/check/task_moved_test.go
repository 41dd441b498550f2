package check_test

import (
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/conformance"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

const (
	jobsPy = "class Queue:\n    def __init__(self):\n        self._waiting = []\n\n    def put(self, key):\n        if key in self._waiting:\n            return False\n        self._waiting.append(key)\n        return True\n\n    def take(self):\n        return self._waiting.pop(0) if self._waiting else None\n\n\n" +
		"def run_all(queue, handle):\n    handled = []\n    while (key := queue.take()) is not None:\n        handle(key)\n        handled.append(key)\n    return handled\n"
	jobsDrop  = "\n\ndef drop(queue, key):\n    queue._waiting = [k for k in queue._waiting if k != key]\n    return len(queue._waiting)\n"
	jobsTests = "import unittest\n\nfrom jobs.queue import Queue, run_all\n\n\nclass QueueTest(unittest.TestCase):\n    def test_waits_once(self):\n        q = Queue()\n        self.assertTrue(q.put(\"a\"))\n        self.assertFalse(q.put(\"a\"))\n\n" +
		"    def test_run_all(self):\n        q = Queue()\n        for key in \"aba\":\n            q.put(key)\n        self.assertEqual(run_all(q, lambda key: None), [\"a\", \"b\"])\n"
	jobsMoved = "import unittest\n\nfrom jobs.queue import Queue, drop, run_all\n\n\ndef filled(keys):\n    q = Queue()\n    for key in keys:\n        q.put(key)\n    return q\n\n\nclass QueueTest(unittest.TestCase):\n    def test_waits_once(self):\n        q = Queue()\n        self.assertTrue(q.put(\"a\"))\n        self.assertFalse(q.put(\"a\"))\n\n\n" +
		"class RunAllTest(unittest.TestCase):\n    def test_run_all(self):\n        self.assertEqual(run_all(filled(\"aba\"), lambda key: None), [\"a\", \"b\"])\n\n    def test_drop(self):\n        self.assertEqual(drop(filled(\"abc\"), \"b\"), 2)\n        self.assertEqual(drop(filled(\"abcd\"), \"x\"), 4)\n"

	roomGo      = "package room\n\n// Room holds two names.\ntype Room struct{ names []string }\n\n// New is an empty room.\nfunc New() *Room { return &Room{} }\n\n// Add lets a name in; the one that came first makes room for it.\nfunc (r *Room) Add(name string) {\n\tif len(r.names) == 2 {\n\t\tr.names = r.names[1:]\n\t}\n\tr.names = append(r.names, name)\n}\n\n// Has says whether a name is in.\nfunc (r *Room) Has(name string) bool {\n\tfor _, n := range r.names {\n\t\tif n == name {\n\t\t\treturn true\n\t\t}\n\t}\n\treturn false\n}\n"
	roomTests   = "package room\n\nimport \"testing\"\n\nfunc TestFirstMakesRoom(t *testing.T) {\n\tr := New()\n\tr.Add(\"a\")\n\tr.Add(\"b\")\n\tr.Add(\"c\")\n\tif r.Has(\"a\") {\n\t\tt.Fatal(\"a is still there\")\n\t}\n}\n"
	roomLast    = "package room\n\nimport \"testing\"\n\nfunc filled(names ...string) *Room {\n\tr := New()\n\tfor _, n := range names {\n\t\tr.Add(n)\n\t}\n\treturn r\n}\n\nfunc TestOrder(t *testing.T) {\n\tr := filled(\"a\", \"b\", \"c\")\n\tfor name, want := range map[string]bool{\"a\": true, \"b\": false, \"c\": true} {\n\t\tif got := r.Has(name); got != want {\n\t\t\tt.Errorf(\"%s: %v\", name, got)\n\t\t}\n\t}\n}\n"
	roomRenamed = "package room\n\nimport \"testing\"\n\nfunc TestLastMakesRoom(t *testing.T) {\n\tr := New()\n\tr.Add(\"a\")\n\tr.Add(\"b\")\n\tr.Add(\"c\")\n\tif !r.Has(\"a\") || r.Has(\"b\") {\n\t\tt.Fatal(\"a is not there\")\n\t}\n}\n"

	vatPy    = "def vat(net, percent):\n    return round(net * percent / 100)\n"
	vatTests = "import unittest\n\nfrom vat import vat\n\n\nclass VatTest(unittest.TestCase):\n    def test_half_goes_to_even(self):\n        self.assertEqual(vat(50, 5), 2)\n        self.assertEqual(vat(150, 5), 8)\n        self.assertEqual(vat(-50, 5), -2)\n"
	vatAway  = "import unittest\n\nfrom vat import vat\n\n\nclass VatTest(unittest.TestCase):\n    def test_half_goes_away_from_zero(self):\n        for net, want in [(50, 3), (150, 8), (-50, -3)]:\n            with self.subTest(net=net):\n                self.assertEqual(vat(net, 5), want)\n\n    def test_beside_the_half(self):\n        self.assertEqual(vat(49, 5), 2)\n        self.assertEqual(vat(51, 5), 3)\n        self.assertEqual(vat(-49, 5), -2)\n"
)

// TestTasksMoved: an old test may go to another class, be written with a helper, or be taken apart, as long as what it noticed is noticed; where it
// expected something else, a person is told.
func TestTasksMoved(t *testing.T) {
	t.Parallel()
	py := map[string]string{"pyproject.toml": "[project]\nname = \"jobs\"\nversion = \"1\"\n", "jobs/__init__.py": "", "jobs/queue.py": jobsPy, "tests/__init__.py": "", "tests/test_queue.py": jobsTests}
	room := map[string]string{"go.mod": "module example.com/room\n\ngo 1.24\n", "room.go": roomGo, "room_test.go": roomTests}
	last := strings.NewReplacer("r.names = r.names[1:]", "r.names = r.names[:1]", "that came first", "that came last").Replace(roomGo)
	vat := map[string]string{"pyproject.toml": "[project]\nname = \"vat\"\nversion = \"1\"\n", "vat.py": vatPy, "test_vat.py": vatTests}
	for name, c := range map[string]struct {
		tool        string
		base, files map[string]string
		passed      bool
		rules       []string
	}{
		"to another class, with a helper": {"python3", py, map[string]string{"jobs/queue.py": jobsPy + jobsDrop, "tests/test_queue.py": jobsMoved}, true, nil},
		"to another class, and it notices less": {"python3", py, map[string]string{
			"jobs/queue.py": jobsPy + jobsDrop, "tests/test_queue.py": strings.Replace(jobsMoved, "assertEqual(run_all(filled(\"aba\"), lambda key: None), [\"a\", \"b\"])", "assertTrue(run_all(filled(\"aba\"), lambda key: None))", 1),
		}, false, []string{"test-weakened"}},
		"in its class, and it notices less": {"python3", py, map[string]string{
			"jobs/queue.py": jobsPy + jobsDrop, "tests/test_queue.py": strings.Replace(strings.Replace(jobsMoved, "assertEqual(run_all(filled(\"aba\"), lambda key: None), [\"a\", \"b\"])", "assertTrue(run_all(filled(\"aba\"), lambda key: None))", 1), "\n\nclass RunAllTest(unittest.TestCase):\n", "", 1),
		}, false, []string{"test-weakened"}},
		"to another class, and it does not call the code": {"python3", py, map[string]string{
			"jobs/queue.py": jobsPy + jobsDrop, "tests/test_queue.py": strings.Replace(jobsMoved, "run_all(filled(\"aba\"), lambda key: None), [", "list(\"ab\"), [", 1),
		}, false, []string{"test-deleted"}},
		"another takes its place, with a helper": {"go", room, map[string]string{"room.go": last, "room_test.go": roomLast}, true, []string{"expectation-changed"}},
		"another name and expectation":           {"go", room, map[string]string{"room.go": last, "room_test.go": roomRenamed}, true, []string{"expectation-changed"}},
		"taken apart": {"python3", vat, map[string]string{
			"vat.py": "def vat(net, percent):\n    cents = (2 * abs(net) * percent + 100) // 200\n    return cents if net >= 0 else -cents\n", "test_vat.py": vatAway,
		}, true, []string{"test-passes-without"}},
		"loosened, with a new test of something else": {"python3", vat, map[string]string{
			"vat.py":      "def vat(net, percent):\n    return int(net * percent / 100)\n\n\ndef gross(net, percent):\n    return net + vat(net, percent)\n",
			"test_vat.py": strings.NewReplacer("import vat\n", "import gross, vat\n", "vat(150, 5), 8)", "vat(160, 5), 8)").Replace(vatTests) + "\n    def test_gross(self):\n        self.assertEqual(gross(100, 7), 107)\n        self.assertEqual(gross(0, 7), 0)\n",
		}, false, []string{"test-weakened"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conformance.InTurn(t, 4)
			needs(t, c.tool)
			l := newLab(t)
			base := l.tree("", c.base)
			task := check.Task{Chains: []toolchain.Found{l.module(base, ".").Chain}, Base: base, Owns: func(string) bool { return true }, NewCode: true, Request: "Add it."}
			p, _, err := l.checker.Task(t.Context(), task, base, l.tree(base, c.files))
			want(t, name, p, err, c.passed, c.rules...)
			for _, f := range p.Findings {
				if c.passed && f.Severity != step.Warn && f.Severity != step.Fix {
					t.Errorf("%+v", f)
				}
			}
		})
	}
}
