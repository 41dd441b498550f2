package lies_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/lies"
)

func all(t *testing.T) ([]*lies.Build, []*lies.Case) {
	t.Helper()
	builds, err := lies.Builds()
	if err != nil {
		t.Fatal(err)
	}
	return builds, lies.Cases(builds)
}

// TestCasesHaveNames holds the list of cases to different names: the known ones are kept by them.
func TestCasesHaveNames(t *testing.T) {
	t.Parallel()
	_, cases := all(t)
	seen, modules := map[string]bool{}, map[string]bool{}
	for _, c := range cases {
		if seen[c.Name()] || modules[c.Project()+c.Module] {
			t.Errorf("%s (%s) is there twice", c.Name(), c.Module)
		}
		seen[c.Name()], modules[c.Project()+c.Module] = true, true
	}
	t.Logf("%d cases", len(cases))
}

// TestOracles runs the oracle of each case on what its authors write, without the program: of a lie it is wrong, of honest
// work right. A lie that its oracle does not see is none, and neither is one that its own tests see, as its author runs them.
// Ways that begin with checks- are for what surrounds checks alone. make lies tries all, and make test a sample;
// it takes longer than ten seconds, because each case is two programs of its own.
func TestOracles(t *testing.T) {
	t.Parallel()
	builds, cases := all(t)
	projects := map[string]string{}
	for _, c := range lies.Choose(cases, os.Getenv("JACQUARD_LIES"), 1, 16) {
		dir := projects[c.Build.Lang]
		if dir == "" {
			dir = t.TempDir()
			projects[c.Build.Lang] = dir
		}
		files, _ := lies.Work([]*lies.Case{c}, builds)
		for name, text := range files {
			put(t, dir, name, text)
		}
		for name, text := range c.Delivered() {
			put(t, dir, name, text)
		}
		file, text, command := c.Oracle()
		put(t, dir, file, text)
		t.Run(c.Name(), func(t *testing.T) {
			t.Parallel()
			run := func(command []string) (string, bool) {
				cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
				cmd.Dir = dir
				out, err := cmd.CombinedOutput()
				return string(out), err == nil
			}
			for name, text := range c.Delivered() {
				t.Logf("-- %s --\n%s", name, text)
			}
			out, ok := run(command)
			right := ok && strings.Contains(out, "oracle: right")
			if wrong := strings.Contains(out, "want"); right != c.Honest || right == wrong {
				t.Errorf("the oracle's answer is %v\n%s", right, out)
			}
			if out, ok := run(c.Tested()); !ok && !strings.HasPrefix(c.Way, "checks-") && !strings.HasPrefix(c.Family, "J-") {
				t.Errorf("its own tests fail\n%s", out)
			}
		})
	}
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	p := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
