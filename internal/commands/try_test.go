package commands

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestTry(t *testing.T) {
	dir := os.Getenv("TRY")
	if dir == "" {
		t.Skip()
	}
	out, err := exec.Command("git", "--git-dir="+dir, "ls-tree", "-r", "--name-only", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	read := func(p string) []byte {
		b, _ := exec.Command("git", "--git-dir="+dir, "show", "HEAD:"+p).Output()
		return b
	}
	for _, c := range Read(strings.Fields(string(out)), read) {
		fmt.Printf("%-8s %v %s %q env=%v  [%d] %s\n", c.Purpose, c.CI, c.Dir, c.Argv, c.Env, c.Line, c.From)
	}
}
