// Command picture draws a terminal for the documentation as an SVG file: what the real program says of a story's project, or the screen
// that a story compares with. Nothing is drawn that was not printed.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"
)

func main() {
	program := flag.String("jacquard", "bin/jacquard", "the `program`")
	story := flag.String("story", "internal/cli/testdata/script/bug.txtar", "`file` with the project, and in it a play")
	play := flag.String("play", "bug.play", "the play in it")
	screen := flag.String("screen", "", "draw this `part` of the story, the screen that it compares with, and run nothing")
	label := flag.String("label", "A terminal: jacquard bug reproduces a failure, has it fixed, and proves the fix", "what the picture shows")
	out := flag.String("o", "docs/demo.svg", "`file` to write")
	flag.Parse()
	raw, err := os.ReadFile(*story)
	files := parts(raw)
	text := string(files[*screen])
	if err == nil && *screen == "" {
		text, err = run(*program, files, *play, flag.Args())
	}
	if err == nil {
		err = os.WriteFile(*out, svg(text, *label), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

// run is what the program says of a play in a story's project, below what was typed.
func run(program string, files map[string][]byte, play string, args []string) (string, error) {
	dir, err := os.MkdirTemp("", "picture")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	for name, data := range files {
		if strings.Contains(name, ".play") {
			continue
		}
		if err := write(filepath.Join(dir, name), data); err != nil {
			return "", err
		}
	}
	if err := write(filepath.Join(dir, "play.txtar"), scenario(files, play)); err != nil {
		return "", err
	}
	for _, git := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"-c", "user.name=You", "-c", "user.email=you@localhost", "commit", "-qm", "A first version"}, {"config", "user.name", "You"}, {"config", "user.email", "you@localhost"}} {
		if said, err := command(dir, "git", git...); err != nil {
			return "", fmt.Errorf("git %s: %w: %s", git[0], err, said)
		}
	}
	self, err := filepath.Abs(program)
	if err != nil {
		return "", err
	}
	said, err := command(dir, self, append(args, "--yes", "--fresh", "--scenario", "play.txtar")...)
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, said)
	}
	var typed []string
	for _, a := range args {
		if strings.Contains(a, " ") {
			a = `"` + a + `"`
		}
		typed = append(typed, a)
	}
	text := "$ jacquard " + strings.Join(typed, " ") + "\n" + said
	return strings.ReplaceAll(text, dir, "~/calc"), nil
}

func command(dir, name string, args ...string) (string, error) {
	c := exec.Command(name, args...)
	c.Dir, c.Env = dir, append(os.Environ(), "NO_COLOR=1", "LANG=C")
	said, err := c.CombinedOutput()
	return string(said), err
}

func write(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

var head = regexp.MustCompile(`(?m)^-- (.+) --\n`)

// parts are the files of a txtar archive.
func parts(raw []byte) map[string][]byte {
	out := map[string][]byte{}
	at := head.FindAllSubmatchIndex(raw, -1)
	for i, m := range at {
		end := len(raw)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		out[string(raw[m[2]:m[3]])] = raw[m[1]:end]
	}
	return out
}

// scenario is a play with the files that it writes and answers with.
func scenario(files map[string][]byte, play string) []byte {
	var b bytes.Buffer
	b.Write(files[play])
	for name, data := range files {
		if bytes.Contains(files[play], []byte(" "+name+"\n")) {
			fmt.Fprintf(&b, "-- %s --\n%s", name, data)
		}
	}
	return b.Bytes()
}

// Sizes of a line and a letter in the picture, in its units.
const (
	lineHeight  = 19
	letterWidth = 8
	margin      = 16
	columns     = 100
)

// colours are those of the program: of the word that says how something ended. What is typed is brighter.
var colours = []struct {
	word   *regexp.Regexp // or the line, where it has no group
	colour string
}{
	{regexp.MustCompile(`^[$❯] .*`), "#e6edf3"},
	{regexp.MustCompile(`^\s*(✓)|^\s+· .*: (passed)\b|prove: (proved)`), "#7ee787"},
	{regexp.MustCompile(`^\s*(✗)`), "#ff7b72"},
	{regexp.MustCompile(`^\s*(⚠)|^\s+· .*: (rejected)\b|prove: (unproved)`), "#f2cc60"},
}

// drawn has what browsers and fonts would lose: spaces at the beginning of a line, and a letter that few fonts have.
var drawn = strings.NewReplacer(" ", "\u00a0", "⎿", "└")

// svg draws lines of text as a terminal does.
func svg(text, label string) []byte {
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		for utf8.RuneCountInString(line) > columns { // at a word, where there is one
			runes := []rune(line)
			cut := strings.LastIndex(string(runes[:columns]), " ")
			if cut < columns/2 {
				cut = len(string(runes[:columns]))
			}
			lines, line = append(lines, line[:cut]), "      "+strings.TrimLeft(line[cut:], " ")
		}
		lines = append(lines, line)
	}
	width, height := columns*letterWidth+2*margin, len(lines)*lineHeight+2*margin
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s">`+"\n", width, height, width, height, html.EscapeString(label))
	fmt.Fprintf(&b, `<rect width="%d" height="%d" rx="8" fill="#0d1117"/>`+"\n", width, height)
	b.WriteString(`<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13.2">` + "\n")
	for i, line := range lines {
		text := func(s string) string { return html.EscapeString(drawn.Replace(s)) }
		shown := text(line)
		for _, c := range colours {
			at := c.word.FindStringSubmatchIndex(line)
			for len(at) > 2 && at[2] < 0 {
				at = append(at[:2:2], at[4:]...)
			}
			if len(at) > 0 {
				from, to := at[len(at)-2], at[len(at)-1]
				if len(at) > 2 {
					from, to = at[2], at[3]
				}
				shown = text(line[:from]) + `<tspan fill="` + c.colour + `">` + text(line[from:to]) + `</tspan>` + text(line[to:])
				break
			}
		}
		fmt.Fprintf(&b, `<text x="%d" y="%d" fill="#c9d1d9">%s</text>`+"\n", margin, margin+(i+1)*lineHeight-5, shown)
	}
	b.WriteString("</g>\n</svg>\n")
	return b.Bytes()
}
