package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/tools/txtar"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/spec"
	"github.com/jacquard-build/jacquard/internal/step"
)

// code runs a program that has to end with an exit code: code N PROGRAM ARGS.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N PROGRAM ARGS")
	}
	have := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		have = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(have) != args[0] {
		ts.Fatalf("%s ended with code %d, want %s", args[1], have, args[0])
	}
}

// play packs a scenario: play OUT.txtar SCRIPT. The script's files are taken
// from beside it. A file that ends in .claims becomes the answer of a tests'
// author; it says in words which tests are for which items of a spec, so that
// stories do not have to spell ids that are hashes:
//
//	tax/CLAUDE.md tax/tax_test.go
//	* => TestRate
//	unknown kind => TestRateUnknown
//
// The first line names the spec and the test file. A line is for the items
// whose id or text holds its left side; the last one that fits counts. A line
// with =? instead says how the author reads such an item, one with =! what a
// held-out call gives.
func play(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: play OUT SCRIPT")
	}
	in := ts.MkAbs(args[1])
	raw, err := os.ReadFile(in)
	ts.Check(err)
	raw = bytes.ReplaceAll(raw, []byte("$WORK"), []byte(ts.Getenv("WORK"))) // an agent's commands do not know it
	a := &txtar.Archive{Comment: raw}
	seen := map[string]bool{}
	for line := range strings.Lines(string(raw)) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] != "write" && words[0] != "append" && words[0] != "answer" {
			continue
		}
		name := strings.Trim(words[len(words)-1], `"`)
		if seen[name] {
			continue
		}
		seen[name] = true
		data, err := os.ReadFile(filepath.Join(filepath.Dir(in), name))
		ts.Check(err)
		if strings.HasSuffix(name, ".claims") {
			data = packClaims(ts, string(data))
		}
		a.Files = append(a.Files, txtar.File{Name: name, Data: data})
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), txtar.Format(a), 0o644))
}

func packClaims(ts *testscript.TestScript, text string) []byte {
	head, rest, _ := strings.Cut(text, "\n")
	specFile, testFile, ok := strings.Cut(strings.TrimSpace(head), " ")
	if !ok {
		ts.Fatalf("claims: want SPEC TESTFILE, have %q", head)
	}
	raw, err := os.ReadFile(ts.MkAbs(specFile))
	ts.Check(err)
	doc, problems := spec.Parse(specFile, raw)
	for _, p := range problems {
		ts.Logf("%s", p)
	}
	type claim struct {
		Item  string   `json:"item"`
		Tests []string `json:"tests"`
	}
	answer := struct {
		Tests   []claim        `json:"tests"`
		HeldOut []step.HeldOut `json:"held_out,omitempty"`
		Unclear []step.Unclear `json:"unclear,omitempty"`
	}{Tests: []claim{}}
	for line := range strings.Lines(rest) {
		if call, gives, ok := strings.Cut(strings.TrimSpace(line), " =! "); ok {
			answer.HeldOut = append(answer.HeldOut, step.HeldOut{Call: call, Gives: gives})
		}
	}
	used := map[string]bool{}
	for _, it := range spec.Items(doc) {
		c := claim{Item: it.ID}
		for line := range strings.Lines(rest) {
			key, reading, ok := strings.Cut(strings.TrimSpace(line), " =? ")
			if ok && strings.Contains(it.ID+" "+it.Text, key) {
				answer.Unclear = append(answer.Unclear, step.Unclear{Item: it.ID, Question: "Is that so?", Reading: reading})
				continue
			}
			key, tests, ok := strings.Cut(strings.TrimSpace(line), " => ")
			if !ok || key != "*" && !strings.Contains(it.ID+" "+it.Text, key) {
				continue
			}
			used[key], c.Tests = true, nil
			for t := range strings.SplitSeq(tests, " | ") {
				c.Tests = append(c.Tests, testFile+"::"+strings.TrimSpace(t))
			}
		}
		if c.Tests != nil {
			answer.Tests = append(answer.Tests, c)
		}
	}
	for line := range strings.Lines(rest) {
		if key, _, ok := strings.Cut(strings.TrimSpace(line), " => "); ok && !used[key] {
			ts.Fatalf("claims: no item of %s holds %q", specFile, key)
		}
	}
	out, err := json.Marshal(answer)
	ts.Check(err)
	return append(out, '\n')
}

// TestExpressionsCompile finds the expressions that are wrong before a user does: they
// are compiled when they are first used.
func TestExpressionsCompile(t *testing.T) {
	t.Parallel()
	if n := re.CompileAll(); n < 50 {
		t.Errorf("%d expressions, want all of the program", n)
	}
}
