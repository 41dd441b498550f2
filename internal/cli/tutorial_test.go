package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// follow carries out the commands that a page of docs/start shows, in a project of the tutorial, and compares what they print:
// follow PAGE DIR. A line with nothing but … stands for any lines. The answers that the tutorial has prepared are given where an
// agent would be asked, and a list of Markdown that the page shows is added to the spec's section Success.
func follow(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: follow PAGE DIR")
	}
	raw, err := os.ReadFile(filepath.FromSlash("../../docs/start/" + args[0]))
	ts.Check(err)
	build := "build"
	ran := 0
	for i, part := range strings.Split(string(raw), "```") {
		kind, text, _ := strings.Cut(part, "\n")
		switch {
		case i%2 == 0:
		case kind == "markdown" && strings.HasPrefix(text, "- "):
			spec := ts.MkAbs(filepath.Join(args[1], "greet", "CLAUDE.md"))
			old, err := os.ReadFile(spec)
			ts.Check(err)
			ts.Check(os.WriteFile(spec, []byte(strings.Replace(string(old), "\n### Error", text+"\n### Error", 1)), 0o600))
			build = "change"
		case kind == "console":
			for _, shown := range strings.Split("\n"+text, "\n$ ")[1:] {
				command, want, _ := strings.Cut(shown, "\n")
				if strings.HasPrefix(command, "cd ") {
					continue
				}
				for begin, answers := range map[string]string{"jacquard do ": "do", "jacquard bug ": "bug", "jacquard build": build} {
					if strings.HasPrefix(command, begin) && !strings.Contains(command, "--dry-run") {
						command += " --scenario ../" + answers + ".txtar"
					}
				}
				// Exit codes are the stories' business: a question ends with one, and so does doctor without a key.
				ts.Check(ts.Exec("sh", "-c", "cd "+args[1]+" && { "+command+"; } >$WORK/said 2>&1; exit 0"))
				got := ts.ReadFile(filepath.Join(ts.Getenv("WORK"), "said"))
				if !saysLike(plainLines(want), plainLines(got)) {
					ts.Fatalf("%s: $ %s\nwant\n%s\ngot\n%s", args[0], command, want, got)
				}
				ran++
			}
		}
	}
	if ran == 0 {
		ts.Fatalf("%s has no command", args[0])
	}
}

// differing is what differs from run to run and from machine to machine.
var differing = []struct {
	what *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`\(/[^)]*\)`), "(PATH)"},
	{regexp.MustCompile(`/\S+/(shop|hello)\b`), "PATH/$1"},
	{regexp.MustCompile(`\b[0-9a-f]{7,40}\b`), "COMMIT"},
	{regexp.MustCompile(`\b[a-z2-7]{8}\b`), "ID"},
	{regexp.MustCompile(`\d\d-\d\d \d\d:\d\d`), "DATE"},
	{regexp.MustCompile(`\b\d+(\.\d+)?m?s\b|\b\d+m\d\ds\b`), "TIME"},
	{regexp.MustCompile(`git +\d+(\.\d+)+`), "git VERSION"},
	{regexp.MustCompile(` +`), " "},
}

func plainLines(text string) []string {
	for _, d := range differing {
		text = d.what.ReplaceAllString(text, d.with)
	}
	var out []string
	for line := range strings.Lines(strings.TrimSpace(text)) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "… ") { // what is said every half a minute of a step that takes long
			out = append(out, line)
		}
	}
	return out
}

// saysLike compares lines, where … stands for any lines.
func saysLike(want, got []string) bool {
	if len(want) == 0 {
		return len(got) == 0
	}
	if want[0] == "…" {
		for skipped := range len(got) + 1 {
			if saysLike(want[1:], got[skipped:]) {
				return true
			}
		}
		return false
	}
	return len(got) > 0 && want[0] == got[0] && saysLike(want[1:], got[1:])
}
