package spec_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/spec"
)

var update = flag.Bool("update", false, "rewrite golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs:\n%s", name, got)
	}
}

const korean = "# 인증\n## Purpose\n토큰을 검증하고 사용자 정보를 돌려준다.\n## Exports\n- `f(a: string): b`\n## Dependencies\n- external: zod@3\n- internal:\n  - `core/CLAUDE.md`: A\n"

var notes = spec.Notes{
	Algorithm: []string{"split the token", "check ``` the | signature\n## not a heading"},
	Constants: []spec.NoteConstant{{Name: "TOKEN_EXPIRY_DAYS", Value: "7", Rationale: "PCI-DSS", Affects: "a|b"}},
	Errors:    []spec.NoteError{{Error: "TokenExpiredError", Retry: "no", Recovery: "log in", LogLevel: "warn"}},
	State:     spec.NoteState{Initial: "empty cache", Cleanup: "close()"},
	Guide:     []spec.NoteGuide{{Date: "2026-11-20", Change: "first build", Reason: "new module"}},
}

func TestUpdateImplements(t *testing.T) {
	t.Parallel()
	d := parse(t, korean)
	plain, _ := spec.Parse("m/CLAUDE.md", []byte("# m\n## Purpose\nIn English only.\n## Exports\nNone\n"))
	tests := map[string][]byte{
		"default-ko":  spec.DefaultImplements(d),
		"default-en":  spec.DefaultImplements(plain),
		"no-banner":   []byte("# x\n\n## Implementation Approach\n\nplain\n\n## Error Handling\n\nold\n\n## Mine\nkeep <b>this</b>  \n\n## Algorithm\nold\n"),
		"placeholder": []byte("# x\n<!-- PLANNING SECTION -->\n## Technology Choices\nNone\n<!-- IMPLEMENTATION SECTION -->\n## Key Constants\n(To be filled by /compile)\n## State Management\n(To be filled by /compile)\n## Implementation Guide\n- 2025-01-01: before (old)\n"),
		"reversed":    []byte("# x\n\n<!-- IMPLEMENTATION SECTION -->\n\n## Algorithm\n\nold\n\n<!-- PLANNING SECTION -->\n\n## Implementation Approach\n\n```\n## Algorithm\n```\n"),
		"empty":       nil,
		"unended":     []byte("# x\n\n## Algorithm"),
		"crlf":        []byte("\uFEFF# x\r\n\r\n## Algorithm\r\n\r\nold\r\n\r\n## Other\r\ntext"),
	}
	for name, src := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := spec.UpdateImplements(src, notes)
			golden(t, name+".md", out)
			if again := spec.UpdateImplements(out, notes); !bytes.Equal(again, out) {
				t.Errorf("a second update changed the file:\n%s", again)
			}
			if src != nil && spec.PlanningHash(out) != spec.PlanningHash(src) {
				t.Error("the update changed the plan")
			}
			m, ps := spec.ParseImplements("m/IMPLEMENTS.md", out)
			if len(m.Implementation) != 5 || len(ps) != 0 {
				t.Errorf("implementation sections %v, problems %v", m.Implementation, ps)
			}
			if name == "crlf" && bytes.Contains(bytes.ReplaceAll(out, []byte("\r\n"), nil), []byte("\n")) {
				t.Error("a bare line feed in a file with CRLF")
			}
		})
	}
}

func TestUpdateWithoutNotesKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	src := []byte("# x\n<!-- IMPLEMENTATION SECTION -->\n## Algorithm\n\nby hand\n\n## Error Handling\n\nNone\n\n## State Management\n\nNone\n")
	if out := spec.UpdateImplements(src, spec.Notes{}); !bytes.Equal(out, src) {
		t.Errorf("UpdateImplements without notes =\n%s", out)
	}
	out := spec.UpdateImplements([]byte("# x\n"), spec.Notes{})
	if !strings.Contains(string(out), "## Error Handling\n\nNone\n\n## State Management\n\nNone\n") || strings.Contains(string(out), "Algorithm") {
		t.Errorf("required sections only, got\n%s", out)
	}
}

func TestPlanningHash(t *testing.T) {
	t.Parallel()
	src := string(spec.DefaultImplements(parse(t, korean)))
	base := spec.PlanningHash([]byte(src))
	for name, now := range map[string]string{
		"layout":  strings.ReplaceAll(src, "\n\n", "\n\n\n"),
		"comment": strings.Replace(src, "## Tech", "<!-- note -->\n## Tech", 1),
		"impl":    src + "\n## Algorithm\n\n1. other\n",
		"crlf":    strings.ReplaceAll(src, "\n", "\r\n"),
	} {
		if spec.PlanningHash([]byte(now)) != base {
			t.Errorf("%s changed the hash of the plan", name)
		}
	}
	if spec.PlanningHash([]byte(strings.Replace(src, "그대로", "다르게", 1))) == base {
		t.Error("another approach left the hash of the plan alone")
	}
	if spec.PlanningHash(nil) != "" {
		t.Error("no plan must have no hash")
	}
}

func TestIntegrationMap(t *testing.T) {
	t.Parallel()
	src := "## Module Integration Map\n\n### `../auth` → auth/CLAUDE.md\n\n#### Exports Used\n- `validateToken(token: string): Promise<Claims>` — checks\n- `Claims`\n\n#### Integration Context\nOnce a request.\n\n### nonsense\n"
	m, ps := spec.ParseImplements("x/IMPLEMENTS.md", []byte(src))
	if len(m.Integration) != 1 || len(ps) != 1 || ps[0].Line != 12 {
		t.Fatalf("integration %+v problems %v", m.Integration, ps)
	}
	e := m.Integration[0]
	equal(t, "entry", []string{e.RelativePath, e.Ref, e.Exports[0].Text, e.Roles[0], e.Roles[1], e.Context},
		[]string{"../auth", "auth/CLAUDE.md", "validateToken(token: string): Promise<Claims>", "checks", "", "Once a request."})
}

func FuzzImplements(f *testing.F) {
	f.Add([]byte("# x\n<!-- IMPLEMENTATION SECTION -->\n## Algorithm\nold\n"), "step", "a|b")
	f.Add([]byte("\xef\xbb\xbf## Error Handling\r\n\xff\n```"), "<!-- PLANNING SECTION -->", "## x")
	f.Add([]byte("Algorithm\n---\nx\n<!--"), "```", "~~~\n")
	f.Fuzz(func(t *testing.T, src []byte, a, b string) {
		n := spec.Notes{
			Algorithm: []string{a, b}, Constants: []spec.NoteConstant{{Name: a, Value: b}},
			Errors: []spec.NoteError{{Error: b, Retry: a}}, State: spec.NoteState{Initial: a, Persistence: b},
			Guide: []spec.NoteGuide{{Date: "2026-01-01", Change: a, Reason: b}},
		}
		once := spec.UpdateImplements(src, n)
		if twice := spec.UpdateImplements(once, n); !bytes.Equal(once, twice) {
			t.Errorf("not idempotent:\n%q\n%q", once, twice)
		}
		spec.ParseImplements("x", once)
		spec.PlanningHash(once)
	})
}

func TestSpecJSON(t *testing.T) {
	t.Parallel()
	golden(t, "full.json", parse(t, full).JSON())
	if got := string(parse(t, "").JSON()); !strings.Contains(got, `"behaviors": [],`) || strings.Contains(got, "protocol") {
		t.Errorf("JSON of an empty document = %s", got)
	}
}
