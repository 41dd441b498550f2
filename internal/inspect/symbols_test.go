package inspect_test

import (
	"crypto/sha1" //nolint:gosec // git's name for contents
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/inspect"
)

var then = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// contentIDs are the ids that git gives the files.
func contentIDs(files map[string]string) map[string]string {
	ids := map[string]string{}
	for f, text := range files {
		ids[f] = fmt.Sprintf("%x", sha1.Sum([]byte(fmt.Sprintf("blob %d\x00%s", len(text), text)))) //nolint:gosec // see above
	}
	return ids
}

// update brings an index up to the files and returns which of them were read.
func update(s *inspect.Symbols, files map[string]string, at time.Time) (changed bool, read []string) {
	changed = s.Update(contentIDs(files), func(f string) []byte {
		read = append(read, f)
		return []byte(files[f])
	}, at)
	slices.Sort(read)
	return changed, read
}

func indexJSON(t *testing.T, s *inspect.Symbols) string {
	t.Helper()
	b, err := json.MarshalIndent(s.Index("/p"), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func sample() map[string]string {
	return map[string]string{
		"CLAUDE.md":              spec1("- `Root(a: int): int`", "None", ""),
		"core/money/CLAUDE.md":   spec1("- `Parse(text: string): Money`\n- `Money { cents: number }`", "None", ""),
		"shop/CLAUDE.md":         "<!-- schema: 2.0 -->\n" + spec1("None", "- `core/money/CLAUDE.md#Parse` and ./x/CLAUDE.md#Y → shop/CLAUDE.md#Self\n- again core/money/CLAUDE.md#Parse → x", "## Dependencies\n\n- internal:\n  - `core/money/CLAUDE.md`: Parse, Lost\n  - `core/money/inner`: Money\n"),
		"node_modules/CLAUDE.md": spec1("- `Not(a: int): int`", "None", ""),
	}
}

func TestSymbolIndex(t *testing.T) {
	t.Parallel()
	s := &inspect.Symbols{}
	if changed, read := update(s, sample(), then); !changed || len(read) != 3 {
		t.Errorf("changed %v, read %q", changed, read)
	}
	want := `{
 "root": "/p",
 "indexed_at": "2026-11-20T12:00:00Z",
 "symbols": [
  {"name": "Root", "kind": "function", "module_path": "", "signature": "Root(a: int): int", "anchor": "CLAUDE.md#Root", "line": 9},
  {"name": "Parse", "kind": "function", "module_path": "core/money", "signature": "Parse(text: string): Money", "anchor": "core/money/CLAUDE.md#Parse", "line": 9},
  {"name": "Money", "kind": "type", "module_path": "core/money", "signature": "Money { cents: number }", "anchor": "core/money/CLAUDE.md#Money", "line": 10}
 ],
 "references": [
  {"from_module": "shop", "from_section": "Behavior", "to_anchor": "core/money/CLAUDE.md#Parse", "to_symbol": "Parse", "valid": true, "line": 14},
  {"from_module": "shop", "from_section": "Behavior", "to_anchor": "shop/x/CLAUDE.md#Y", "to_symbol": "Y", "valid": false, "line": 14},
  {"from_module": "shop", "from_section": "Dependencies", "to_anchor": "core/money/CLAUDE.md#Parse", "to_symbol": "Parse", "valid": true, "line": 20},
  {"from_module": "shop", "from_section": "Dependencies", "to_anchor": "core/money/CLAUDE.md#Lost", "to_symbol": "Lost", "valid": false, "line": 20},
  {"from_module": "shop", "from_section": "Dependencies", "to_anchor": "core/money/CLAUDE.md#Money", "to_symbol": "Money", "valid": true, "line": 21}
 ],
 "unresolved": [
  {"from_module": "shop", "from_section": "Behavior", "to_anchor": "shop/x/CLAUDE.md#Y", "to_symbol": "Y", "valid": false, "line": 14},
  {"from_module": "shop", "from_section": "Dependencies", "to_anchor": "core/money/CLAUDE.md#Lost", "to_symbol": "Lost", "valid": false, "line": 20}
 ],
 "summary": {"total_modules": 3, "total_symbols": 3, "total_references": 5, "unresolved_count": 2}
}`
	var a, b any
	if err := errors.Join(json.Unmarshal([]byte(indexJSON(t, s)), &a), json.Unmarshal([]byte(want), &b)); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("index\n%s\nwant\n%s", indexJSON(t, s), want)
	}
	if got := s.Find("Parse"); len(got) != 1 || got[0].Anchor != "core/money/CLAUDE.md#Parse" {
		t.Errorf("Find = %+v", got)
	}
	if got := s.Find("Nothing"); got == nil || len(got) != 0 {
		t.Errorf("Find of nothing = %#v, want an empty list", got)
	}
	for to, n := range map[string]int{"core/money/CLAUDE.md#Parse": 2, "Parse": 2, "Lost": 1, "shop/CLAUDE.md#Self": 0, "other/CLAUDE.md#Parse": 0} {
		if got := s.References(to); got == nil || len(got) != n {
			t.Errorf("References(%s) = %+v, want %d", to, got, n)
		}
	}
}

// TestKeptSymbols edits a project at random: an index that is kept and brought up to date is the one that is made anew,
// and it reads what changed and nothing else.
func TestKeptSymbols(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 6))
	files, kept := map[string]string{}, []byte(nil)
	for round := range 200 {
		var touched []string
		for range rng.IntN(4) {
			f := fmt.Sprintf("m%d/CLAUDE.md", rng.IntN(12))
			if rng.IntN(4) == 0 {
				delete(files, f)
				continue
			}
			text := spec1(fmt.Sprintf("- `F%d(a: int): int`", rng.IntN(5)), "None", fmt.Sprintf("## Dependencies\n\n- internal:\n  - `m%d/CLAUDE.md`: F%d\n", rng.IntN(12), rng.IntN(5)))
			if files[f] != text {
				touched = append(touched, f)
			}
			files[f] = text
		}
		slices.Sort(touched)
		touched = slices.DeleteFunc(slices.Compact(touched), func(f string) bool { return files[f] == "" })
		s, err := inspect.LoadSymbols(kept, "me")
		if err != nil {
			t.Fatal(err)
		}
		_, read := update(s, files, then)
		for _, f := range read {
			if !slices.Contains(touched, f) {
				t.Fatalf("round %d: read %q, changed was %q", round, read, touched)
			}
		}
		anew := &inspect.Symbols{}
		update(anew, files, then)
		if a, b := indexJSON(t, s), indexJSON(t, anew); a != b {
			t.Fatalf("round %d: kept\n%s\nanew\n%s", round, a, b)
		}
		kept = s.Bytes("me")
	}
	s, err := inspect.LoadSymbols(kept, "me")
	if err != nil {
		t.Fatal(err)
	}
	if changed, read := update(s, files, then.Add(time.Hour)); changed || len(read) > 0 || !strings.Contains(indexJSON(t, s), "12:00:00") {
		t.Errorf("nothing changed: %v, read %q", changed, read)
	}
	if s, err := inspect.LoadSymbols(kept, "another program"); err != nil || len(s.Index("").Symbols) != 0 {
		t.Errorf("an index of another program: %v, %+v", err, s)
	}
}

// TestContentsThatAreNotTheListed: a file that changes between the listing and the reading is not kept under the old id.
func TestContentsThatAreNotTheListed(t *testing.T) {
	t.Parallel()
	listed, now := sample(), sample()
	now["core/money/CLAUDE.md"] = spec1("- `Newer(a: int): int`", "None", "")
	s := &inspect.Symbols{}
	s.Update(contentIDs(listed), func(f string) []byte { return []byte(now[f]) }, then)
	if len(s.Find("Newer")) != 1 {
		t.Fatal("what was read is not in the index")
	}
	again, err := inspect.LoadSymbols(s.Bytes(""), "")
	if err != nil {
		t.Fatal(err)
	}
	if changed, read := update(again, listed, then); !changed || !slices.Equal(read, []string{"core/money/CLAUDE.md"}) || len(again.Find("Parse")) != 1 {
		t.Errorf("changed %v, read %q", changed, read)
	}
	windows := map[string]string{"m/CLAUDE.md": strings.ReplaceAll(spec1("- `F(a: int): int`", "None", ""), "\n", "\r\n")}
	ids := contentIDs(map[string]string{"m/CLAUDE.md": spec1("- `F(a: int): int`", "None", "")})
	w := &inspect.Symbols{}
	for want := range 2 {
		if changed := w.Update(ids, func(f string) []byte { return []byte(windows[f]) }, then); changed != (want == 0) {
			t.Errorf("a file that git stores with other line ends: changed %v in round %d", changed, want)
		}
	}
}

func TestDamagedSymbols(t *testing.T) {
	t.Parallel()
	s := &inspect.Symbols{}
	update(s, sample(), then)
	good := s.Bytes("me")
	for i := range good {
		bad := slices.Clone(good)
		bad[i] ^= 0x10
		if _, err := inspect.LoadSymbols(bad, "me"); !errors.Is(err, inspect.ErrDamaged) {
			t.Fatalf("byte %d changed: %v", i, err)
		}
		if _, err := inspect.LoadSymbols(good[:i], "me"); i > 0 && !errors.Is(err, inspect.ErrDamaged) {
			t.Fatalf("cut at %d: %v", i, err)
		}
	}
}

// FuzzSymbols reads an index whose checksum is right and whose content is anything.
func FuzzSymbols(f *testing.F) {
	const magic = "jacquard symbols 1\n"
	s := &inspect.Symbols{}
	s.Update(contentIDs(sample()), func(f string) []byte { return []byte(sample()[f]) }, then)
	f.Add(s.Bytes("")[len(magic)+4:])
	f.Add([]byte("\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, body []byte) {
		b := binary.BigEndian.AppendUint32([]byte(magic), crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
		s, err := inspect.LoadSymbols(append(b, body...), "")
		if err != nil && !errors.Is(err, inspect.ErrDamaged) {
			t.Error(err)
		}
		s.Index("")
		s.References("x")
	})
}
