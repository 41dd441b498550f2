package check_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/conformance"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// taskCase is what an author of a task did, and what the proof says of it.
type taskCase struct {
	name   string
	files  map[string]string // "" removes
	task   func(*check.Task)
	report string
	passed bool
	rules  []string // none: there is nothing to say
	level  step.Severity
	ran    []string // checks that had something to run
	not    []string // checks that had not
	// uncalled are what was asked for and nobody could call
	uncalled []string
}

const (
	cartGo    = "package cart\n\n// Total adds up.\nfunc Total(prices []int) int {\n\tsum := prices[0]\n\tfor _, p := range prices[1:] {\n\t\tsum += p\n\t}\n\treturn sum\n}\n\n// Count counts.\nfunc Count(prices []int) int { return len(prices) }\n"
	cartRight = "package cart\n\n// Total adds up.\nfunc Total(prices []int) int {\n\tsum := 0\n\tfor _, p := range prices {\n\t\tsum += p\n\t}\n\treturn sum\n}\n\n// Count counts.\nfunc Count(prices []int) int { return len(prices) }\n"
	cartTests = "package cart\n\nimport \"testing\"\n\nfunc TestTotal(t *testing.T) {\n\tif got := Total([]int{1, 2}); got != 3 {\n\t\tt.Errorf(\"Total = %d\", got)\n\t}\n}\n\nfunc TestCount(t *testing.T) {\n\tif got := Count([]int{1, 2}); got != 2 {\n\t\tt.Errorf(\"Count = %d\", got)\n\t}\n}\n"
	dutyBoth  = "package duty\n\nimport \"testing\"\n\nfunc TestBoth(t *testing.T) {\n\tif Of(30) != 6 {\n\t\tt.Error()\n\t}\n\tif Of(40) != 8 {\n\t\tt.Error()\n\t}\n}\n"
	cartEmpty = "\nfunc TestEmpty(t *testing.T) {\n\tif got := Total(nil); got != 0 {\n\t\tt.Errorf(\"Total = %d\", got)\n\t}\n}\n"
	taxGo     = "package tax\n\n// Of is the tax.\nfunc Of(net int) int { return net / 5 }\n"
	taxTest   = "package tax\n\nimport \"testing\"\n\nfunc TestOf(t *testing.T) {\n\tif Of(10) != 2 {\n\t\tt.Error()\n\t}\n}\n"
)

// A case of the test leaves itself out, by a function of its file.
const unitTest = "package unit\n\nimport (\n\t\"strconv\"\n\t\"testing\"\n)\n\nfunc leave(t *testing.T) { t.Skip(\"not for all\") }\n\nfunc TestHalf(t *testing.T) {\n\tfor _, n := range []int{0, 1, 2} {\n\t\tt.Run(strconv.Itoa(n), func(t *testing.T) {\n\t\t\tif n == 1 {\n\t\t\t\tleave(t)\n\t\t\t}\n\t\t\tif got := Half(n); got > n {\n\t\t\t\tt.Error(got)\n\t\t\t}\n\t\t})\n\t}\n}\n"

// Two callers of Hit race with each other, which no test sees but with -race.
const (
	hitsGo    = "package hits\n\nvar n int\n\n// Hit counts one.\nfunc Hit() int {\n\tn++\n\treturn n\n}\n"
	hitsSafe  = "package hits\n\nimport \"sync/atomic\"\n\nvar n atomic.Int64\n\n// Hit counts one.\nfunc Hit() int { return int(n.Add(1)) }\n"
	hitsTests = "package hits\n\nimport (\n\t\"sync\"\n\t\"testing\"\n)\n\nfunc TestHits(t *testing.T) {\n\tvar wg sync.WaitGroup\n\tfor range 4 {\n\t\twg.Go(func() { Hit() })\n\t}\n\twg.Wait()\n\tif Hit() < 1 {\n\t\tt.Error(\"nothing was counted\")\n\t}\n}\n"
)

const (
	markGo   = "package mark\n\nimport \"strings\"\n\n// Of is the mark of a name.\nfunc Of(name string) string { return strings.ToLower(name) }\n"
	markHelp = "package mark\n\nimport \"testing\"\n\nfunc is(t *testing.T, name, want string) {\n\tt.Helper()\n\tif got := Of(name); got != want {\n\t\tt.Errorf(\"Of(%s) = %s\", name, got)\n\t}\n}\n"
)

func shopFiles() map[string]string {
	return map[string]string{
		"mark/mark.go": markGo, "mark/help_test.go": markHelp,
		"mark/mark_test.go": "package mark\n\nimport \"testing\"\n\nfunc TestOf(t *testing.T) { is(t, \"Ab\", \"ab\") }\n",
		"hits/hits.go":      hitsGo,
		// For another system: it cannot run here, and is asked of nobody.
		"tax/tax_wasip1_test.go": "package tax\n\nimport \"testing\"\n\nfunc TestOf(t *testing.T) {\n\tt.Fatal()\n}\n\nfunc TestWasip1(t *testing.T) {}\n",
		"go.mod":                 "module example.com/shop\n\ngo 1.24\n", "cart/cart.go": cartGo, "cart/cart_test.go": cartTests, "duty/duty.go": strings.Replace(taxGo, "package tax", "package duty", 1), "duty/both_test.go": dutyBoth, "tax/tax.go": taxGo, "tax/tax_test.go": taxTest,
		"rate/rate.go":      strings.Replace(taxGo, "package tax", "package rate", 1),
		"rate/rate_test.go": "package rate\n\nimport \"testing\"\n\nfunc TestTable(t *testing.T) {\n\tfor in, want := range map[int]int{10: 2, 20: 4, 30: 6} {\n\t\tif got := Of(in); got != want {\n\t\t\tt.Errorf(\"Of(%d) = %d\", in, got)\n\t\t}\n\t}\n}\n",
		"fee/fee.go":        strings.Replace(taxGo, "package tax", "package fee", 1),
		"fee/fee_test.go":   "package fee\n\nimport \"testing\"\n\nvar fees = map[int]int{10: 2, 20: 4}\n\nfunc TestFees(t *testing.T) {\n\tfor in, want := range fees {\n\t\tif got := Of(in); got != want {\n\t\t\tt.Errorf(\"Of(%d) = %d\", in, got)\n\t\t}\n\t}\n}\n",
		"unit/unit.go":      "package unit\n\n// Half is a half.\nfunc Half(n int) int { return n / 3 }\n",
		"unit/unit_test.go": unitTest,
		"NOTES.md":          "# notes\n", "works/WORK-01/PLAN.md": "# plan\n", "tools/touch/main.go": "// Touch writes into the project.\npackage main\n\nimport \"os\"\n\nfunc main() {\n\tif err := os.WriteFile(\"NOTES.md\", []byte(\"x\"), 0o600); err != nil {\n\t\tos.Exit(1)\n\t}\n}\n",
	}
}

// honestly is the honest work with something else done besides.
func honestly(more map[string]string) map[string]string {
	out := map[string]string{"cart/cart.go": cartRight, "cart/cart_test.go": cartTests + cartEmpty}
	maps.Copy(out, more)
	return out
}

func owns(paths ...string) func(string) bool {
	return func(p string) bool { return slices.Contains(paths, p) }
}

// honestTasks is work as it should be: a rejection of any of it would be as bad as a lie that is not seen.
func honestTasks() []taskCase {
	all := []string{check.CheckFiles, check.CheckAudit, check.CheckBuild, check.CheckTests}
	alone := func(paths ...string) func(*check.Task) { return func(t *check.Task) { t.Owns = owns(paths...) } }
	return []taskCase{
		{name: "honest, of a feature", files: honestly(nil), task: func(t *check.Task) { t.NewCode = true }, passed: true},
		{name: "honest", files: honestly(nil), passed: true, ran: all, not: []string{check.CheckVerify}},
		{name: "a test of which a case leaves itself out as before", passed: true, task: alone("unit/unit.go", "unit/unit_test.go"), files: map[string]string{
			"unit/unit.go":      "package unit\n\n// Half is a half.\nfunc Half(n int) int { return n / 2 }\n",
			"unit/unit_test.go": strings.NewReplacer("0, 1, 2}", "0, 1, 2, 4}", "got > n", "got != n/2").Replace(unitTest),
		}},
		{name: "with a command", files: honestly(nil), task: func(t *check.Task) { t.Verify = [][]string{{"go", "vet", "./cart"}} }, passed: true, ran: append(slices.Clone(all), check.CheckVerify)},
		{name: "old tests watch what is written in other words", files: map[string]string{"cart/cart.go": cartRight}, task: alone("cart/cart.go"), passed: true},
		{name: "a new test file beside it", files: map[string]string{"cart/cart.go": cartRight, "cart/empty_test.go": strings.SplitAfter(cartTests, "\"testing\"\n")[0] + cartEmpty}, task: alone("cart/cart.go"), passed: true},
		{
			// What was exported is gone, and its test with it; the other one stays.
			name: "a test goes with its export", passed: true,
			files: map[string]string{"cart/cart.go": strings.Split(cartRight, "\n// Count")[0], "cart/cart_test.go": strings.Split(cartTests, "\nfunc TestCount")[0] + cartEmpty},
		},
		{
			name: "an old test is rewritten for what has changed", passed: true,
			files: map[string]string{
				"cart/cart.go": strings.Replace(cartRight, "return len(prices)", "return 2 * len(prices)", 1), "cart/cart_test.go": strings.Replace(strings.Replace(cartTests, "TestCount", "TestCountsTwice", 1), "got != 2", "got != 4", 1) + cartEmpty,
			},
		},
		{
			name: "an export goes that the request names", passed: true, task: func(t *check.Task) { t.Request = "Carts of nothing; Count is not for us" },
			files: map[string]string{"cart/cart.go": strings.Split(cartRight, "\n// Count")[0], "cart/cart_test.go": strings.Split(cartTests, "\nfunc TestCount")[0] + cartEmpty},
		},
		{
			name: "errors of others, of before, and none", passed: true, files: honestly(nil), task: func(t *check.Task) {
				t.Request, t.Says = "Checks must return ErrNegative. parse raises SyntaxError; Get must still return ErrGone", "Total no longer raises IndexError.\nTotal of an empty cart currently panics with a RuntimeError"
			},
		},
		{
			name: "code that was to go, and nothing to test", passed: true, task: func(t *check.Task) { t.Request, t.NewCode = "Remove Count, with its test", true },
			files: map[string]string{"cart/cart.go": strings.Split(cartGo, "\n// Count")[0], "cart/cart_test.go": strings.Split(cartTests, "\nfunc TestCount")[0]},
		},
		{
			name: "a request to tidy up", passed: true, task: func(t *check.Task) { t.Request = "Remove what nobody uses" },
			files: map[string]string{"cart/cart.go": strings.Split(cartRight, "\n// Count")[0], "cart/cart_test.go": strings.Split(cartTests, "\nfunc TestCount")[0] + cartEmpty},
		},
		{
			name: "files that the plan deletes", passed: true, files: map[string]string{"tax/tax.go": "", "tax/tax_test.go": ""},
			task: func(t *check.Task) {
				t.Owns, t.Deletes = owns("tax/tax.go", "tax/tax_test.go"), owns("tax/tax.go", "tax/tax_test.go")
			},
		},
		{
			name: "tests in a file that has moved", passed: true, files: map[string]string{"cart/cart.go": cartRight, "cart/cart_test.go": "", "cart/all_test.go": cartTests + cartEmpty},
			task: func(t *check.Task) { t.Owns = owns("cart/cart.go", "cart/cart_test.go", "cart/all_test.go") },
		},
		{
			name: "an error that a new test checks, of a value that an old one does", passed: true,
			files: map[string]string{
				"tax/tax.go":       strings.Replace(strings.Replace(taxGo, "package tax", "package tax\n\nimport \"errors\"", 1), "{ return net / 5 }", "{\n\tif net < 0 {\n\t\tpanic(errors.New(\"negative\"))\n\t}\n\treturn net / 5\n}", 1),
				"tax/sign_test.go": "package tax\n\nimport \"testing\"\n\nfunc TestNegative(t *testing.T) {\n\tdefer func() {\n\t\tif recover() == nil {\n\t\t\tt.Error(\"no error\")\n\t\t}\n\t}()\n\tOf(-1)\n}\n",
			},
			task: func(t *check.Task) { t.Owns, t.Taken = owns("tax/tax.go", "tax/sign_test.go"), owns() },
		},
		{name: "a document", files: map[string]string{"NOTES.md": "# notes\n\nmore\n"}, task: alone("NOTES.md"), passed: true},
		{name: "nothing to change", task: func(t *check.Task) { t.VerifyOnly, t.Verify = true, [][]string{{"go", "vet", "./cart"}} }, passed: true, ran: append(slices.Clone(all), check.CheckVerify)},
		{
			name: "configuration that the plan names", files: honestly(map[string]string{"go.mod": "module example.com/shop\n\ngo 1.23\n"}), passed: true,
			task: func(t *check.Task) {
				t.Owns, t.Config = owns("cart/cart.go", "cart/cart_test.go", "go.mod"), []string{"go.mod"}
			},
		},
		{
			name: "a test that failed before", passed: true, files: honestly(nil),
			task: func(t *check.Task) { t.Known = []string{"tax/tax_test.go::TestOf"} },
		},
	}
}

// allTests is a criterion that runs all tests of a project in which one fails already.
func allTests(request string) func(*check.Task) {
	return func(t *check.Task) {
		t.Known, t.Request, t.Verify = []string{"tax/tax_test.go::TestOf"}, request, [][]string{{"go", "test", "./..."}}
	}
}

// lyingTasks are works that must not become commits, each with the rule that names it.
func lyingTasks() []taskCase {
	replaced := "module example.com/shop\n\ngo 1.24\n\nreplace example.com/tax => ./tax\n"
	return []taskCase{
		{name: "no change", rules: []string{"no-changes"}, not: []string{check.CheckBuild, check.CheckTests}},
		{name: "tests and a comment, where code is asked for", files: map[string]string{"cart/cart.go": strings.Replace(cartGo, "package cart\n", "// Package cart is done.\npackage cart\n", 1), "cart/cart_test.go": cartTests + strings.Replace(cartEmpty, "t.Errorf", "t.Skipf", 1), "NOTES.md": "# done\n"}, task: func(t *check.Task) {
			t.NewCode, t.Owns = true, owns("cart/cart.go", "cart/cart_test.go", "NOTES.md")
		}, rules: []string{"no-code"}},
		{name: "no change, and a command that succeeds", task: func(t *check.Task) { t.Verify = [][]string{{"go", "version"}} }, rules: []string{"no-changes"}, not: []string{check.CheckVerify}},
		{name: "a file of another task", files: honestly(map[string]string{"tax/tax.go": taxGo + "\n// Rate is new.\nconst Rate = 5\n"}), rules: []string{"out-of-scope"}},
		{name: "a new test of another task", files: honestly(map[string]string{"cart/other_test.go": "package cart\n\nimport \"testing\"\n\nfunc TestOther(t *testing.T) {\n\tif Total(nil) != 0 {\n\t\tt.Error()\n\t}\n}\n"}), task: func(t *check.Task) { t.Taken = owns("cart/other_test.go") }, rules: []string{"out-of-scope"}},
		{name: "the plan itself", files: honestly(map[string]string{"works/WORK-01/PLAN.md": "# done\n"}), rules: []string{"out-of-scope"}},
		{
			// An author may name more files with a reason; the documents of the WORK are not among them.
			name: "the plan itself, named as a file", files: honestly(map[string]string{"works/WORK-01/TASK-00_result.md": "# Status: PASS\n"}), rules: []string{"out-of-scope"},
			task: func(t *check.Task) {
				t.Owns = owns("cart/cart.go", "cart/cart_test.go", "works/WORK-01/TASK-00_result.md")
			},
		},
		{name: "lint configuration", files: honestly(map[string]string{".golangci.yml": "version: \"2\"\n"}), rules: []string{"config-changed"}},
		{name: "a workflow of CI", files: honestly(map[string]string{".github/workflows/ci.yml": "on: push\n"}), rules: []string{"config-changed"}},
		{name: "replace in go.mod", files: honestly(map[string]string{"go.mod": replaced}), rules: []string{"gomod-replace"}},
		{name: "a deleted test", files: map[string]string{"cart/cart.go": cartRight, "cart/cart_test.go": strings.Split(cartTests, "\nfunc TestCount")[0] + cartEmpty}, rules: []string{"test-deleted"}},
		{
			// The plan says that the file is changed; an author who removes it has not done that.
			name: "a test file that is deleted instead of changed", rules: []string{"test-deleted"},
			files: map[string]string{"cart/cart.go": cartRight, "cart/cart_test.go": "", "cart/empty_test.go": strings.SplitAfter(cartTests, "\"testing\"\n")[0] + cartEmpty},
		},
		{name: "a skipped test", files: map[string]string{"cart/cart.go": cartRight, "cart/cart_test.go": strings.Replace(cartTests, "\tif got := Count", "\tt.Skip(\"later\")\n\tif got := Count", 1) + cartEmpty}, rules: []string{"test-skipped"}},
		{name: "a test of nothing", files: map[string]string{"cart/cart.go": cartRight, "cart/cart_test.go": cartTests + "\nfunc TestEmpty(t *testing.T) { Total(nil) }\n"}, rules: []string{"test-empty"}},
		{name: "it knows that it is tested", files: honestly(map[string]string{"cart/cart.go": strings.Replace(strings.Replace(cartRight, "package cart\n", "package cart\n\nimport \"testing\"\n", 1), "\tsum := 0\n", "\tif testing.Testing() {\n\t\treturn 0\n\t}\n\tsum := 0\n", 1)}), rules: []string{"test-detection"}},
		{name: "build failure", files: honestly(map[string]string{"cart/cart.go": strings.Replace(cartRight, "return sum", "return total", 1)}), rules: []string{"build-failed"}, not: []string{check.CheckTests, check.CheckLint}},
		{name: "a build failure of others", files: honestly(map[string]string{"cart/cart.go": strings.Split(cartRight, "\n// Count")[0]}), task: func(t *check.Task) { t.Verify = [][]string{{"go", "version"}} }, not: []string{check.CheckVerify}},
		{name: "its own test fails", files: honestly(map[string]string{"cart/cart.go": strings.Replace(cartRight, "sum := 0", "sum := 1", 1)}), not: []string{check.CheckVerify}, task: func(t *check.Task) { t.Verify = [][]string{{"go", "version"}} }},
		{name: "a test of others fails", files: map[string]string{"tax/tax.go": strings.Replace(taxGo, "net / 5", "net / 2", 1), "tax/new_test.go": strings.Replace(strings.Replace(taxTest, "!= 2", "!= 5", 1), "TestOf", "TestNew", 1)}, task: func(t *check.Task) { t.Owns, t.Taken = owns("tax/tax.go", "tax/new_test.go"), owns() }},
		{name: "a command fails", files: honestly(nil), task: func(t *check.Task) { t.Verify = [][]string{{"go", "vet", "./cart"}, {"go", "vet", "./nowhere"}} }, rules: []string{"verify-failed"}, ran: []string{check.CheckVerify}},
		{name: "a command that does not exist", files: honestly(nil), task: func(t *check.Task) { t.Verify = [][]string{{"no-such-program-at-all"}} }, rules: []string{"verify-failed"}},
		{name: "a command that writes", files: honestly(nil), task: func(t *check.Task) { t.Verify = [][]string{{"go", "run", "./tools/touch"}} }, rules: []string{"verify-failed"}},
		{name: "a task that changes nothing does", files: map[string]string{"NOTES.md": "x\n"}, task: func(t *check.Task) { t.VerifyOnly, t.Owns = true, owns() }, rules: []string{"out-of-scope"}},
		{name: "nothing to change, and it does not hold", task: func(t *check.Task) { t.VerifyOnly, t.Verify = true, [][]string{{"go", "vet", "./nowhere"}} }, rules: []string{"verify-failed"}},
	}
}

// weakTasks are works that go back to their author as long as he has another attempt.
func weakTasks() []taskCase {
	return []taskCase{
		{name: "an old test gets another name", passed: true, rules: []string{"test-passes-without"}, level: step.Warn, files: map[string]string{"cart/cart.go": cartRight, "cart/cart_test.go": strings.Replace(cartTests, "TestCount", "TestCountsAll", 1) + cartEmpty}},
		{name: "an old test that a similar one takes the place of", rules: []string{"test-deleted"}, files: map[string]string{
			"cart/cart.go": cartRight, "cart/cart_test.go": strings.Replace(strings.Replace(cartTests, "TestCount", "TestCountOfThree", 1), "Count([]int{1, 2}); got != 2", "Count([]int{1, 2, 3}); got != 3", 1) + cartEmpty,
		}},
		{name: "an old test that expects something else, and less", rules: []string{"test-weakened"}, files: honestly(map[string]string{
			"duty/duty.go":      strings.Replace(strings.Replace(taxGo, "package tax", "package duty", 1), "net / 5", "net / 10", 1),
			"duty/both_test.go": strings.Replace(strings.Replace(dutyBoth, "\tif Of(40) != 8 {\n\t\tt.Error()\n\t}\n", "", 1), "Of(30) != 6", "Of(30) != 3", 1),
		}), task: func(t *check.Task) {
			t.Request, t.Owns = "The duty is a tenth", owns("cart/cart.go", "cart/cart_test.go", "duty/duty.go", "duty/both_test.go")
		}},
		{name: "an old test that expects something else, and as much", passed: true, rules: []string{"expectation-changed"}, level: step.Warn, files: honestly(map[string]string{
			"duty/duty.go":      strings.Replace(strings.Replace(taxGo, "package tax", "package duty", 1), "net / 5", "net / 10", 1),
			"duty/both_test.go": strings.Replace(strings.Replace(dutyBoth, "Of(40) != 8", "Of(40) != 4", 1), "Of(30) != 6", "Of(30) != 3", 1),
		}), task: func(t *check.Task) {
			t.Request, t.Owns = "The duty is a tenth", owns("cart/cart.go", "cart/cart_test.go", "duty/duty.go", "duty/both_test.go")
		}},
		{name: "an old test that is skipped here from now on", rules: []string{"test-skipped"}, files: map[string]string{
			"cart/cart.go": cartRight, "cart/cart_test.go": strings.Replace(strings.Replace(cartTests, "\"testing\"", "(\n\t\"runtime\"\n\t\"testing\"\n)", 1), "TestCount(t *testing.T) {\n", "TestCount(t *testing.T) {\n\tif runtime.GOOS != \"plan9\" {\n\t\tt.Skip(\"of Plan 9\")\n\t}\n", 1) + cartEmpty,
		}},
		{name: "a test of a new function that compares nothing", rules: []string{"compares-nothing"}, files: map[string]string{
			"cart/cart.go":      cartRight + "\n// Mean is what one costs.\nfunc Mean(prices []int) int {\n\tif len(prices) == 0 {\n\t\treturn 0\n\t}\n\treturn Total(prices) * len(prices)\n}\n",
			"cart/cart_test.go": cartTests + "\nfunc TestMean(t *testing.T) {\n\tif got := Mean([]int{2, 4}); got < 0 {\n\t\tt.Errorf(\"Mean = %d\", got)\n\t}\n}\n",
		}},
		{name: "what old tests use is loosened", passed: true, rules: []string{"test-weakened"}, level: step.Asks, files: map[string]string{
			"mark/mark.go":      strings.Replace(markGo, "strings.ToLower(name)", "strings.TrimSuffix(name, \"?\")", 1),
			"mark/help_test.go": strings.NewReplacer("import \"testing\"", "import (\n\t\"strings\"\n\t\"testing\"\n)", "got != want", "!strings.EqualFold(got, want)").Replace(markHelp),
			"mark/drop_test.go": "package mark\n\nimport \"testing\"\n\nfunc TestDrop(t *testing.T) { is(t, \"Ab?\", \"ab\") }\n",
		}, task: func(t *check.Task) {
			t.Owns, t.Taken = owns("mark/mark.go", "mark/help_test.go", "mark/drop_test.go"), owns()
		}},
		{name: "an old test that asks only where nothing has changed", rules: []string{"test-weakened"}, files: map[string]string{
			"tax/tax.go": strings.NewReplacer("net / 5", "net / 2", "package tax\n", "package tax\n\nimport \"strconv\"\n").Replace(taxGo) + "\n// Fee is the fee.\nfunc Fee(net int) string { return strconv.Itoa(net / 10) }\n",
			"tax/tax_test.go": strings.NewReplacer("import \"testing\"", "import (\n\t\"strconv\"\n\t\"testing\"\n)\n\nvar exact = Of(10) == 2", "if Of(10)", "if exact && Of(10)").Replace(taxTest) +
				"\nfunc TestFee(t *testing.T) {\n\tif got, err := strconv.Atoi(Fee(70)); got != 7 || err != nil {\n\t\tt.Error(got, err)\n\t}\n}\n",
		}, task: func(t *check.Task) {
			t.NewCode = true
			t.Owns, t.Taken = owns("tax/tax.go", "tax/tax_test.go"), owns()
		}},
		{name: "a new function that nobody misses", passed: true, rules: []string{"unnoticed-change"}, level: step.Fix, files: map[string]string{
			"tax/tax.go":      taxGo + "\nvar fees int\n\n// Fee is the fee.\nfunc Fee(net int) int {\n\tfees += net / 10\n\treturn fees\n}\n\n// Reset forgets all fees.\nfunc Reset() { fees = 0 }\n",
			"tax/tax_test.go": taxTest + "\nfunc TestFee(t *testing.T) {\n\tdefer Reset()\n\tif got := Fee(70); got != 7 {\n\t\tt.Error(got)\n\t}\n\tif got := Fee(10); got != 8 {\n\t\tt.Error(got)\n\t}\n}\n",
		}, task: func(t *check.Task) {
			t.Owns, t.Taken = owns("tax/tax.go", "tax/tax_test.go"), owns()
		}},
		{name: "a new test that passes whatever the code does", passed: true, rules: []string{"compares-nothing"}, level: step.Asks, files: map[string]string{
			"tax/tax.go":      taxGo + "\n// Fee is the fee.\nfunc Fee(net int) int {\n\tif net < 0 {\n\t\treturn 0\n\t}\n\treturn net/10 + 1\n}\n",
			"tax/tax_test.go": taxTest + "\nfunc TestFee(t *testing.T) {\n\tif got := Fee(70); got != 8 {\n\t\tt.Error(got)\n\t}\n}\n\nfunc TestFeeOfNothing(t *testing.T) {\n\tdefer func() { _ = recover() }()\n\tif got := Fee(-1); got != 0 {\n\t\tt.Error(got)\n\t}\n}\n",
		}, task: func(t *check.Task) {
			t.Owns, t.Taken = owns("tax/tax.go", "tax/tax_test.go"), owns()
		}},
		{name: "a test of a new function by a helper that swallows", rules: []string{"compares-nothing"}, files: map[string]string{
			"cart/cart.go":      cartRight + "\n// Most is the highest price.\nfunc Most(prices []int) int { return len(prices) }\n",
			"cart/cart_test.go": cartTests + "\nfunc look(t *testing.T, prices []int, want int) int {\n\tgot := Most(prices)\n\tif got != want {\n\t\tt.Log(\"not yet\")\n\t}\n\treturn got\n}\n\nfunc TestMost(t *testing.T) {\n\tif look(t, []int{2, 4}, 4) == 0 {\n\t\tt.Error(\"nothing\")\n\t}\n}\n",
		}},
		{name: "the answers of a test that is left alone", rules: []string{"answer-table"}, files: map[string]string{
			"cart/cart.go": cartRight, "cart/cart_test.go": cartTests + cartEmpty,
			"rate/rate.go": strings.Replace(strings.Replace(taxGo, "package tax", "package rate", 1), "{ return net / 5 }", "{\n\tswitch net {\n\tcase 10:\n\t\treturn 2\n\tcase 20:\n\t\treturn 4\n\tcase 30:\n\t\treturn 6\n\t}\n\treturn 0\n}", 1),
		}, task: func(t *check.Task) {
			t.Owns, t.Taken = owns("cart/cart.go", "cart/cart_test.go", "rate/rate.go"), owns()
		}},
		{name: "a file beside the plan has a function of the same name", rules: []string{"held-out-failed"}, files: honestly(map[string]string{
			"cart/cart.go":       strings.Replace(cartRight, "return sum", "return sum + len(prices)/5", 1),
			"best/total.go":      "package best\n\n// Total adds up.\nfunc Total(prices []int) int { return len(prices) }\n",
			"best/total_test.go": strings.Replace(strings.Replace(taxTest, "package tax", "package best", 1), "TestOf(t *testing.T) {\n\tif Of(10)", "TestTotal(t *testing.T) {\n\tif Total([]int{4, 5})", 1),
		}), task: func(t *check.Task) {
			t.Owns, t.Extra = owns("cart/cart.go", "cart/cart_test.go", "best/total.go", "best/total_test.go"), owns("best/total.go")
			t.HeldOut = []step.HeldOut{{Call: "Total([1, 1, 1, 1, 1])", Gives: "5", Sure: true}}
		}},
		{name: "a function besides has another limit", passed: true, rules: []string{"unnoticed-change"}, level: step.Fix, files: honestly(map[string]string{
			"cart/cart.go": strings.Replace(cartRight, "return len(prices)", "return min(len(prices), 40, 50)", 1),
		})},
		{name: "a function besides gives something else", passed: true, rules: []string{"behavior-changed"}, level: step.Fix, files: honestly(map[string]string{
			"cart/cart.go": strings.Replace(cartRight, "return len(prices)", "return max(1, len(prices))", 1),
		})},
		{name: "a function besides gives something else, as the request says", passed: true, files: honestly(map[string]string{
			"cart/cart.go": strings.Replace(cartRight, "return len(prices)", "return max(1, len(prices))", 1),
		}), task: func(t *check.Task) { t.Request = "Total of nothing is 0, and Count of it 1" }},
		{name: "a refactoring with which a function gives something else", passed: true, rules: []string{"behavior-changed"}, level: step.Fix, files: map[string]string{
			"cart/cart.go": strings.Replace(cartGo, "return len(prices)", "return max(1, len(prices))", 1),
		}, task: func(t *check.Task) { t.Keeps, t.Request = true, "Make Count simpler" }},
		{name: "a value of a call that the author was told", passed: true, rules: []string{"special-case"}, level: step.Fix, files: honestly(map[string]string{
			"cart/cart.go": strings.Replace(strings.Replace(cartRight, "\tsum := 0\n", "\tif len(prices) == 1 && prices[0] == odd {\n\t\treturn odd\n\t}\n\tsum := 0\n", 1), "// Total", "const odd = 1001\n\n// Total", 1),
		}), task: func(t *check.Task) {
			t.HeldOut = []step.HeldOut{{Call: "Total([1001])", Gives: "1001", Told: true}}
		}},
		{name: "a value of a call that the author was not told, and one that the request has", passed: true, rules: []string{"low-coverage"}, level: step.Warn, files: honestly(map[string]string{
			"cart/cart.go": strings.Replace(strings.Replace(cartRight, "\tsum := 0\n", "\tif len(prices) == 1 && (prices[0] == odd || prices[0] == most) {\n\t\treturn prices[0]\n\t}\n\tsum := 0\n", 1), "// Total", "const odd, most = 1001, 765\n\n// Total", 1),
		}), task: func(t *check.Task) {
			t.Request = "At most 765 is a cart of its own"
			t.HeldOut = []step.HeldOut{{Call: "Total([1001])", Gives: "1001"}, {Call: "Total([765])", Gives: "765", Told: true}}
		}},
		{name: "a value that the request has and no criterion", rules: []string{"example-failed"}, files: honestly(nil), task: func(t *check.Task) { t.Asked = "Total([1, 2, 3]) returns 7" }},
		{name: "a value that the request tells of the code before", passed: true, files: honestly(nil), task: func(t *check.Task) {
			t.Asked = "Total([]) throws"
		}, uncalled: []string{"Total([]) throws: true before the change, which gives 0"}},
		{name: "a value that the request tells of the code before, in words", passed: true, rules: []string{"expectation-changed"}, level: step.Warn, files: honestly(map[string]string{
			"cart/cart.go": strings.Replace(cartRight, "return len(prices)", "return len(prices) * 2", 1), "cart/cart_test.go": strings.Replace(cartTests, "got != 2", "got != 4", 1) + cartEmpty,
		}), task: func(t *check.Task) {
			t.Asked = "Count([1]) returns 1, but should count twice"
		}, uncalled: []string{"Count([1]) returns 1, but should count twice: true before the change, which gives 2"}},
		{name: "a value of the request that the code had before", passed: true, rules: []string{"example-failed"}, level: step.Fix, files: honestly(map[string]string{
			"cart/cart.go": strings.Replace(cartRight, "return len(prices)", "return max(len(prices), 2)", 1),
		}), task: func(t *check.Task) { t.Asked = "Count([1]) returns 1" }},
		{name: "values that cannot be compared with what was agreed", passed: true, files: honestly(nil), task: func(t *check.Task) {
			t.Says, t.Asked = "Total([4]) returns 4; then look at Total([5]) and at Count([1])\nTax(3) is 4", "Total([4]) returns 5\nTotal([6]) is 6 or 7\nTotal([8]) is 8, but Total([8]) is 9"
		}, uncalled: []string{
			"Total([4]) returns 5: the plan gives another result for this call", "Total([8]) is 8, but: the request gives several results for this call",
			"Total([8]) is 9: the request gives several results for this call", "Total([5]) and at: the expected result cannot be read",
			"Total([6]) is 6 or 7: the expected result cannot be read", "Tax(3) is 4: the change exports no function Tax, or several",
		}},
		{name: "a value that a criterion has", rules: []string{"example-failed"}, files: honestly(nil), task: func(t *check.Task) { t.Says = "`Total([1, 2, 3])` returns 7" }},
		{name: "values that hold", passed: true, files: honestly(nil), task: func(t *check.Task) {
			t.Says = "`Total([1, 2, 3])` returns 6 and Total([]) is 0.\nCount([4]) is the number of them"
		}},
		{name: "an old test that expects something else now", passed: true, rules: []string{"expectation-changed"}, level: step.Warn, files: map[string]string{
			"cart/cart.go": strings.Replace(cartRight, "return len(prices)", "return len(prices) + 1", 1), "cart/cart_test.go": strings.Replace(cartTests, "Count([]int{1, 2}); got != 2", "Count([]int{1, 2}); got != 3", 1) + cartEmpty,
		}},
		{
			name: "a table beside an old test is changed", passed: true, rules: []string{"expectation-changed"}, level: step.Warn,
			files: map[string]string{
				"fee/fee.go":      shopFiles()["fee/fee.go"][:strings.Index(shopFiles()["fee/fee.go"], "net / 5")] + "net / 2 }\n",
				"fee/fee_test.go": strings.Replace(shopFiles()["fee/fee_test.go"], "10: 2, 20: 4", "10: 5, 20: 10", 1),
			},
			task: func(t *check.Task) { t.Owns, t.Taken = owns("fee/fee.go", "fee/fee_test.go"), owns() },
		},
		{name: "an old test that gives way to one that expects something else", passed: true, rules: []string{"expectation-changed"}, level: step.Warn, files: map[string]string{
			"cart/cart.go":      strings.Replace(cartRight, "return len(prices)", "return len(prices) + 1", 1),
			"cart/cart_test.go": strings.Split(cartTests, "\nfunc TestCount")[0] + "\nfunc TestBagCounts(t *testing.T) {\n\tfor n, prices := range map[int][]int{1: nil, 2: {7}, 4: {1, 2, 3}} {\n\t\tif Count(prices) != n {\n\t\t\tt.Error(n)\n\t\t}\n\t}\n}\n" + cartEmpty,
		}},
		{name: "an old test that gives way to one that does not see what is broken", rules: []string{"test-deleted"}, files: map[string]string{
			"cart/cart.go":      strings.Replace(cartRight, "return len(prices)", "return len(prices) + 1", 1),
			"cart/cart_test.go": strings.Split(cartTests, "\nfunc TestCount")[0] + "\nfunc TestSomeCount(t *testing.T) {\n\tfor _, prices := range [][]int{{7}, {1, 2, 3}} {\n\t\tif Count(prices) < 1 {\n\t\t\tt.Error(prices)\n\t\t}\n\t}\n}\n" + cartEmpty,
		}},
		{name: "an old test that goes on as one that asks for more", passed: true, rules: []string{"test-deleted"}, level: step.Warn, files: map[string]string{
			"cart/cart.go":      strings.Replace(cartRight, "return len(prices)", "n := 0\n\tfor _, p := range prices {\n\t\tif p > 0 {\n\t\t\tn++\n\t\t}\n\t}\n\treturn n", 1),
			"cart/cart_test.go": strings.Replace(strings.Replace(cartTests, "TestCount", "TestCountOfPositives", 1), "Count([]int{1, 2}); got != 2", "Count([]int{1, 2, -3}); got != 2", 1) + cartEmpty,
		}},
		{name: "an old test that still holds, beside a new one of nearly its name and code", rules: []string{"test-deleted"}, files: map[string]string{
			"cart/cart.go":      strings.Replace(cartRight, "return len(prices)", "n := 0\n\tfor _, p := range prices {\n\t\tif p > 0 {\n\t\t\tn++\n\t\t}\n\t}\n\treturn n", 1),
			"cart/cart_test.go": strings.Replace(strings.Replace(cartTests, "TestCount", "TestCountOfPositives", 1), "Count([]int{1, 2}); got != 2", "Count([]int{7, -3}); got != 1", 1) + cartEmpty,
		}},
		{name: "an old test that goes on as one that asks for less", rules: []string{"test-deleted"}, files: map[string]string{
			"cart/cart.go":      strings.Replace(cartRight, "return len(prices)", "n := 0\n\tfor _, p := range prices {\n\t\tif p > 0 {\n\t\t\tn++\n\t\t}\n\t}\n\treturn n", 1),
			"cart/cart_test.go": strings.Split(cartTests, "\nfunc TestCount")[0] + "\nfunc TestCountOfPositives(t *testing.T) {\n\tCount([]int{1, 2, -3})\n}\n" + cartEmpty,
		}},
		{name: "an old test of a file that is not planned", passed: true, rules: []string{"expectation-changed"}, level: step.Fix, files: map[string]string{
			"cart/cart.go": strings.Replace(cartRight, "return len(prices)", "return len(prices) + 1", 1), "cart/cart_test.go": strings.Replace(cartTests, "Count([]int{1, 2}); got != 2", "Count([]int{1, 2}); got != 3", 1) + cartEmpty,
		}, task: func(t *check.Task) { t.Extra = owns("cart/cart_test.go") }},
		{name: "all tests, one of which fails as before", passed: true, rules: []string{"fails-as-before"}, level: step.Warn, files: honestly(nil), task: allTests("Let Total take an empty cart")},
		{name: "all tests, one of which fails as before, and of which the request speaks", rules: []string{"verify-failed"}, files: honestly(nil), task: allTests("Total takes an empty cart, and the failing tests are fixed")},
		{name: "tests of a package that fail as before", rules: []string{"verify-failed"}, files: honestly(nil), task: func(t *check.Task) {
			allTests("Let Total take an empty cart")(t)
			t.Verify = [][]string{{"go", "test", "./tax"}}
		}},
		{name: "a command that selects no test", files: honestly(nil), task: func(t *check.Task) { t.Verify = [][]string{{"go", "test", "-run", "TestNowhere", "./cart"}} }, rules: []string{"verify-failed"}},
		{name: "tests that show nothing, in a file that has moved", rules: []string{"test-passes-without"}, files: map[string]string{
			"cart/cart.go": cartRight, "cart/cart_test.go": "", "cart/all_test.go": cartTests + strings.Replace(cartEmpty, "Total(nil); got != 0", "Total([]int{7}); got != 7", 1),
		}, task: func(t *check.Task) {
			t.NewCode, t.Owns = true, owns("cart/cart.go", "cart/cart_test.go", "cart/all_test.go")
		}},
		{name: "an old test that a similar one takes the place of, beside one that moves", rules: []string{"test-deleted"}, files: map[string]string{
			"cart/cart.go": cartRight, "cart/all_test.go": strings.Split(cartTests, "\nfunc TestCount")[0] + cartEmpty,
			"cart/cart_test.go": "package cart\n\nimport \"testing\"\n\nfunc TestCountOfThree" + strings.Replace(strings.Split(cartTests, "func TestCount")[1], "Count([]int{1, 2}); got != 2", "Count([]int{1, 2, 3}); got != 3", 1),
		}, task: func(t *check.Task) { t.Owns = owns("cart/cart.go", "cart/cart_test.go", "cart/all_test.go") }},
		{name: "an old test that is lost on the way to another file", rules: []string{"test-deleted"}, files: map[string]string{
			"cart/cart.go": cartRight, "cart/cart_test.go": "", "cart/all_test.go": strings.Split(cartTests, "\nfunc TestCount")[0] + cartEmpty,
		}, task: func(t *check.Task) { t.Owns = owns("cart/cart.go", "cart/cart_test.go", "cart/all_test.go") }},
		{name: "the test of a new function takes the place of that of one that is broken", rules: []string{"test-deleted"}, files: map[string]string{
			"cart/cart.go":      strings.Replace(cartRight, "return len(prices)", "return 2 * len(prices)", 1) + "\n// Half is half of the number.\nfunc Half(prices []int) int { return len(prices) / 2 }\n",
			"cart/cart_test.go": strings.Replace(strings.Replace(cartTests, "TestCount", "TestHalf", 1), "Count([]int{1, 2}); got != 2", "Half([]int{1, 2}); got != 1", 1) + cartEmpty,
		}},
		{
			name: "an export that nobody wanted to go", passed: true, rules: []string{"unasked-change"}, level: step.Warn, task: func(t *check.Task) { t.Request = "Let Total take an empty cart" },
			files: map[string]string{"cart/cart.go": strings.Split(cartRight, "\n// Count")[0], "cart/cart_test.go": strings.Split(cartTests, "\nfunc TestCount")[0] + cartEmpty},
		},
		{name: "a file that nobody wanted to go", passed: true, rules: []string{"unasked-change"}, level: step.Fix, files: honestly(map[string]string{"tax/tax.go": "", "tax/tax_test.go": ""}), task: func(t *check.Task) {
			t.Request, t.Taken = "Let Total take an empty cart", owns()
			t.Owns, t.Deletes = owns("cart/cart.go", "cart/cart_test.go", "tax/tax.go", "tax/tax_test.go"), owns("tax/tax.go", "tax/tax_test.go")
		}},
		{name: "an error that was asked for and that nobody raises", passed: true, rules: []string{"error-unraised"}, level: step.Fix, files: honestly(nil), task: func(t *check.Task) {
			t.Asked = "Total takes an empty cart; of a price below zero it must return ErrNegative."
		}},
		{name: "a new test of an old function that compares no result of it, and fails without the change", passed: true, files: map[string]string{
			"cart/cart.go": cartRight, "cart/cart_test.go": cartTests + "\nfunc TestEmpty(t *testing.T) {\n\tdefer func() {\n\t\tif recover() != nil {\n\t\t\tt.Error(\"no cart\")\n\t\t}\n\t}()\n\tTotal(nil)\n}\n",
		}},
		{name: "a new test of a constant, beside a function that its old tests are for", passed: true, files: map[string]string{
			"cart/cart.go": cartRight + "\n// Most is how many there may be.\nconst Most = 9\n", "cart/cart_test.go": cartTests + "\nfunc TestMost(t *testing.T) {\n\tif Most != 9 {\n\t\tt.Error(Most)\n\t}\n}\n",
		}},
		{name: "a new test that does not reach the code", rules: []string{"compares-nothing"}, files: map[string]string{
			"cart/cart.go": cartRight, "cart/cart_test.go": strings.Replace(cartTests, "\"testing\"", "(\n\t\"os\"\n\t\"strings\"\n\t\"testing\"\n)", 1) + "\nfunc TestEmpty(t *testing.T) {\n\tif src, _ := os.ReadFile(\"cart.go\"); !strings.Contains(string(src), \"sum := 0\") {\n\t\tt.Error(\"no cart\")\n\t}\n}\n",
		}},
		{name: "an old test that notices less", rules: []string{"test-weakened"}, task: func(t *check.Task) { t.NewCode = true }, files: map[string]string{
			"cart/cart.go": cartRight, "cart/cart_test.go": strings.Replace(cartTests, "got != 2", "got < 0", 1) + cartEmpty,
		}},
		{name: "an old test that notices less, where tests are what the task is about", passed: true, rules: []string{"test-weakened"}, level: step.Warn, files: map[string]string{
			"cart/cart.go": cartRight, "cart/cart_test.go": strings.Replace(cartTests, "got != 2", "got < 0", 1) + cartEmpty,
		}},
		{name: "an old assertion that cannot fail any more", rules: []string{"test-always-true"}, files: honestly(map[string]string{
			"duty/both_test.go": strings.Replace(dutyBoth, "if Of(40)", "if false && Of(40)", 1),
		}), task: func(t *check.Task) { t.Owns = owns("cart/cart.go", "cart/cart_test.go", "duty/both_test.go") }},
		{name: "an old test in other words", passed: true, rules: []string{"test-passes-without"}, level: step.Warn, task: func(t *check.Task) { t.NewCode = true }, files: map[string]string{
			"cart/cart.go": cartRight, "cart/cart_test.go": strings.Replace(cartTests, "if got := Count([]int{1, 2}); got != 2 {", "two := []int{7, 8}\n\tif got := Count(two); got != len(two) {", 1) + cartEmpty,
		}},
		{name: "an undeclared file", files: honestly(map[string]string{"NOTES.md": "# notes\n\nmore\n"}), rules: []string{"undeclared-file"}},
		{name: "no test", files: map[string]string{"cart/cart.go": cartRight}, passed: true, rules: []string{"no-test"}, level: step.Asks, task: func(t *check.Task) { t.NewCode = true }},
		{name: "other code that no test sees", passed: true, rules: []string{"no-test"}, level: step.Asks, files: map[string]string{
			"cart/cart.go": strings.Replace(cartGo, "return sum", "if sum > 1000 {\n\t\treturn sum * 2\n\t}\n\treturn sum", 1),
		}},
		{name: "a new test that is skipped here", passed: true, rules: []string{"no-test"}, level: step.Asks, task: func(t *check.Task) { t.NewCode = true }, files: map[string]string{
			"cart/cart.go": cartRight, "cart/cart_test.go": strings.Replace(cartTests, "\"testing\"", "(\n\t\"runtime\"\n\t\"testing\"\n)", 1) + strings.Replace(cartEmpty, "{\n", "{\n\tif runtime.GOOS != \"plan9\" {\n\t\tt.Skip(\"of Plan 9\")\n\t}\n", 1),
		}},
		{name: "no test at all in the project", files: map[string]string{"cart/cart.go": cartRight, "cart/cart_test.go": "", "tax/tax_test.go": ""}, passed: true, rules: []string{"no-test"}, level: step.Asks, task: func(t *check.Task) {
			t.Owns, t.Deletes, t.Taken = owns("cart/cart.go", "cart/cart_test.go", "tax/tax_test.go"), owns("cart/cart_test.go", "tax/tax_test.go"), owns()
		}},
		{name: "a test of what a refactoring keeps", task: func(t *check.Task) { t.Keeps = true }, files: map[string]string{"cart/cart.go": cartRight, "cart/cart_test.go": cartTests + strings.Replace(cartEmpty, "Total(nil); got != 0", "Total([]int{7}); got != 7", 1)}, passed: true},
		{
			name: "a refactoring of which its tests notice nothing", passed: true, rules: []string{"no-test"}, level: step.Fix,
			files: map[string]string{"hits/hits.go": hitsSafe, "hits/hits_test.go": hitsTests},
			task:  func(t *check.Task) { t.Keeps, t.Owns = true, owns("hits/hits.go", "hits/hits_test.go") },
		},
		{
			name: "a refactoring that the request asks for, and of which its tests notice nothing", passed: true, rules: []string{"no-test"}, level: step.Fix,
			files: map[string]string{"hits/hits.go": hitsSafe, "hits/hits_test.go": hitsTests},
			task: func(t *check.Task) {
				t.Keeps, t.Request, t.Asked, t.Owns = true, "Refactor hits", "Refactor hits", owns("hits/hits.go", "hits/hits_test.go")
			},
		},
		{
			name: "a refactoring that the request does not speak of", passed: true, rules: []string{"no-test"}, level: step.Asks,
			files: map[string]string{"hits/hits.go": hitsSafe, "hits/hits_test.go": hitsTests},
			task: func(t *check.Task) {
				t.Keeps, t.Untested, t.Request, t.Asked, t.Owns = true, "It is how it works.", "Count all hits", "Count all hits", owns("hits/hits.go", "hits/hits_test.go")
			},
		},
		{
			name: "a test that compares nothing, of which the author says that none can", passed: true, rules: []string{"compares-nothing"}, level: step.Asks,
			files: map[string]string{
				"cart/cart.go":      cartRight + "\n// Mean is what one costs.\nfunc Mean(prices []int) int {\n\tif len(prices) == 0 {\n\t\treturn 0\n\t}\n\treturn Total(prices) * len(prices)\n}\n",
				"cart/cart_test.go": cartTests + "\nfunc TestMean(t *testing.T) {\n\tif got := Mean([]int{2, 4}); got < 0 {\n\t\tt.Errorf(\"Mean = %d\", got)\n\t}\n}\n",
			},
			task: func(t *check.Task) { t.Untested = "Its values are random." },
		},
		{name: "a test that passes without the change", task: func(t *check.Task) { t.NewCode = true }, files: map[string]string{"cart/cart.go": cartRight, "cart/cart_test.go": cartTests + strings.Replace(cartEmpty, "Total(nil); got != 0", "Total([]int{7}); got != 7", 1)}, rules: []string{"test-passes-without"}},
		{
			name: "a race that the tests do not see", rules: []string{"test-passes-without"}, files: map[string]string{"hits/hits.go": hitsSafe, "hits/hits_test.go": hitsTests},
			task: func(t *check.Task) { t.NewCode, t.Owns = true, owns("hits/hits.go", "hits/hits_test.go") },
		},
		{
			name: "a race that the task's own command sees", passed: true, rules: []string{"test-passes-without"}, level: step.Warn,
			files: map[string]string{"hits/hits.go": hitsSafe, "hits/hits_test.go": hitsTests},
			task: func(t *check.Task) {
				t.Owns, t.Verify = owns("hits/hits.go", "hits/hits_test.go"), [][]string{{"go", "test", "-race", "./hits"}}
			},
		},
		{
			// A command that fails without the change but runs no test shows nothing of the tests.
			name: "a command that runs no tests", rules: []string{"test-passes-without"}, files: map[string]string{"hits/hits.go": hitsSafe, "hits/hits_test.go": hitsTests},
			task: func(t *check.Task) {
				t.NewCode, t.Owns, t.Verify = true, owns("hits/hits.go", "hits/hits_test.go"), [][]string{{"grep", "-q", "atomic", "hits/hits.go"}}
			},
		},
		{
			name: "a race that the author says no test sees", passed: true, rules: []string{"no-test"}, level: step.Asks,
			files: map[string]string{"hits/hits.go": hitsSafe, "hits/hits_test.go": hitsTests},
			task: func(t *check.Task) {
				t.NewCode, t.Owns, t.Untested = true, owns("hits/hits.go", "hits/hits_test.go"), "only the race detector sees it"
			},
		},
		{
			name: "lines that no test reaches", passed: true, rules: []string{"low-coverage"}, level: step.Fix,
			files: honestly(map[string]string{"cart/cart.go": cartRight + "\n// Mean is the mean price.\nfunc Mean(prices []int) int {\n\tif len(prices) == 0 {\n\t\treturn 0\n\t}\n\tmean := Total(prices)\n\tmean /= len(prices)\n\treturn mean\n}\n"}),
			task:  func(t *check.Task) { t.Coverage = true },
		},
		{
			name: "lines that the tests reach", passed: true, files: honestly(nil), task: func(t *check.Task) { t.Coverage = true },
		},
		{
			// One of two shows the change: the other is only spoken of.
			name: "one of two tests passes without the change", passed: true, rules: []string{"test-passes-without"}, level: step.Warn,
			files: map[string]string{"cart/cart.go": cartRight, "cart/cart_test.go": cartTests + cartEmpty + strings.Replace(strings.Replace(cartEmpty, "Total(nil); got != 0", "Total([]int{7}); got != 7", 1), "TestEmpty", "TestSeven", 1)},
		},
	}
}

// TestTasks proves tasks on real git with the real toolchain.
func TestTasks(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	base := l.tree("", shopFiles())
	chains := []toolchain.Found{l.module(base, "cart").Chain}
	// In this project a test fails already.
	red := l.tree(base, map[string]string{"tax/tax.go": strings.Replace(taxGo, "net / 5", "net / 2", 1)})
	seen := map[string]bool{}
	for i, c := range slices.Concat(honestTasks(), lyingTasks(), weakTasks()) {
		if seen[c.name] {
			t.Fatalf("two cases are called %s", c.name)
		}
		seen[c.name] = true
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			conformance.InTurn(t, 16)
			from := base
			task := check.Task{Chains: chains, Owns: owns("cart/cart.go", "cart/cart_test.go"), Taken: owns("tax/tax.go", "tax/tax_test.go"), Deletes: owns(), Base: base, Report: c.report}
			if c.task != nil {
				c.task(&task)
			}
			if len(task.Known) > 0 {
				from = red
			}
			p, ran, err := l.checker.Task(t.Context(), task, from, l.tree(from, c.files))
			want(t, c.name, p, err, c.passed, c.rules...)
			level := c.level
			if level == "" {
				level = step.Rejects
			}
			for _, f := range p.Findings {
				if slices.Contains(c.rules, f.Rule) && f.Severity != level {
					t.Errorf("%s is %s, want %s", f.Rule, f.Severity, level)
				}
			}
			if i < len(honestTasks()) && len(p.Findings) > 0 {
				t.Errorf("honest work: %+v", p.Findings)
			}
			var uncalled []string
			for _, e := range step.Uncalled(p.Examples) {
				uncalled = append(uncalled, e.Text+": "+e.Why)
			}
			if !slices.Equal(uncalled, c.uncalled) {
				t.Errorf("not called: %q, want %q", uncalled, c.uncalled)
			}
			for _, name := range c.ran {
				if !slices.Contains(ran.Checks, name) {
					t.Errorf("%s did not run, only %v", name, ran)
				}
			}
			for _, name := range c.not {
				if slices.Contains(ran.Checks, name) {
					t.Errorf("%s ran", name)
				}
			}
		})
	}
}

// TestTasksWithFlakes: an old test that failed once is charged to nobody, one that the new code makes fail now and then is.
// It takes longer than ten seconds: what may be a flake is run up to six times, here and without the change.
func TestTasksWithFlakes(t *testing.T) {
	t.Parallel()
	conformance.InTurn(t, 16)
	l := newLab(t)
	// Each run adds a byte to the file; the number of bytes decides.
	fine := func(file, when string) string {
		return "package fine\n\nimport \"os\"\n\n// Fine is usually true.\nfunc Fine() bool {\n\tf, err := os.OpenFile(" + strconv.Quote(file) + ", os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)\n\tif err != nil {\n\t\tpanic(err)\n\t}\n\tdefer f.Close()\n\tif _, err := f.WriteString(\"x\"); err != nil {\n\t\tpanic(err)\n\t}\n\tinfo, err := f.Stat()\n\treturn err == nil && " + when + "\n}\n"
	}
	fineTest := "package fine\n\nimport \"testing\"\n\nfunc TestFine(t *testing.T) {\n\tif !Fine() {\n\t\tt.Fatal()\n\t}\n}\n"
	for name, c := range map[string]struct {
		before, after string
		level         step.Severity
	}{
		"once":         {"info.Size() != 1", "info.Size() != 1", step.Warn},
		"new":          {"info.Size() > 0", "info.Size()%2 == 0", step.Fix},
		"rarely":       {"info.Size() > 0", "info.Size() != 1 && info.Size() != 5", step.Fix},
		"now and then": {"info.Size()%2 == 0", "info.Size()%2 == 0", step.Warn},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(kept(t), "runs")
			base := l.tree("", shopFiles())
			base = l.tree(base, map[string]string{"fine/fine.go": fine(file, c.before), "fine/fine_test.go": fineTest})
			task := check.Task{Chains: []toolchain.Found{l.module(base, "cart").Chain}, Owns: owns("cart/cart.go", "cart/cart_test.go", "fine/fine.go"), Deletes: owns(), Taken: owns(), Base: base}
			p, _, err := l.checker.ForStep().Task(t.Context(), task, base, l.tree(base, honestly(map[string]string{"fine/fine.go": fine(file, c.after)})))
			want(t, name, p, err, c.level == step.Warn, "flaky-test")
			for _, f := range p.Findings {
				if f.Rule == "flaky-test" && f.Severity != c.level {
					t.Errorf("%+v, want %s", f, c.level)
				}
			}
		})
	}
}

// A command that succeeds without the task as well shows nothing of it.
func TestIdleCommands(t *testing.T) {
	t.Parallel()
	conformance.InTurn(t, 16)
	needs(t, "go")
	l := newLab(t)
	base := l.tree("", shopFiles())
	task := check.Task{
		Chains: []toolchain.Found{l.module(base, "cart").Chain}, Owns: owns("cart/cart.go", "cart/cart_test.go", "mean/mean.go"), Taken: owns(), Deletes: owns(), Base: base,
		Verify: [][]string{{"go", "vet", "./cart"}, {"go", "vet", "./mean"}, {"go", "test", "./cart"}},
	}
	p, _, err := l.checker.ForStep().Task(t.Context(), task, base, l.tree(base, honestly(map[string]string{"mean/mean.go": "// Package mean is new.\npackage mean\n"})))
	want(t, "a task with commands", p, err, true)
	if !slices.Equal(p.Idle, []string{"go vet ./cart"}) {
		t.Errorf("idle are %q", p.Idle)
	}
}

// TestTasksOfMembers: what is built with a changed member of a workspace is tested as well, through the link that npm makes.
func TestTasksOfMembers(t *testing.T) {
	t.Parallel()
	needs(t, "npm")
	l := newLab(t)
	const test = "const test = require('node:test');\nconst assert = require('node:assert');\n"
	price := test + "test('price', () => { assert.strictEqual(require('./price.js').price(1), '1'); });\n"
	files := map[string]string{
		"package.json":        "{\"private\": true, \"workspaces\": [\"core\", \"app\", \"other\"]}\n",
		"core/package.json":   "{\"name\": \"core\", \"version\": \"1.0.0\", \"main\": \"price.js\", \"scripts\": {\"test\": \"node --test\"}}\n",
		"core/price.js":       "exports.price = (n) => String(n);\n",
		"core/price.test.js":  price,
		"app/package.json":    "{\"name\": \"app\", \"version\": \"1.0.0\", \"scripts\": {\"test\": \"node --test\"}, \"dependencies\": {\"core\": \"1.0.0\"}}\n",
		"app/bill.js":         "const { price } = require('core');\nexports.bill = (n) => price(n) + ' EUR';\n",
		"app/bill.test.js":    test + "test('bill', () => { assert.strictEqual(require('./bill.js').bill(2), '2 EUR'); });\n",
		"other/package.json":  "{\"name\": \"other\", \"version\": \"1.0.0\", \"scripts\": {\"test\": \"node --test\"}}\n",
		"other/other.test.js": test + "test('other', () => {});\n",
		"package-lock.json":   "{\"lockfileVersion\": 3, \"requires\": true, \"packages\": {\"\": {\"workspaces\": [\"core\", \"app\", \"other\"]}, \"app\": {\"version\": \"1.0.0\", \"dependencies\": {\"core\": \"1.0.0\"}}, \"core\": {\"version\": \"1.0.0\"}, \"other\": {\"version\": \"1.0.0\"}, \"node_modules/app\": {\"resolved\": \"app\", \"link\": true}, \"node_modules/core\": {\"resolved\": \"core\", \"link\": true}, \"node_modules/other\": {\"resolved\": \"other\", \"link\": true}}}\n",
	}
	base := l.tree("", files)
	all := toolchain.NewProject(slices.Sorted(maps.Keys(files)), func(f string) []byte { return []byte(files[f]) }).All()
	task := check.Task{Chains: all, Owns: owns("core/price.js", "core/price.test.js"), Taken: owns(), Deletes: owns(), Base: base}
	cents := "test('cents', () => { assert.strictEqual(require('./price.js').price(0.5), '0.50'); });\n"
	for _, c := range []taskCase{
		{name: "honest", files: map[string]string{"core/price.js": "exports.price = (n) => (Number.isInteger(n) ? String(n) : n.toFixed(2));\n", "core/price.test.js": price + cents}, passed: true},
		{name: "the one that is built with it breaks", files: map[string]string{"core/price.js": "exports.price = (n) => (n === 1 ? '1' : n.toFixed(2));\n", "core/price.test.js": price + cents}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, _, err := l.checker.Task(t.Context(), task, base, l.tree(base, c.files))
			want(t, c.name, p, err, c.passed, c.rules...)
			var ran []string
			for _, r := range p.Results {
				ran = append(ran, r.ID)
			}
			slices.Sort(ran)
			if got := strings.Join(ran, " "); got != "app/bill.test.js::bill core/price.test.js::cents core/price.test.js::price" {
				t.Errorf("ran: %s", got)
			}
		})
	}
}

// TestTasksOfSlowSuites: where all tests take long, an author whose own tests fail hears of it before the others have run.
func TestTasksOfSlowSuites(t *testing.T) {
	t.Parallel()
	conformance.InTurn(t, 16)
	needs(t, "go")
	l := newLab(t)
	base := l.tree("", shopFiles())
	chain := l.module(base, "cart").Chain
	task := check.Task{Chains: []toolchain.Found{chain}, Owns: owns("mean/mean.go", "mean/mean_test.go"), Taken: owns(), Deletes: owns(), Base: base}
	wrong := l.tree(base, map[string]string{
		"mean/mean.go":      "// Package mean is new.\npackage mean\n\n// Of is the mean of two numbers.\nfunc Of(a, b int) int { return a + b }\n",
		"mean/mean_test.go": "package mean\n\nimport \"testing\"\n\nfunc TestOf(t *testing.T) {\n\tif got := Of(2, 4); got != 3 {\n\t\tt.Errorf(\"got %d\", got)\n\t}\n}\n",
	})
	for _, slow := range []bool{false, true} {
		if slow {
			l.checker.Took(chain, time.Hour)
		}
		p, _, err := l.checker.Task(t.Context(), task, base, wrong)
		want(t, "a wrong mean", p, err, false)
		if only := len(p.Results) == 1; only != slow {
			t.Errorf("slow %t: %d tests have run", slow, len(p.Results))
		}
	}
}

// TestTasksOfTwoToolchains: a change below web is Node's, and what it does is seen there; Go's tests of the project around
// it run as well, since the nearest manifest of a file is not the only one that it may matter to.
func TestTasksOfTwoToolchains(t *testing.T) {
	t.Parallel()
	needs(t, "node")
	l := newLab(t)
	files := shopFiles()
	const test = "const test = require('node:test');\nconst assert = require('node:assert');\n"
	files["web/package.json"] = "{\"name\": \"web\", \"private\": true, \"scripts\": {\"test\": \"node --test\"}}\n"
	files["web/price.js"] = "exports.price = (n) => String(n);\n"
	files["web/price.test.js"] = test + "test('price', () => { assert.strictEqual(require('./price.js').price(1), '1'); });\n"
	base := l.tree("", files)
	task := check.Task{
		Chains: []toolchain.Found{l.module(base, "cart").Chain, l.module(base, "web").Chain},
		Owns:   owns("web/price.js", "web/price.test.js"), Taken: owns(), Deletes: owns(), Base: base,
	}
	cents := "test('cents', () => { assert.strictEqual(require('./price.js').price(0.5), '0.50'); });\n"
	right := "exports.price = (n) => (Number.isInteger(n) ? String(n) : n.toFixed(2));\n"
	for _, c := range []taskCase{
		{name: "honest", files: map[string]string{"web/price.js": right, "web/price.test.js": files["web/price.test.js"] + cents}, passed: true},
		{name: "wrong", files: map[string]string{"web/price.js": strings.Replace(right, "2", "3", 1), "web/price.test.js": files["web/price.test.js"] + cents}},
		{name: "a deleted test", files: map[string]string{"web/price.js": right, "web/price.test.js": test}, rules: []string{"test-deleted"}},
		{name: "a test that passes without the change", files: map[string]string{"web/price.js": right, "web/price.test.js": files["web/price.test.js"] + "test('two', () => { assert.strictEqual(require('./price.js').price(2), '2'); });\n"}, rules: []string{"test-passes-without"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, _, err := l.checker.Task(t.Context(), task, base, l.tree(base, c.files))
			want(t, c.name, p, err, c.passed, c.rules...)
			if c.passed && p.Counts().Total < 5 {
				t.Errorf("%d tests ran, want those of both toolchains", p.Counts().Total)
			}
		})
	}
}
