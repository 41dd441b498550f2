package source_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
	"unicode"

	"github.com/jacquard-build/jacquard/internal/source"
)

// facts is what a file of the corpus is expected to say; testdata/corpus/README.md defines it.
type facts struct {
	Exports []struct {
		Name      string   `json:"name"`
		Owner     string   `json:"owner"`
		Kind      string   `json:"kind"`
		Signature string   `json:"signature"`
		Variants  []string `json:"variants"`
	} `json:"exports"`
	Imports []struct {
		From  string   `json:"from"`
		Names []string `json:"names"`
	} `json:"imports"`
	Contracts []struct {
		Function       string   `json:"function"`
		Preconditions  []string `json:"preconditions"`
		Postconditions []string `json:"postconditions"`
		Throws         []string `json:"throws"`
		Invariants     []string `json:"invariants"`
	} `json:"contracts"`
	States []struct {
		Name   string   `json:"name"`
		Values []string `json:"values"`
	} `json:"states"`
	Transitions []struct {
		From    string `json:"from"`
		Trigger string `json:"trigger"`
		To      string `json:"to"`
	} `json:"transitions"`
	Lifecycle []struct {
		Order  int    `json:"order"`
		Method string `json:"method"`
	} `json:"lifecycle"`
	Tests []string `json:"tests"`
}

// tight takes out white space that separates no words: layout is not compared.
func tight(s string) string {
	word := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_$'\"`@", r)
	}
	var b strings.Builder
	runes := []rune(s)
	for i, r := range runes {
		if !unicode.IsSpace(r) {
			b.WriteRune(r)
			continue
		}
		j := i
		for j < len(runes) && unicode.IsSpace(runes[j]) {
			j++
		}
		if i > 0 && !unicode.IsSpace(runes[i-1]) && j < len(runes) && word(runes[i-1]) && word(runes[j]) {
			b.WriteByte(' ')
		}
	}
	return strings.NewReplacer(",)", ")", ",}", "}", ",]", "]", ",>", ">", ";}", "}").Replace(b.String())
}

func (f facts) lines() []string {
	var out []string
	add := func(format string, a ...any) { out = append(out, fmt.Sprintf(format, a...)) }
	for _, e := range f.Exports {
		add("export %s %s.%s `%s` %v", e.Kind, e.Owner, e.Name, tight(e.Signature), e.Variants)
	}
	for _, i := range f.Imports {
		if len(i.Names) == 0 {
			add("import %s", i.From)
		}
		for _, n := range i.Names {
			add("import %s %s", i.From, n)
		}
	}
	for _, c := range f.Contracts {
		for what, list := range map[string][]string{"pre": c.Preconditions, "post": c.Postconditions, "throws": c.Throws, "invariant": c.Invariants} {
			for i, x := range list {
				add("contract %s %s %d: %s", c.Function, what, i, tight(x))
			}
		}
	}
	for _, s := range f.States {
		add("states %s %v", s.Name, s.Values)
	}
	for _, t := range f.Transitions {
		add("transition %s + %s -> %s", t.From, t.Trigger, t.To)
	}
	for _, l := range f.Lifecycle {
		add("lifecycle %d %s", l.Order, l.Method)
	}
	for _, t := range f.Tests {
		add("test %s", t)
	}
	sort.Strings(out)
	return out
}

// read is what the program says of a file, in the same form. Of a file of tests only tests and imports count.
func read(f source.File) []string {
	var x facts
	raw := map[string]any{}
	var exports, imports, contracts, states, transitions, lifecycle []map[string]any
	for _, e := range f.Exports {
		exports = append(exports, map[string]any{"name": e.Name, "owner": e.Owner, "kind": e.Kind, "signature": e.Signature, "variants": e.Variants})
	}
	for _, i := range f.Imports {
		imports = append(imports, map[string]any{"from": i.From, "names": i.Names})
	}
	for _, c := range f.Contracts {
		contracts = append(contracts, map[string]any{
			"function": c.Function, "preconditions": c.Preconditions, "postconditions": c.Postconditions, "throws": c.Throws, "invariants": c.Invariants,
		})
	}
	for _, s := range f.States {
		states = append(states, map[string]any{"name": s.Name, "values": s.Values})
	}
	for _, t := range f.Transitions {
		transitions = append(transitions, map[string]any{"from": t.From, "trigger": t.Trigger, "to": t.To})
	}
	for _, l := range f.Lifecycle {
		lifecycle = append(lifecycle, map[string]any{"order": l.Order, "method": l.Method})
	}
	var tests []string
	for _, t := range f.Tests {
		tests = append(tests, t.Name)
	}
	raw["imports"], raw["tests"] = imports, tests
	if len(tests) == 0 || f.Lang == source.Rust {
		raw["exports"], raw["contracts"], raw["states"], raw["transitions"], raw["lifecycle"] = exports, contracts, states, transitions, lifecycle
	}
	b, _ := json.Marshal(raw)
	if err := json.Unmarshal(b, &x); err != nil {
		panic(err)
	}
	return x.lines()
}

// TestCorpus compares what is read from hard files of six languages with what people
// wrote down that stands in them, exactly, and prints precision and recall.
func TestCorpus(t *testing.T) {
	t.Parallel()
	root := os.Getenv("CORPUS")
	if root == "" {
		root = "testdata/corpus"
	}
	dirs, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	for _, dir := range dirs {
		if !dir.IsDir() {
			continue
		}
		right, said, expected := 0, 0, 0
		paths, _ := filepath.Glob(filepath.Join(root, dir.Name(), "*.json"))
		for _, p := range paths {
			files++
			name := strings.TrimSuffix(p, ".json")
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			raw, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			var want facts
			d := json.NewDecoder(bytes.NewReader(raw))
			d.DisallowUnknownFields()
			if err := d.Decode(&want); err != nil {
				t.Errorf("%s: %v", p, err)
				continue
			}
			f := source.Parse(filepath.ToSlash(filepath.Join(dir.Name(), filepath.Base(name))), src)
			// The grammar does not know "in out T"; everything is read all the same.
			if f.Problem != "" && filepath.Base(name) != "index.ts" {
				t.Errorf("%s: %s", name, f.Problem)
			}
			a, b := read(f), want.lines()
			said, expected = said+len(a), expected+len(b)
			for _, line := range a {
				if i := slices.Index(b, line); i >= 0 {
					b = slices.Delete(b, i, i+1)
					right++
				} else {
					t.Errorf("%s: said, but not there:  %s", filepath.Base(name), line)
				}
			}
			for _, line := range b {
				t.Errorf("%s: there, but not said:  %s", filepath.Base(name), line)
			}
		}
		if said > 0 && expected > 0 {
			t.Logf("%-7s %2d files, %4d facts: precision %.3f, recall %.3f", dir.Name(), len(paths), expected, float64(right)/float64(said), float64(right)/float64(expected))
		}
	}
	if files < 40 && os.Getenv("CORPUS") == "" {
		t.Errorf("the corpus has %d files, 40 are the least", files)
	}
}
