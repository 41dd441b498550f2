package check_test

import (
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/conformance"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// TestHeldOutCommands runs commands of languages that nobody reads here: each alone, without tests, and only what is sure decides.
func TestHeldOutCommands(t *testing.T) {
	t.Parallel()
	needs(t, "sh")
	if policy() == nil {
		t.Skip("no sandbox on this machine: jacquard doctor says why")
	}
	lab := newLab(t)
	base := lab.tree("", map[string]string{"bin/double.sh": "exit 1\n"})
	tree := lab.tree(base, map[string]string{
		"bin/double.sh":        "case $1 in '') echo 'bin/double.sh: no number' >&2; exit 2 ;; 7) exit 0 ;; esac\necho $(($1 * 2))\n",
		"tests/test_double.py": "echo tests\n", "test.py": "echo tests\n",
	})
	for name, c := range map[string]struct {
		call, gives string
		sure        bool
		want        string
	}{
		"it holds":                  {"$ sh bin/double.sh 4", `"8"`, false, "holds"},
		"with white space":          {"$ sh bin/double.sh 4", `"8\n"`, false, "holds"},
		"without quotes":            {"$ sh bin/double.sh 4", "8", false, "holds"},
		"it fails as it has to":     {"$ sh bin/double.sh", "error", false, "holds"},
		"another result":            {"$ sh bin/double.sh 7", `"14"`, false, `fails "" fix`},
		"one that is sure":          {"$ sh bin/double.sh 7", `"14"`, true, `fails "" reject`},
		"it was to fail":            {"$ sh bin/double.sh 7", "error", true, `fails "" reject`},
		"a pipe":                    {"$ echo 5 | xargs sh bin/double.sh", `"10"`, false, "holds"},
		"no such file":              {"$ sh bin/triple.sh 4", `"12"`, true, "not-run it fails: exit code"},
		"the end of a pipe fails":   {"$ sh bin/double.sh 4 | grep nine", `"9"`, true, "not-run it fails: exit code 1: fix"},
		"not sure that it should":   {"$ sh bin/double.sh 4 | grep nine", `"9"`, false, "not-run it fails"},
		"no such program":           {"$ triple 4", `"12"`, true, "not-run"},
		"its code is printed":       {"$ ./triple 4 2>/dev/null; echo $?", `"2"`, true, "not-run a program in it is not there"},
		"it is not there in a pipe": {"$ ./triple 4 | sort", `"12"`, true, "not-run a program in it is not there"},
		"it cannot even fail":       {"$ triple 4", "error", true, "not-run a program in it is not there"},
		"go run hides the code":     {"$ go run . x; echo $?", `"2"`, true, "not-run"},
		"a code is printed":         {"$ sh bin/double.sh 2>&1; echo $?", `"bin/double.sh: no number\n2"`, true, "holds"},
		"a shell reads it":          {"$ echo bin/*.sh", `"bin/double.sh"`, true, "holds"},
		"the code names its file":   {"$ sh bin/double.sh", `"0"`, true, "fails exit code 2: bin/double.sh: no number reject"},
		"another each time":         {"$ sh -c 'echo $$ >&2; cat /proc/sys/kernel/random/uuid'", `"0"`, true, "not-run it gives something else each time fix"},
		"tests are not there":       {"$ test -e tests/test_double.py && echo yes || echo no", `"yes"`, true, "not-run tests are not there"},
		"a name that ends like it":  {"$ cp bin/double.sh latest.py; sh latest.py 4", `"8"`, true, "holds"},
		"nothing is left":           {"$ sh -c 'cat left 2>/dev/null; echo 1 > left; cat left'", `"1"`, false, "holds"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := check.Task{Chains: []toolchain.Found{{}}, Owns: owns("bin/double.sh", "tests/test_double.py", "test.py"), Taken: owns(), Deletes: owns(), Base: base, HeldOut: []step.HeldOut{{Call: c.call, Gives: c.gives, Sure: c.sure}}}
			proof, _, err := lab.checker.Task(t.Context(), task, base, tree)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range proof.Examples {
				got = append(got, strings.TrimSpace(e.State+" "+e.Why))
			}
			for _, f := range proof.Findings {
				if f.Rule == "held-out-failed" {
					got = append(got, string(f.Severity))
				}
			}
			if have := strings.Join(got, " "); !strings.HasPrefix(have, c.want) || strings.HasSuffix(have, " fix") != strings.HasSuffix(c.want, " fix") || !strings.HasPrefix(c.want, "not-run") && have != c.want {
				t.Errorf("%q, want %q: %+v", have, c.want, proof.Findings)
			}
			if !proof.Callable {
				t.Error("nobody would be asked to challenge it")
			}
		})
	}
}

// TestEndlessCommands: what does not end where others that begin alike do has failed, and is not waited for again and again. It takes
// five minutes, as it waits for commands that do.
func TestEndlessCommands(t *testing.T) {
	t.Parallel()
	conformance.Only(t)
	needs(t, "sh")
	if policy() == nil {
		t.Skip("no sandbox on this machine: jacquard doctor says why")
	}
	lab := newLab(t)
	base := lab.tree("", map[string]string{"bin/countdown.sh": "exit 1\n"})
	tree := lab.tree(base, map[string]string{"bin/countdown.sh": "case $1 in 0) echo done ;; -1) echo lost ;; *) sleep 3600 ;; esac\n"})
	const line = "$ sh bin/countdown.sh "
	call := func(with string) step.HeldOut { return step.HeldOut{Call: line + with, Gives: `"done"`, Sure: true} }
	task := check.Task{
		Chains: []toolchain.Found{{}}, Owns: owns("bin/countdown.sh"), Taken: owns(), Deletes: owns(), Base: base,
		HeldOut: []step.HeldOut{call("0"), call("1"), call("2"), call("3"), call("0 0"), call("-1")},
	}
	proof, _, err := lab.checker.Task(t.Context(), task, base, tree)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range proof.Examples {
		got = append(got, e.State)
	}
	if want := "holds fails fails not-run holds fails"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s: %+v", got, want, proof.Examples)
	}
}
