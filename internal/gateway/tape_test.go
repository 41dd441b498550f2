package gateway_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/gateway"
)

const taped = `turn red m 1
  say in ${DIR}
  write a/b.txt f
  status 529
  run go test ./...
  answer ans
-- f --
content
-- ans --
{"ok":true}
`

// converse plays an agent in dir against g and returns what it was told, without
// the directory.
func converse(t *testing.T, g *gateway.Gateway, a *gateway.Access, dir, task, output string) []string {
	t.Helper()
	c := newClient(g, a, task+" in "+dir+"\n<system-reminder>today is "+dir+"</system-reminder>\n"+prompt)
	var told []string
	for range 6 {
		got := c.ask(t)
		if got.status != 200 {
			told = append(told, strings.ReplaceAll(got.body, dir, "."))
			if got.status == 403 {
				return told
			}
			continue
		}
		told = append(told, calls(got, dir))
		c.took(got, strings.ReplaceAll(output, "DIR", dir))
		if strings.Contains(told[len(told)-1], "StructuredOutput") {
			return told
		}
	}
	return told
}

func record(t *testing.T) (tape []byte, told []string) {
	t.Helper()
	dir := t.TempDir()
	rec := &gateway.Tape{}
	redact := gateway.NewRedactor("hunter-2-hunter")
	g := start(t, gateway.Options{Backend: script(t, taped), Record: rec, Redact: redact})
	a := open(t, g, gateway.Turn{Dir: dir, Home: "/home/recorder"})
	told = converse(t, g, a, dir, "task hunter-2-hunter", "ok DIR 0.003s at 2026-11-20T10:00:00Z on 127.0.0.1:4444, commit 1a2b3c4d5e")
	a.Close()
	path := filepath.Join(t.TempDir(), "tape.gz")
	if err := rec.Save(path, redact); err != nil {
		t.Fatal(err)
	}
	tape, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := rec.Save(path, gateway.NewRedactor("go test ./...")); err == nil {
		t.Error("a tape with a secret was saved")
	}
	if again, err := os.ReadFile(path); err != nil || !bytes.Equal(again, tape) {
		t.Errorf("after a refused save the file has changed: %v", err)
	}
	return tape, told
}

func TestTapeAnswersElsewhereAsItDidHere(t *testing.T) {
	t.Parallel()
	tape, want := record(t)
	if len(want) != 4 || !strings.Contains(want[0], "in . | Write") {
		t.Fatalf("recorded %q", want)
	}
	for name, c := range map[string]struct {
		task, output string
		strict       bool
		misses       int // index of the call that is not on the tape, -1 = none
		drift        int
	}{
		"the same, later":            {"task hunter-2-hunter", "ok DIR 1.2s at 2027-01-01T00:00:00Z on 127.0.0.1:5555, commit ffffff0", true, -1, 0},
		"tools print something else": {"task hunter-2-hunter", "FAIL DIR", false, -1, 3},
		"the same, but strict":       {"task hunter-2-hunter", "FAIL DIR", true, 1, 0},
		"another task":               {"some other task", "ok", false, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			played, err := gateway.ReadTape(bytes.NewReader(tape))
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			g := start(t, gateway.Options{Backend: played.Replay(c.strict), Redact: gateway.NewRedactor("hunter-2-hunter")})
			a := open(t, g, gateway.Turn{Dir: dir, Home: "/home/other"})
			got := converse(t, g, a, dir, c.task, c.output)
			if c.misses >= 0 {
				if len(got) != c.misses+1 || !strings.Contains(got[c.misses], "not on the tape") {
					t.Errorf("told %q, want a miss at %d", got, c.misses)
				}
				return
			}
			if strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("told %q, want %q", got, want)
			}
			if drift := played.Drift(); len(drift) != c.drift || (c.drift > 0 && !strings.Contains(drift[0], "FAIL")) {
				t.Errorf("drift = %q, want %d", drift, c.drift)
			}
			// The same request once more is a retry.
			c2 := newClient(g, a, c.task+" in "+dir+"\n"+prompt)
			if again := c2.ask(t); calls(again, dir) != want[0] {
				t.Errorf("a retry is told %s %s", calls(again, dir), again.body)
			}
		})
	}
}

func TestTapeIsReadCarefully(t *testing.T) {
	t.Parallel()
	for name, data := range map[string][]byte{"empty": nil, "not packed": []byte("{}\n")} {
		if _, err := gateway.ReadTape(bytes.NewReader(data)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	tape, _ := record(t)
	if _, err := gateway.ReadTape(bytes.NewReader(tape[:len(tape)/2])); err == nil {
		t.Error("half a tape: no error")
	}
}
