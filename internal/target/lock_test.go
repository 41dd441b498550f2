package target_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/target"
)

func sample(dir string) target.Entry {
	return target.Entry{
		Dir: dir, State: target.Built, Why: "", Spec: "8c7e5a667f1b771847fe88c01c3de34413a1b220", Content: "7be8e8d96b212276",
		Interface: "13c513e8fd3a021b", Conventions: "a-b+c", Own: "d", Plan: "e29629bd8773be94", PlanID: "5d308e1d060b0c387d452cf4747f89ecb9935851",
		Tool: "jacquard 1.0, prompts 3",
		Uses: []target.Use{
			{Path: "core/x y/CLAUDE.md", Symbols: map[string]string{"A": "1", "b::c": "2", "op#1": ""}},
			{Path: "other", Hash: "abc", Soft: true},
		},
		Exports: map[string]string{"check": "d015e0f3b1", "검증": "1"},
		Items:   map[string]string{"T:Idle+load(a, b)→Loading": "1a", "B:eb5d218a": "2b", "K:A%B": "3c", "E:a~b": "4"},
		Files:   map[string]string{dir + "/a.ts": "11", dir + "/하위/b c.ts": "22", "shared/t.ts": "33"},
		Tests:   map[string]string{dir + "/a.test.ts": "44"},
		Covers: map[string][]string{
			dir + "/a.test.ts::auth > mails a@b, c:d": {"B:eb5d218a", "E:a~b"}, "shared/t.test.ts::검증 100%": {"T:Idle+load(a, b)→Loading"},
		},
	}
}

func TestLockRoundTrip(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"src/auth", ".", "모듈/하위", "app[id] x", "a%20b", "#odd", "comma,dir", "~t", "x=y"} {
		want := sample(dir)
		if dir == "." {
			want.Files = map[string]string{"a.ts": "1", "b/c.ts": "2"}
			want.Tests = map[string]string{"a.test.ts": "3"}
			want.Covers = map[string][]string{"a.test.ts::x": {"B:1"}}
		}
		var l target.Lock
		l.Put(want)
		back, ps := target.ParseLock(l.Bytes())
		got, ok := back.Entry(dir)
		if !ok || len(ps) != 0 || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: problems %v\n got %+v\nwant %+v\n%s", dir, ps, got, want, l.Bytes())
		}
		if n := bytes.Count(l.Bytes(), []byte("\n")); n != 2 {
			t.Errorf("%q: %d lines, want the header and one", dir, n)
		}
		if !bytes.Equal(back.Bytes(), l.Bytes()) {
			t.Errorf("%q: rendering is not stable", dir)
		}
	}
}

func TestLockIsSortedAndStable(t *testing.T) {
	t.Parallel()
	var a, b target.Lock
	dirs := []string{"z", "a", "a/b", "a.b", "모듈", "B"}
	for _, d := range dirs {
		a.Put(sample(d))
	}
	for _, i := range rand.Perm(len(dirs)) {
		b.Put(sample(dirs[i]))
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("the order of writing shows in the lock")
	}
	if got := strings.Join(a.Dirs(), " "); got != "B a a.b a/b z 모듈" {
		t.Errorf("Dirs = %s", got)
	}
}

func TestLockAfterAMerge(t *testing.T) {
	t.Parallel()
	var ours, theirs target.Lock
	ours.Put(sample("a"))
	ours.Put(sample("c"))
	e := sample("a")
	e.Content = "ffffffffffffffff"
	theirs.Put(e)
	line := func(l *target.Lock, n int) string { return strings.Split(string(l.Bytes()), "\n")[n] }
	src := strings.Join([]string{
		line(&ours, 0), "<<<<<<< HEAD", line(&ours, 1), "=======", line(&theirs, 1), ">>>>>>> b", line(&ours, 2), line(&ours, 2), "gar bage", "more gar bage", "",
	}, "\r\n")
	l, ps := target.ParseLock([]byte(src))
	var got []string
	for _, p := range ps {
		got = append(got, fmt.Sprintf("%d %s", p.Line, p.Severity))
	}
	if strings.Join(got, ", ") != "2 warning, 5 warning, 9 error" || strings.Join(l.Dirs(), " ") != "a c" {
		t.Errorf("problems %v dirs %v", ps, l.Dirs())
	}
	if last := ps[len(ps)-1]; last.Text != "this line of the lock and 1 more cannot be read" {
		t.Errorf("the last problem is %v, want one of both lines", last)
	}
	l.Put(sample("a"))
	if n := bytes.Count(l.Bytes(), []byte("\n")); n != 3 {
		t.Errorf("after writing the lock has %d lines, want 3:\n%s", n, l.Bytes())
	}
	l, ps = target.ParseLock([]byte("# jacquard.lock v9 - x\n" + line(&ours, 1) + "\n"))
	if len(ps) != 1 || ps[0].Severity != "error" || !l.Newer() || len(l.Dirs()) != 0 {
		t.Errorf("a newer format: problems %v, lock of %v", ps, l.Dirs())
	}
}

// TestLockCutOff: a record that was cut off is none, whatever of it can be read.
func TestLockCutOff(t *testing.T) {
	t.Parallel()
	w := chain(t)
	whole := w.lock.Bytes()
	last := bytes.LastIndexByte(bytes.TrimSpace(whole), '\n') + 1
	for n := last + 1; n < len(whole); n++ {
		l, ps := target.ParseLock(whole[:n])
		if len(ps) != 1 || ps[0].Severity != "error" || len(l.Dirs()) != len(w.lock.Dirs())-1 {
			t.Fatalf("%q: problems %v, lock of %v", whole[last:n], ps, l.Dirs())
		}
	}
}

// TestEitherRecordOfAMergeCounts shows that a merge which kept both sides recompiles nothing when
// the tree fits one of them.
func TestEitherRecordOfAMergeCounts(t *testing.T) {
	t.Parallel()
	for _, mineFirst := range []bool{true, false} {
		w := chain(t)
		mine := strings.Split(strings.TrimSpace(string(w.lock.Bytes())), "\n")
		w.files["auth/CLAUDE.md"] = strings.Replace(w.files["auth/CLAUDE.md"], "drop(t: string)", "drop(t: number)", 1)
		w.build() // auth has another spec now, web the same spec with another use
		both := append(mine, strings.Split(strings.TrimSpace(string(w.lock.Bytes())), "\n")...)
		if !mineFirst {
			both = append(both[len(mine):], both[:len(mine)]...)
		}
		lock, ps := target.ParseLock([]byte(strings.Join(both, "\n") + "\n"))
		if len(ps) != 2 {
			t.Fatalf("problems %v, want one each about auth and web", ps)
		}
		w.lock = lock
		if res := w.compute(); targets(res) != "" {
			t.Errorf("mine first %v: targets %q", mineFirst, targets(res))
		}
	}
}

func FuzzParseLock(f *testing.F) {
	var l target.Lock
	l.Put(sample("src/auth"))
	f.Add(l.Bytes())
	f.Add([]byte("# jacquard.lock v1\n%2 state=built content=1 files=:,a:%, uses=~#,@\n<<<<<<<\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		lock, _ := target.ParseLock(src)
		again, _ := target.ParseLock(lock.Bytes())
		if !bytes.Equal(lock.Bytes(), again.Bytes()) {
			t.Errorf("not stable:\n%q\n%q", lock.Bytes(), again.Bytes())
		}
		for _, d := range lock.Dirs() {
			e, ok := lock.Entry(d)
			if !ok {
				t.Fatalf("no entry for %q", d)
			}
			lock.Put(e)
			if back, _ := lock.Entry(d); !maps.Equal(back.Files, e.Files) {
				t.Errorf("files of %q changed: %v %v", d, e.Files, back.Files)
			}
		}
	})
}

// BenchmarkNoOp is a run with nothing to do on 10,000 modules with 100,000 files.
func BenchmarkNoOp(b *testing.B) {
	var lock target.Lock
	spec := module("- `f0(a: string): B`\n- `f1(a: string): B`\n- `f2(a: string): B`\n- `f3(a: string): B`\n- `f4(a: string): B`", "")
	var files []target.File
	body := map[string]string{}
	for i := range 10_000 {
		dir := fmt.Sprintf("src/area%02d/module%04d", i%50, i)
		src := spec
		if i > 50 {
			src += fmt.Sprintf("## Dependencies\n- internal:\n  - `src/area%02d/module%04d/CLAUDE.md`: f0, f1\n", i%50, i-50)
		}
		id := fmt.Sprintf("%040x", i)
		files = append(files, target.File{Path: dir + "/CLAUDE.md", ID: id})
		body[dir+"/CLAUDE.md"] = src
		for k := range 9 {
			files = append(files, target.File{Path: fmt.Sprintf("%s/file%d.ts", dir, k), ID: fmt.Sprintf("%040x", i*10+k)})
		}
	}
	f := target.Facts{
		Files: files, All: true, IsSource: func(p string) bool { return strings.HasSuffix(p, ".ts") },
		Read: func(p string) ([]byte, error) { return []byte(body[p]), nil },
	}
	first := target.Compute(f)
	for _, tg := range first.Targets {
		e, _ := first.Entry(tg.Dir)
		e.Files = map[string]string{}
		for k := range 5 {
			e.Files[fmt.Sprintf("%s/file%d.ts", tg.Dir, k)] = fmt.Sprintf("%040x", mustAtoi(tg.Dir)*10+k)
		}
		lock.Put(e)
	}
	src := lock.Bytes()
	b.ReportMetric(float64(len(src))/1e6, "lock_MB")
	f.All = false
	for b.Loop() {
		l, ps := target.ParseLock(src)
		f.Lock = l
		res := target.Compute(f)
		if len(res.Targets) != 0 || len(ps) != 0 || len(res.Warnings) != 0 {
			b.Fatal(len(res.Targets), ps, res.Warnings)
		}
	}
}

func mustAtoi(dir string) int {
	var n int
	if _, err := fmt.Sscanf(dir[strings.LastIndex(dir, "module")+6:], "%d", &n); err != nil {
		panic(err)
	}
	return n
}
