package index_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/index"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// mod makes a module from "dir: dep dep[A,B] ~soft dep/CLAUDE.md"; it exports F and its base name.
func mod(t *testing.T, s string) index.Module {
	t.Helper()
	dir, deps, _ := strings.Cut(s, ":")
	var b strings.Builder
	b.WriteString("<!-- schema: 2.0 -->\n## Exports\n- `F(a: string): B`\n- `only_" + strings.ReplaceAll(dir, "/", "_") + "(): B`\n## Dependencies\n- internal:\n")
	refs := ""
	for dep := range strings.FieldsSeq(deps) {
		if soft, ok := strings.CutPrefix(dep, "~"); ok {
			refs += "see " + soft + "/CLAUDE.md#F\n"
			continue
		}
		name, symbols, has := strings.Cut(strings.TrimSuffix(dep, "]"), "[")
		b.WriteString("  - `" + name + "`")
		if has {
			b.WriteString(": " + symbols)
		}
		b.WriteString("\n")
	}
	p := dir + "/CLAUDE.md"
	if dir == "." {
		p = "CLAUDE.md"
	}
	d, ps := spec.Parse(p, []byte(b.String()+"## Notes\n"+refs))
	if spec.HasErrors(ps) {
		t.Fatalf("%s: %v", s, ps)
	}
	return index.Of(d)
}

func build(t *testing.T, specs ...string) (*index.Index, []spec.Problem) {
	t.Helper()
	var mods []index.Module
	for _, s := range specs {
		mods = append(mods, mod(t, s))
	}
	return index.Build(mods)
}

func texts(ps []spec.Problem) string {
	var out []string
	for _, p := range ps {
		out = append(out, fmt.Sprintf("%s:%d %s %s", p.Path, p.Line, p.Severity, p.Text))
	}
	return strings.Join(out, "\n")
}

func TestOrder(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		specs  []string
		want   string
		cycles string
	}{
		"dependencies first":         {[]string{"a: b", "b: c", "c:"}, "c b a", ""},
		"siblings":                   {[]string{"z:", "a:", "m: z"}, "a z m", ""},
		"deeper first":               {[]string{"a:", "b/c/d:", "b/x:"}, "b/c/d b/x a", ""},
		"a parent after its modules": {[]string{"src:", "src/a:", "src/a/b:", ".:"}, "src/a/b src/a src .", ""},
		"a child needs its parent":   {[]string{"src:", "src/a: src", "src/b:"}, "src/b src src/a", ""},
		"through others":             {[]string{"src:", "src/a: x", "x: src"}, "src x src/a", ""},
		"a cycle":                    {[]string{"a: b", "b: a", "c: a", "d:"}, "c d", "a b a"},
		"a long cycle":               {[]string{"a: b", "b: c d", "c: a", "d: b", "e:"}, "e", "a b c a"},
		"two knots":                  {[]string{"a: b", "b: a", "x: y", "y: x", "k: a x"}, "k", "a b a|x y x"},
		"itself":                     {[]string{"a: a/CLAUDE.md ./types", "b: ./b"}, "a b", ""},
		"cross references":           {[]string{"a: ~b", "b:"}, "b a", ""},
		"references in a circle":     {[]string{"a: ~b", "b: a"}, "a b", ""},
		"references both ways":       {[]string{"a: ~b", "b: ~a"}, "a b", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x, _ := build(t, tc.specs...)
			if got := strings.Join(x.Order(x.Dirs()), " "); got != tc.want {
				t.Errorf("Order = %s, want %s", got, tc.want)
			}
			var cycles []string
			for _, c := range x.Cycles() {
				cycles = append(cycles, strings.Join(c, " "))
			}
			if got := strings.Join(cycles, "|"); got != tc.cycles {
				t.Errorf("Cycles = %s, want %s", got, tc.cycles)
			}
		})
	}
}

func TestCyclesAreNamedAtEachMember(t *testing.T) {
	t.Parallel()
	x, ps := build(t, "a: b", "b: c", "c: a", "d: c")
	want := "a/CLAUDE.md:7 error dependency cycle: a → b → c → a\nb/CLAUDE.md:7 error dependency cycle: b → c → a → b\n" +
		"c/CLAUDE.md:7 error dependency cycle: c → a → b → c"
	if texts(ps) != want {
		t.Errorf("problems:\n%s\nwant:\n%s", texts(ps), want)
	}
	if x.Refused("b") != "b → c → a → b" || x.Refused("d") != "" || strings.Join(x.After("d"), " ") != "c" {
		t.Errorf("refused %q %q, after d %v", x.Refused("b"), x.Refused("d"), x.After("d"))
	}
}

func TestResolution(t *testing.T) {
	t.Parallel()
	x, ps := build(t,
		"src/auth: core/domain/CLAUDE.md[F,Nope] ./jwt src/util/deep/file.ts jwt", "src/auth/jwt:", "core/domain:", "src/util:",
		"app: src/util/gone/CLAUDE.md plain/dir ~lost", ".: src/auth[nothing]", "모듈: src/util")
	got := ""
	for _, n := range x.Needs("src/auth") {
		got += fmt.Sprintf("%s%v:%d ", n.Dir, n.Symbols, n.Line)
	}
	if got != "core/domain[F Nope]:7 src/auth/jwt[]:8 src/util[]:9 " {
		t.Errorf("Needs = %s", got)
	}
	if n := x.Needs("."); len(n) != 1 || n[0].Symbols != nil {
		t.Errorf("Needs(.) = %v, want all of src/auth: no declared name exists", n)
	}
	if d := strings.Join(x.Dependents("src/util"), " "); d != "src/auth 모듈" {
		t.Errorf("Dependents = %s", d)
	}
	want := "CLAUDE.md:7 warning src/auth does not export nothing\napp/CLAUDE.md:7 error dependency src/util/gone/CLAUDE.md is not a module\n" +
		"app/CLAUDE.md:8 warning dependency plain/dir is not a module\napp/CLAUDE.md:10 warning dependency lost/CLAUDE.md is not a module\n" +
		"src/auth/CLAUDE.md:7 warning core/domain does not export Nope"
	if texts(ps) != want {
		t.Errorf("problems:\n%s\nwant:\n%s", texts(ps), want)
	}
}

func TestSymbols(t *testing.T) {
	t.Parallel()
	x, _ := build(t, "b:", "a:", "c:")
	var got []string
	for _, s := range x.Find("F") {
		got = append(got, s.Dir+" "+s.Signature)
	}
	if strings.Join(got, ", ") != "a F(a: string): B, b F(a: string): B, c F(a: string): B" {
		t.Errorf("Find(F) = %v", got)
	}
	s, ok := x.Resolve(spec.CrossRef{Path: "b", Symbol: "only_b"})
	if !ok || s.Kind != spec.Function {
		t.Errorf("Resolve = %+v %v", s, ok)
	}
	for _, bad := range []spec.CrossRef{{Path: "b", Symbol: "only_a"}, {Path: "nope", Symbol: "F"}} {
		if s, ok := x.Resolve(bad); ok {
			t.Errorf("Resolve(%v) = %v", bad, s)
		}
	}
	if x.Find("nothing") == nil || len(x.Find("nothing")) != 0 {
		t.Error("an unknown name must give an empty list")
	}
}

func TestCaseCollisions(t *testing.T) {
	t.Parallel()
	_, ps := build(t, "src/Auth:", "src/auth:", "src/other:")
	if len(ps) != 1 || ps[0].Path != "src/auth/CLAUDE.md" || !strings.Contains(ps[0].Text, "src/Auth differ only in case") {
		t.Errorf("problems %v", ps)
	}
}

// TestOrderHolds checks random graphs: every module comes behind all that it must follow, each
// exactly once, the same for any order of the input; only members of cycles are missing.
func TestOrderHolds(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	for round := range 300 {
		n := 2 + rng.IntN(12)
		dirs := make([]string, n)
		for i := range dirs {
			dirs[i] = fmt.Sprintf("m%d", i)
			if i > 0 && rng.IntN(2) == 0 {
				dirs[i] = dirs[rng.IntN(i)] + "/" + dirs[i]
			}
		}
		var mods []index.Module
		for _, d := range dirs {
			line := d + ":"
			for range rng.IntN(3) {
				soft := ""
				if rng.IntN(3) == 0 {
					soft = "~"
				}
				line += " " + soft + dirs[rng.IntN(n)]
			}
			mods = append(mods, mod(t, line))
		}
		x, ps := index.Build(mods)
		order := x.Order(x.Dirs())
		at := map[string]int{}
		for i, d := range order {
			at[d] = i + 1
		}
		for _, d := range x.Dirs() {
			if (at[d] == 0) != (x.Refused(d) != "") {
				t.Fatalf("round %d: %s missing or refused: %v", round, d, order)
			}
			for _, a := range x.After(d) {
				if x.Refused(a) == "" && at[d] != 0 && at[a] >= at[d] {
					t.Fatalf("round %d: %s must follow %s: %v", round, d, a, order)
				}
			}
			for _, need := range x.Needs(d) {
				if !need.Soft && x.Refused(d) == "" && !slices.Contains(x.After(d), need.Dir) {
					t.Fatalf("round %d: %s needs %s and does not follow it", round, d, need.Dir)
				}
			}
		}
		rng.Shuffle(len(mods), func(i, j int) { mods[i], mods[j] = mods[j], mods[i] })
		y, qs := index.Build(mods)
		if !slices.Equal(y.Order(y.Dirs()), order) || texts(qs) != texts(ps) {
			t.Fatalf("round %d: the order of the input shows", round)
		}
	}
}
