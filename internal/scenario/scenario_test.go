package scenario_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/jacquard-build/jacquard/internal/scenario"
)

func TestMarkerIsFoundAgain(t *testing.T) {
	t.Parallel()
	if got, want := scenario.Marker("red", "src/auth", 1), `<turn role="red" module="src/auth" attempt="1"/>`; got != want {
		t.Errorf("Marker = %s, want %s", got, want)
	}
	for _, m := range []scenario.Mark{
		{Role: "red", Module: "src/auth", Attempt: 1},
		{Role: "green", Module: "", Attempt: 12},
		{Role: `a"b<c>&'`, Module: "line\nbreak\ttab\r", Attempt: 3},
		{Role: "한국어", Module: "src/인증", Attempt: 2},
	} {
		text := "first\n  " + m.String() + "  \r\nlast " + scenario.Marker("not", "on its own line", 9)
		if got, ok := scenario.FindMarker(text); !ok || got != m {
			t.Errorf("FindMarker(%q) = %+v, %v, want %+v", text, got, ok, m)
		}
	}
	for _, text := range []string{"", "no", "x " + scenario.Marker("a", "b", 1), scenario.Marker("a", "b", 1) + " x", `<turn role="a" module="b"/>`, `<turn role="&bad;" module="b" attempt="1"/>`} {
		if got, ok := scenario.FindMarker(text); ok {
			t.Errorf("FindMarker(%q) = %+v, want nothing", text, got)
		}
	}
}

func FuzzMarker(f *testing.F) {
	f.Add("red", "src/auth", 1)
	f.Add("\"<>&'\n\r\t", "", 0)
	f.Fuzz(func(t *testing.T, role, module string, attempt int) {
		clean := func(s string) bool { return utf8.ValidString(s) && !strings.ContainsFunc(s, notXML) }
		line := scenario.Marker(role, module, attempt)
		if strings.ContainsAny(line, "\n\r") {
			t.Fatalf("Marker(%q, %q) has a line break", role, module)
		}
		if attempt < 0 || attempt > 999_999_999 || !clean(role) || !clean(module) {
			return
		}
		got, ok := scenario.FindMarker("x\n" + line + "\ny")
		if want := (scenario.Mark{Role: role, Module: module, Attempt: attempt}); !ok || got != want {
			t.Fatalf("FindMarker(%q) = %+v, %v, want %+v", line, got, ok, want)
		}
	})
}

// notXML reports characters that XML has no form for; they are replaced.
func notXML(r rune) bool {
	return (r < 0x20 && r != '\t' && r != '\n' && r != '\r') || r == 0xFFFE || r == 0xFFFF || r == utf8.RuneError
}

func TestParseReportsEveryProblem(t *testing.T) {
	t.Parallel()
	const text = `say too early
turn red a
turn red a 0
turn red a 1
  dance
  write only-one
  write a.txt missing
  answer list
  edit a.txt "" new
  edit a.txt "open
  sleep soon
  status 99
  status 429 color=red
  status 429 reset=tomorrow
  cut times=0
  limit never
  flood 99999999999
  exit 256
  say
  usage 1 x
turn red a 1
# a comment
-- list --
[1]
-- unused --
x
`
	want := []string{
		`line 1: "say" stands before the first turn`,
		`line 2: want: turn ROLE MODULE ATTEMPT`,
		`line 3: attempt "0" is neither a number from 1 nor *`,
		`line 5: unknown step "dance"`,
		`line 6: want: write PATH FILE`,
		`line 7: the archive has no file "missing"`,
		`line 8: list is not a JSON object`,
		`line 9: the text to replace is empty`,
		`line 10: a quoted word does not end: "open`,
		`line 11: "soon" is not a duration`,
		`line 12: "99" is not a number from 300 to 599`,
		`line 13: status has no option "color"`,
		`line 14: "tomorrow" is neither a time (RFC 3339) nor a duration`,
		`line 15: "0" is not a number from 1 to 1000`,
		`line 16: "never" is neither a time (RFC 3339) nor a duration`,
		`line 17: "99999999999" is not a number from 0 to 67108864`,
		`line 18: "256" is not a number from 0 to 255`,
		`line 19: want: say TEXT`,
		`line 20: "x" is not a number from 0 to 1073741824`,
		`line 21: "turn red a 1" is already there at line 4`,
		`line 25: file "unused" is not used by any step`,
	}
	for _, input := range []string{text, strings.ReplaceAll(text, "\n", "\r\n")} {
		_, problems := scenario.Parse([]byte(input))
		var got []string
		for _, p := range problems {
			got = append(got, p.String())
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("Parse reports\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func TestFirstTurnThatMatchesIsPlayed(t *testing.T) {
	t.Parallel()
	s := parse(t, "turn red a 2\n say second\nturn red a *\n say any\nturn * b *\n say ${ROLE} ${MODULE} ${ATTEMPT} ${DIR} ${OTHER}\nturn red * 1\n say late\n")
	for mark, want := range map[scenario.Mark]string{
		{Role: "red", Module: "a", Attempt: 2}:   "second",
		{Role: "red", Module: "a", Attempt: 1}:   "any",
		{Role: "green", Module: "b", Attempt: 7}: "green b 7 /w ${OTHER}",
		{Role: "red", Module: "c", Attempt: 1}:   "late",
	} {
		steps, err := s.Steps(mark, "/w")
		if err != nil || len(steps) != 1 || steps[0].Text != want {
			t.Errorf("Steps(%v) = %+v, %v, want %q", mark, steps, err, want)
		}
	}
	_, err := s.Steps(scenario.Mark{Role: "green", Module: "c", Attempt: 1}, "/w")
	if err == nil || !strings.Contains(err.Error(), `role "green", module "c", attempt 1`) || !strings.Contains(err.Error(), "turn red a 2") {
		t.Errorf("an unknown turn gives %v, want its name and the known ones", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("turn a b 1\n write x \"f g\"\n edit a \"b\\n\" c=\"d e\"\n status 429 retry-after=1 message=\"x y\"\n-- f g --\nx\n")
	f.Add("turn * * *\n answer a\n-- a --\n{\"x\":\"${DIR}\"}\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, problems := scenario.Parse([]byte(text))
		last := 0
		for _, p := range problems {
			if p.Line < last || p.Line < 1 || p.Line > strings.Count(text, "\n")+1 {
				t.Fatalf("problem %v is out of order or outside the text", p)
			}
			last = p.Line
		}
		// A scenario with problems must not break its reader either.
		steps, err := s.Steps(scenario.Mark{Role: "a", Module: "b", Attempt: 1}, "/dir")
		if err != nil {
			return
		}
		for _, step := range steps {
			if len(problems) == 0 && step.Verb == scenario.Answer && !json.Valid(step.Data) {
				t.Fatalf("the answer %q is not JSON", step.Data)
			}
		}
	})
}

func parse(t *testing.T, text string) scenario.Scenario {
	t.Helper()
	s, problems := scenario.Parse([]byte(text))
	if len(problems) > 0 {
		t.Fatalf("Parse = %v", problems)
	}
	return s
}

// played is what a scripted turn printed.
type played struct {
	code  int
	raw   string
	lines []map[string]any
}

func (p played) last() map[string]any { return p.lines[len(p.lines)-1] }

func play(ctx context.Context, t *testing.T, text, dir string) played {
	t.Helper()
	var out bytes.Buffer
	now := func() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }
	p := played{code: scenario.Play(ctx, parse(t, text), scenario.Stage{
		Prompt: strings.NewReader("task\n" + scenario.Marker("red", "m", 1) + "\n"), Dir: dir, Out: &out, Now: now,
		Shell: func(_ context.Context, dir, line string) ([]byte, int, error) {
			if line == "broken" {
				return nil, 0, errors.New("no shell")
			}
			return fmt.Appendf(nil, "ran %q in %s", line, filepath.Base(dir)), len(line) % 2, nil
		},
	})}
	p.raw = out.String()
	for line := range strings.Lines(p.raw) {
		var v map[string]any
		if json.Unmarshal([]byte(line), &v) == nil {
			p.lines = append(p.lines, v)
		}
	}
	return p
}

func TestPlayWritesFilesAndAnswers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := play(t.Context(), t, `turn red m 1
  write a/b.txt f
  append a/b.txt f
  edit a/b.txt "two" "three"
  edit a/b.txt two four
  write ${DIR}/gone f
  delete gone
  delete nothing
  run even
  run odd
  run broken
  usage 10 5
  usage 1 1
  say said
  answer ans
  write never f
-- f --
one two ${ROLE}
-- ans --
{ "big": 12345678901234567890, "role": "${ROLE}" }
`, dir)
	if p.code != 0 {
		t.Errorf("exit code = %d, want 0", p.code)
	}
	data, err := os.ReadFile(filepath.Join(dir, "a", "b.txt"))
	// The first edit fails: its text is there twice.
	if err != nil || string(data) != "one two red\none two red\n" {
		t.Errorf("a/b.txt = %q, %v", data, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("files = %v, %v, want a only", entries, err)
	}
	var ends []string
	for _, l := range p.lines {
		if l["type"] == "tool_end" {
			ends = append(ends, fmt.Sprint(l["tool"], " ", l["failed"] == true, " ", l["output"]))
		}
	}
	want := []string{
		"write false <nil>", "append false <nil>",
		"edit true edit a/b.txt: the text to replace is there 2 times", "edit true edit a/b.txt: the text to replace is there 2 times",
		"write false <nil>", "delete false <nil>",
	}
	if len(ends) != 10 || strings.Join(ends[:6], "\n") != strings.Join(want, "\n") {
		t.Errorf("ends = %q, want %q and four more", ends, want)
	}
	if !strings.HasPrefix(ends[6], "delete true ") || !strings.HasPrefix(ends[7], `run false ran "even" in`) || !strings.HasSuffix(ends[8], "exit code 1") || !strings.HasSuffix(ends[9], "no shell") {
		t.Errorf("ends = %q", ends[6:])
	}
	end := p.last()
	if end["type"] != "ended" || end["class"] != "ok" || end["text"] != "said" || fmt.Sprint(end["usage"]) != "map[input_tokens:11 output_tokens:6]" {
		t.Errorf("end = %v", end)
	}
	if !strings.Contains(p.raw, `"answer":{"big":12345678901234567890,"role":"red"}`) {
		t.Errorf("the answer is not as written: %s", p.raw)
	}
}

func TestPlayEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		script  string
		code    int
		class   string // "" = no end event
		retries int
	}{
		{"say x", 0, "ok", 0},
		{"end\n say never", 0, "ok", 0},
		{"status 429 times=2\n say x", 0, "ok", 2},
		{"status 429 times=3\n say x", 0, "ok", 3},
		{"status 429 times=4\n say x", 1, "limit", 3},
		{"status 500 times=forever", 1, "transient", 3},
		{"status 401 times=forever", 1, "auth", 3},
		{"status 404 times=forever", 1, "environment", 3},
		{"cut\n say x", 0, "ok", 1},
		{"refuse", 1, "refusal", 0},
		{"crash", 2, "", 0},
		{"exit 7", 7, "", 0},
	} {
		t.Run(c.script, func(t *testing.T) {
			t.Parallel()
			p := play(t.Context(), t, "turn * * *\n "+c.script, t.TempDir())
			class, _ := p.last()["class"].(string)
			if p.code != c.code || class != c.class {
				t.Errorf("code, class = %d, %q, want %d, %q", p.code, class, c.code, c.class)
			}
			if got := strings.Count(p.raw, `"type":"retry"`); got != c.retries {
				t.Errorf("%d retries, want %d", got, c.retries)
			}
			if c.script == "crash" && strings.HasSuffix(p.raw, "\n") {
				t.Error("a crash ends in the middle of a line")
			}
		})
	}
	if p := play(t.Context(), t, "turn * * *\n limit 2h", t.TempDir()); p.last()["resets_at"] != "2026-11-20T14:00:00Z" {
		t.Errorf("a limit of 2 hours ends at %v", p.last()["resets_at"])
	}
	if p := play(t.Context(), t, "turn * * *\n flood 100000\n garbage\n say x", t.TempDir()); len(p.raw) < 100_000 || p.code != 0 || len(p.lines) != 4 {
		t.Errorf("flood and garbage: %d bytes, %d readable lines, code %d", len(p.raw), len(p.lines), p.code)
	}
	if p := play(t.Context(), t, "turn green * *\n say x", t.TempDir()); p.last()["class"] != "environment" || p.code == 0 {
		t.Errorf("an unknown turn ends with %v", p.last())
	}
}

func TestPlayStopsWhenItIsTold(t *testing.T) {
	t.Parallel()
	for _, script := range []string{"hang", "sleep 1h"} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			p := play(ctx, t, "turn * * *\n "+script+"\n say never", t.TempDir())
			if p.code == 0 || strings.Contains(p.raw, "never") {
				t.Errorf("code %d: %s", p.code, p.raw)
			}
		})
	}
}
