package check_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/check"
)

// TestScreen runs programs in a real terminal: what is expected is seen, also after a while and also when the program has
// ended; what is not seen is missed, with the screen as evidence; nothing of it is left running.
func TestScreen(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("tmux"); err != nil {
		if os.Getenv("JACQUARD_TEST_COMPLETE") != "" {
			t.Fatal("tmux is not installed")
		}
		t.Skip("tmux is not installed")
	}
	l := newLab(t)
	tree := l.tree("", map[string]string{
		"menu.sh": "printf '\\033[31mWelcome\\033[0m to the shop;\\n1) buy\\n> '\nread answer\n", "late.sh": "tail -f /dev/null &\nsleep 0.3\necho ready\nwait\n",
		"dies.sh": "echo broken >&2\nexit 3\n", "writes.sh": "echo x > menu.sh\necho done\n", "long.sh": "i=0\nwhile [ $i -lt 200 ]; do echo line $i; i=$((i+1)); done\nread x\n",
	})
	for name, c := range map[string]struct {
		argv   []string
		expect string
		want   string // what the finding says; "" = it is seen
	}{
		"it waits for its user":           {[]string{"sh", "menu.sh"}, `^Welcome to the shop;\n1\) buy$`, ""},
		"it shows it late":                {[]string{"sh", "late.sh"}, `^ready$`, ""},
		"it has ended":                    {[]string{"sh", "dies.sh"}, `broken`, ""},
		"it left the screen at the top":   {[]string{"sh", "long.sh"}, `^line 0$`, ""},
		"an argument that ends a command": {[]string{"sh", "-c", "echo one; echo two;"}, `^two$`, ""},
		"one word":                        {[]string{"uname"}, `^\w+$`, ""},
		"it has ended with something":     {[]string{"sh", "dies.sh"}, `^ready$`, "exited with 3, and its screen does not show \"^ready$\". Its screen: broken"},
		"it was killed":                   {[]string{"sh", "-c", "echo here; kill -9 $$"}, `^ready$`, "exited with 1"}, // 137, or 128 where tmux does not know the signal
		"it never shows it":               {[]string{"sh", "menu.sh"}, `sell`, "did not show in time \"sell\". Its screen: Welcome to the shop;"},
		"there is no such program":        {[]string{"nosuchprogram"}, `x^`, "exited with 127"},
		"it changes the project":          {[]string{"sh", "writes.sh"}, `^done$`, "does not count: it changed tracked files: menu.sh"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limit := 20 * time.Second
			if strings.Contains(c.want, "in time") {
				limit = 8 * time.Second // all of it passes; on a busy machine the screen takes some of it to come up
			}
			goals, records, err := l.checker.Goals(t.Context(), check.Task{Base: tree, Screen: &check.Screen{Argv: c.argv, Expect: regexp.MustCompile("(?m)" + c.expect), Limit: limit}}, tree, tree)
			if err != nil {
				t.Fatal(err)
			}
			g := goals[len(goals)-1]
			said := ""
			if len(g.Findings) > 0 {
				said = g.Findings[0].Message
			}
			if g.Name != check.GoalInteractive || !g.Ran || g.Failed != (c.want != "") || !strings.Contains(said, c.want) {
				t.Errorf("%s: ran %v, failed %v: %q; want %q", g.Name, g.Ran, g.Failed, said, c.want)
			}
			if len(records) != 1 || records[0].Output.Size == 0 {
				t.Errorf("records %+v", records)
			}
		})
	}
}

// TestNoTerminal: a machine without tmux is what is wrong, not the work.
func TestNoTerminal(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	tree := l.tree("", map[string]string{"a.txt": "a"})
	bin := t.TempDir() // with git alone
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(git, filepath.Join(bin, "git")); err != nil {
		t.Fatal(err)
	}
	bare, err := check.New(check.Options{Repo: l.repo, Cache: t.TempDir(), Temp: t.TempDir(), Env: []string{"PATH=" + bin}})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = bare.Goals(t.Context(), check.Task{Base: tree, Screen: &check.Screen{Argv: []string{"true"}, Expect: regexp.MustCompile("x")}}, tree, tree)
	var missing *check.EnvironmentError
	if !errors.As(err, &missing) || missing.Tool != "tmux" {
		t.Errorf("without tmux: %v", err)
	}
}
