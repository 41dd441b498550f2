package inspect_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/inspect"
)

// shelf keeps readings in memory, and counts.
type shelf struct {
	entries         map[string][]byte
	got, put, cried int
}

func (s *shelf) kept(stamp string) inspect.Kept {
	s.got, s.put, s.cried = 0, 0, 0
	return inspect.Kept{
		Stamp: stamp,
		Get: func(key string) []byte {
			b := s.entries[key]
			if b != nil {
				s.got++
			}
			return slices.Clone(b)
		},
		Put:     func(key string, b []byte) { s.entries[key], s.put = b, s.put+1 },
		Damaged: func() { s.cried++ },
	}
}

// everything is all that is said of the code of a project.
func everything(t *testing.T, files map[string][]byte, k *inspect.Kept) string {
	t.Helper()
	x := inspect.New("/project", slices.Collect(maps.Keys(files)), func(f string) []byte { return files[f] })
	if k != nil {
		x.Keep(*k)
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetIndent("", " ")
	say := func(v any) {
		if err := e.Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"go", "java", "kotlin", "python", "rust", "ts"} {
		say(x.ExportsText(dir))
		say(x.Analyze(dir, nil))
	}
	say(x.Validate(""))
	say(x.GraphWithImports())
	for _, d := range x.Decompile("") {
		say(d)
	}
	return out.String()
}

// TestKeptReadings says the same of all languages with readings that are kept as without, and reads only what changed.
// It takes longer than ten seconds: each language is read with and without what is kept.
func TestKeptReadings(t *testing.T) {
	t.Parallel()
	files, read := map[string][]byte{"go.mod": []byte("module example.com/corpus\n\ngo 1.24\n")}, 0
	corpus := filepath.Join("..", "source", "testdata", "corpus")
	for _, dir := range []string{"go", "java", "kotlin", "python", "rust", "ts"} {
		list, err := os.ReadDir(filepath.Join(corpus, dir))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range list {
			if b, err := os.ReadFile(filepath.Join(corpus, dir, f.Name())); err != nil {
				t.Fatal(err)
			} else if path.Ext(f.Name()) != ".json" {
				files[path.Join(dir, f.Name())] = b
				read++
			}
		}
		files[path.Join(dir, "CLAUDE.md")] = []byte(spec1("- `Order(id: string): Money`\n- `Money`", "None", ""))
	}
	// what a name stands for is read out of the tokens, which are not kept
	files["alias/CLAUDE.md"] = []byte(spec1("- `greet(id: string): string`\n- `UserId`", "None", ""))
	files["alias/greet.ts"] = []byte("export type UserId = string;\n\nexport function greet(id: UserId): string {\n  return id;\n}\n")
	read += 2 // and the types that the package of Go infers
	without := everything(t, files, nil)
	if len(without) < 100_000 || read < 40 {
		t.Fatalf("%d files give %d bytes: too few to compare", read, len(without))
	}
	s := &shelf{entries: map[string][]byte{}}
	same := func(what, stamp, want string, put, cried int) {
		t.Helper()
		k := s.kept(stamp)
		if got := everything(t, files, &k); got != want {
			a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
			i := 0
			for i < len(a) && i < len(b) && a[i] == b[i] {
				i++
			}
			t.Errorf("%s: line %d is\n%s\nnot\n%s", what, i, strings.Join(b[max(i-5, 0):min(i+5, len(b))], "\n"), strings.Join(a[max(i-5, 0):min(i+5, len(a))], "\n"))
		}
		if s.put != put || s.cried != cried {
			t.Errorf("%s: %d were read, %d damaged; want %d, %d", what, s.put, s.cried, put, cried)
		}
	}
	same("the first time", "a", without, read, 0)
	same("the second time", "a", without, 0, 0)
	if s.got < read {
		t.Errorf("only %d readings were used of %d", s.got, read)
	}

	names := slices.Sorted(maps.Keys(s.entries))
	for i, key := range names { // one bit, at a place that is another one in each
		b := s.entries[key]
		b[i*len(b)/len(names)] ^= 0x10
	}
	same("damaged", "a", without, read, read)
	for i, key := range names {
		s.entries[key] = s.entries[key][:i*len(s.entries[key])/len(names)]
	}
	same("cut", "a", without, read, read)
	same("mended", "a", without, 0, 0)

	file := "python/api.py"
	files[file] = append(files[file], "\n\ndef new_at_the_end(x: int) -> int:\n    return x\n"...)
	same("changed", "a", everything(t, files, nil), 1, 0)
	files["ts/__tests__/api.py"] = files[file] // the place is a part of what a file is
	same("a copy elsewhere", "a", everything(t, files, nil), 1, 0)
	same("another program", "b", everything(t, files, nil), read+1, 0)
}
