package inspect_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/inspect"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// TestDriftOfRepositories measures validate on code that was not written for it: what decompile writes of each module is
// compared with the module after one change at a time. JACQUARD_DRIFT names a directory with the sources of repositories,
// one below it for each; JACQUARD_DRIFT_MODULES how many modules of each (12). docs/internals/drift.md has what it prints.
func TestDriftOfRepositories(t *testing.T) {
	t.Parallel()
	root := os.Getenv("JACQUARD_DRIFT")
	if root == "" {
		t.Skip("JACQUARD_DRIFT names no directory with repositories")
	}
	limit := 12
	if _, err := fmt.Sscan(os.Getenv("JACQUARD_DRIFT_MODULES"), &limit); err != nil {
		limit = 12
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	total := map[string]*tally{}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		got := map[string]*tally{}
		measure(t, os.DirFS(filepath.Join(root, e.Name())), e.Name(), limit, got)
		for _, kind := range slices.Sorted(maps.Keys(got)) {
			x := got[kind]
			t.Logf("%-12s %-34s %4d of %4d", e.Name(), kind, x.seen, x.all)
			for _, m := range x.missed[:min(len(x.missed), 6)] {
				t.Logf("    not: %s", m)
			}
			if total[kind] == nil {
				total[kind] = &tally{}
			}
			total[kind].seen += x.seen
			total[kind].all += x.all
			total[kind].open += x.open
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(total)) {
		x := total[kind]
		t.Logf("| %s | %d | %d | %d |", kind, x.all, x.seen, x.open)
	}
}

type tally struct {
	seen, open, all int
	missed          []string
}

// measure changes the modules of one repository.
func measure(t *testing.T, repo fs.FS, name string, limit int, got map[string]*tally) {
	t.Helper()
	files := map[string][]byte{}
	err := fs.WalkDir(repo, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !d.Type().IsRegular() {
			return err
		}
		if source.LangOf(p) == "" && !slices.Contains([]string{"go.mod", "package.json", "Cargo.toml", "pyproject.toml", "setup.py", "pom.xml"}, path.Base(p)) {
			return nil
		}
		b, err := fs.ReadFile(repo, p)
		if len(b) < 400_000 {
			files[p] = b
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string][]byte{}
	p := inspect.New("/p", slices.Sorted(maps.Keys(files)), func(f string) []byte { return files[f] })
	p.Keep(inspect.Kept{Get: func(k string) []byte { return kept[k] }, Put: func(k string, b []byte) { kept[k] = bytes.Clone(b) }, Damaged: func() {}})
	specs := map[string][]byte{}
	sources := map[string][]string{}
	for _, d := range p.Decompile(".") {
		specs[d.Spec] = d.Text
		if d.Exports > 0 && !regexp.MustCompile(`(?i)(^|/)(tests?|examples?|benches|benchmarks?|docs?|fuzz)(/|$)`).MatchString(d.Dir) {
			sources[d.Dir] = d.Sources
		}
	}
	base := p.With(specs)
	dirs := slices.SortedFunc(maps.Keys(sources), func(a, b string) int {
		return len(specs[path.Join(b, "CLAUDE.md")]) - len(specs[path.Join(a, "CLAUDE.md")])
	})
	dirs = dirs[:min(len(dirs), limit)]
	for _, dir := range dirs {
		judge := func(p *inspect.Project) (issues string, facts inspect.Facts) {
			v := p.ValidateModules(func(d string) bool { return d == dir })
			if len(v.Modules) != 1 {
				return "", inspect.Facts{}
			}
			var out []string
			for _, d := range v.Modules[0].Issues {
				out = append(out, d.Type+" "+d.Symbol+": "+d.Message)
			}
			for _, d := range v.Modules[0].Notes {
				if d.Type == "CONTRACT" {
					out = append(out, "note "+d.Message)
				}
			}
			return strings.Join(out, "; "), v.Modules[0].Facts
		}
		before, known := judge(base)
		if got["as it is"] == nil {
			got["as it is"] = &tally{}
		}
		got["as it is"].all++
		if before != "" {
			got["as it is"].seen++
			got["as it is"].missed = append(got["as it is"].missed, dir+": "+before[:min(len(before), 300)])
		}
		for _, file := range sources[dir] {
			if !toolchain.IsSource(file) {
				continue
			}
			counts := map[string]int{}
			var others []byte
			for f, text := range files {
				if f != file && (path.Dir(f) == dir || strings.HasPrefix(f, dir+"/") && source.LangOf(f) != source.Go) {
					others = append(others, text...)
				}
			}
			for _, m := range mutations(file, files[file], others, string(specs[path.Join(dir, "CLAUDE.md")])) {
				if counts[m.kind]++; counts[m.kind] > 3 {
					continue
				}
				after, facts := judge(base.With(map[string][]byte{file: m.text}))
				if got[m.kind] == nil {
					got[m.kind] = &tally{}
				}
				x := got[m.kind]
				x.all++
				said := after != before
				if said {
					x.seen++
				} else if facts.Stated-facts.Agreed > known.Stated-known.Agreed {
					x.open++
				}
				if harmless := strings.HasPrefix(m.kind, "harmless"); said == harmless {
					x.missed = append(x.missed, fmt.Sprintf("%s: %s %s", file, m.what, after[:min(len(after), 200)]))
				}
			}
		}
	}
}

type mutation struct {
	kind, what string
	text       []byte
}

// mutations are changes of a source that a compiler takes where nobody uses what changes. Names that other files of the
// module have are not hidden and not given anew: those would not compile.
func mutations(file string, src, others []byte, spec string) []mutation {
	f := source.Parse(file, src)
	if f.Problem != "" {
		return nil
	}
	exports, _, _ := strings.Cut(spec, "\n## Behavior")
	exports, _, _ = strings.Cut(exports, "\n## Structure")
	var out []mutation
	lines := strings.Split(string(src), "\n")
	edit := func(kind string, at int, line string) {
		if at < 0 || at >= len(lines) || lines[at] == line {
			return
		}
		changed := slices.Clone(lines)
		changed[at] = line
		out = append(out, mutation{kind, strings.TrimSpace(lines[at]) + "  =>  " + strings.TrimSpace(line), []byte(strings.Join(changed, "\n"))})
	}
	replace := func(kind string, at int, pattern, by string) {
		if at >= 0 && at < len(lines) {
			re := regexp.MustCompile(pattern)
			if loc := re.FindStringSubmatchIndex(lines[at]); loc != nil {
				edit(kind, at, lines[at][:loc[0]]+string(re.ExpandString(nil, by, lines[at], loc))+lines[at][loc[1]:])
			}
		}
	}
	everywhere := func(kind, from, to string) {
		re := regexp.MustCompile(`\b` + regexp.QuoteMeta(from) + `\b`)
		out = append(out, mutation{kind, from + " => " + to, re.ReplaceAll(src, []byte(to))})
	}
	once := func(name string) bool { return strings.Count(string(src), name) == 1 }
	for _, e := range slices.Concat(f.Exports, f.Fields) {
		full := strings.TrimPrefix(e.Owner+"."+e.Name, ".")
		if e.Kind == "attribute" || e.Kind == "inherited" || e.Kind == "internal" || e.Kind == "reexport" || len(e.Name) < 3 || strings.HasPrefix(e.Name, "__") || e.Name == "constructor" || e.Name == "default" ||
			!regexp.MustCompile("`(?:static |async |suspend )*"+regexp.QuoteMeta(full)+"[(:`{ <=\\[]").MatchString(exports) || slices.ContainsFunc(f.Exports, func(o source.Export) bool { return o.Line == e.Line && o.Name != e.Name }) {
			continue
		}
		at := e.Line - 1
		for at < len(lines)-1 && (!strings.Contains(lines[at], e.Name) || strings.HasPrefix(strings.TrimSpace(lines[at]), "@")) && at < e.Line+8 {
			at++ // annotations stand before it
		}
		if !strings.Contains(lines[at], e.Name) || strings.Contains(lines[at], "@overload") {
			continue
		}
		if regexp.MustCompile(`(?m)^(?:async )?(?:def|class) ` + regexp.QuoteMeta(e.Name) + `\b`).Match(others) {
			continue // which of them the package offers is not known here
		}
		alone := !regexp.MustCompile(`\b` + regexp.QuoteMeta(e.Name) + `\b`).Match(others)
		call := e.Kind == "function" || e.Kind == "method"
		switch {
		case !alone:
		case f.Lang == source.Go:
			everywhere("hidden", e.Name, strings.ToLower(e.Name[:1])+e.Name[1:])
		case f.Lang == source.Python:
			everywhere("hidden", e.Name, "_"+e.Name)
		case f.Lang == source.TypeScript:
			if e.Owner == "" {
				replace("hidden", at, `^(\s*)export (default )?`, "$1")
			} else {
				replace("hidden", at, `^(\s*)(public |protected )?((?:static |async |readonly |abstract |get )*`+regexp.QuoteMeta(e.Name)+`\b)`, "${1}private $3")
			}
		case f.Lang == source.Java:
			replace("hidden", at, `\b(public|protected) `, "")
		case f.Lang == source.Kotlin:
			replace("hidden", at, `^(\s*)(?:public )?(.*\b(?:fun|class|val|var|object|interface)\b)`, "${1}internal $2")
		case f.Lang == source.Rust:
			replace("hidden", at, `^(\s*)pub `, "$1")
			replace("hidden", at, `^(\s*)pub `, "${1}pub(crate) ")
		}
		if alone && (once(e.Name) || e.Owner == "") {
			everywhere("renamed", e.Name, e.Name+"X")
		}
		if call && strings.Contains(lines[at], "(") {
			open := regexp.QuoteMeta(e.Name) + `(\s*(?:<[^(]*>|\[[^(]*\])?)\(`
			switch f.Lang {
			case source.Go:
				replace("a parameter more", at, open, e.Name+"$1(extra int, ")
			case source.Python:
				replace("a parameter more", at, open+`(self|cls|)(, |)`, e.Name+"${1}(${2}${3}extra=None, ")
			case source.TypeScript:
				replace("a parameter more", at, open, e.Name+"$1(extra: number, ")
			case source.Java:
				replace("a parameter more", at, open, e.Name+"$1(int extra, ")
			case source.Kotlin:
				replace("a parameter more", at, open, e.Name+"$1(extra: Int = 1, ")
			}
			for _, p := range [][2]string{{`\bstring\b`, "number"}, {`\bnumber\b`, "string"}, {`\bint\b`, "long"}, {`\bInt\b`, "Long"}, {`\bString\b`, "CharSequence"}, {`\busize\b`, "u64"}, {`: str\b`, ": bytes"}, {`\bboolean\b`, "int"}, {`\bBoolean\b`, "Int"}, {`\bbool\b`, "int"}, {`\berror\b`, "any"}} {
				if f.Lang == source.Go && p[1] == "number" {
					p[1] = "[]byte"
				}
				if f.Lang == source.Go && p[1] == "long" {
					p[1] = "int64"
				}
				if f.Lang == source.Python && (p[0] == `\bint\b` || p[0] == `\bbool\b`) {
					p[1] = "float"
				}
				if f.Lang == source.Rust && p[0] == `\bbool\b` {
					p[1] = "u8"
				}
				if i := strings.Index(lines[at], e.Name); i >= 0 && regexp.MustCompile(p[0]).MatchString(lines[at][i:]) {
					re := regexp.MustCompile(p[0])
					loc := re.FindStringIndex(lines[at][i:])
					edit("another type", at, lines[at][:i+loc[0]]+re.ReplaceAllString(lines[at][i+loc[0]:i+loc[1]], p[1])+lines[at][i+loc[1]:])
					break
				}
			}
			replace("a default", at, `([A-Za-z]\s*(?::\s*[\w.?\[\] |]+)?\s*=\s*)(\d+)(\s*[,)])`, "${1}${2}7$3")
			replace("a default", at, `([A-Za-z]\s*(?::\s*[\w.?\[\] |]+)?\s*=\s*)"([^"]*)"(\s*[,)])`, `${1}"x${2}"$3`)
			replace("a default", at, `([A-Za-z]\s*(?::\s*[\w.?\[\] |]+)?\s*=\s*)([tT])rue(\s*[,)])`, map[bool]string{true: "${1}False$3", false: "${1}false$3"}[f.Lang == source.Python])
			replace("a default", at, `([A-Za-z]\s*(?::\s*[\w.?\[\] |]+)?\s*=\s*)([fF])als[e](\s*[,)])`, map[bool]string{true: "${1}True$3", false: "${1}true$3"}[f.Lang == source.Python])
			switch f.Lang {
			case source.TypeScript:
				replace("a result that comes later", at, `: (void|boolean|string|number) \{`, ": Promise<$1> {")
			case source.Kotlin:
				replace("a result that comes later", at, `^(\s*)(.*)\bfun `, "$1${2}suspend fun ")
			case source.Python:
				replace("a result that comes later", at, `^(\s*)def `, "${1}async def ")
			}
		}
		if e.Kind == "property" {
			replace("a getter is called", at, `\bget (\w+\()`, "$1")
			if at > 0 {
				replace("a getter is called", at-1, `^\s*@property$`, "")
			}
			replace("another type", at, `: (string|boolean)\b`, ": number")
			replace("another type", at, `: (Int|Boolean)\b`, ": Long")
		}
		if e.Kind == "constant" && e.Value != "" || f.Lang == source.Go && e.Kind == "constant" {
			replace("a value", at, `(=\s*)(\d+)\b`, "${1}${2}7")
			replace("a value", at, `(=\s*)"([^"]*)"`, `${1}"x${2}"`)
			replace("a value", at, `(=\s*)'([^']*)'`, `${1}'x${2}'`)
		}
		if e.Kind == "enum" && len(e.Variants) > 1 {
			everywhere("a variant is renamed", e.Variants[1], e.Variants[1]+"Two")
		}
		if e.Kind == "interface" && f.Lang != source.Kotlin {
			for i := at; i < min(at+3, len(lines)); i++ {
				if strings.HasSuffix(strings.TrimSpace(lines[i]), "{") {
					member := map[string]string{source.Go: "\tExtraOne() int", source.TypeScript: "  extraOne: number;", source.Java: "  int extraOne();"}[f.Lang]
					edit("a member more", i, lines[i]+"\n"+member)
					break
				}
			}
		}
		if e.Kind == "struct" && strings.HasSuffix(strings.TrimSpace(lines[at]), "{") {
			member := map[string]string{source.Go: "\tExtraOne int", source.Rust: "    pub extra_one: u8,"}[f.Lang]
			edit("a member more", at, lines[at]+"\n"+member)
		}
		if e.Kind == "class" && len(e.Bases) == 1 && !strings.Contains(e.Bases[0], "(") {
			replace("another base", at, `([(:,] *|extends )`+regexp.QuoteMeta(e.Bases[0])+`\b`, "${1}OtherBase")
		}
		for _, c := range f.Contracts {
			if c.Function != full || len(c.Guards) == 0 {
				continue
			}
			tight := func(s string) string { return strings.Join(strings.Fields(s), "") }
			for _, fails := range c.Fails {
				_, when, ok := strings.Cut(fails, " when ")
				for i := at + 1; ok && i < min(at+40, len(lines)-1); i++ {
					if !strings.Contains(tight(lines[i]), tight(when)) {
						continue
					}
					replace("a guard", i, ` < `, " <= ")
					replace("a guard", i, ` > `, " >= ")
					replace("a guard", i, ` == `, " != ")
					for k := i; k <= i+1; k++ {
						replace("another error", k, `raise [A-Z]\w+\(`, "raise OtherError(")
						replace("another error", k, `throw new [A-Z]\w+\(`, "throw new OtherException(")
						replace("another error", k, `throw [A-Z]\w+\(`, "throw OtherException(")
					}
					break
				}
			}
			break
		}
		// Harmless: nobody who uses the module can tell.
		comment := map[bool]string{true: "# ", false: "// "}[f.Lang == source.Python]
		if e.Owner == "" && e.Kind != "variable" && (f.Lang == source.Go || f.Lang == source.Rust) {
			edit("harmless: a comment", at, lines[at]+" "+comment+"it is so")
		}
		if call && f.Lang != source.Python && f.Lang != source.Kotlin {
			if m := regexp.MustCompile(`\(([a-z]\w*)\b[ :]`).FindStringSubmatch(lines[at]); m != nil && len(m[1]) > 2 && m[1] != "mut" && m[1] != "self" && m[1] != "this" && f.Lang != source.Java && !strings.Contains(lines[at], "@") {
				replace("harmless: a parameter renamed", at, `\(`+m[1]+`\b`, "("+m[1]+"Given")
			}
		}
		if call && f.Lang == source.Python && strings.Contains(lines[at], "\"") {
			replace("harmless: other quotes", at, `"([^"'\\]*)"(\s*[,)])`, "'$1'$2")
		}
	}
	helper := map[string]string{
		source.Go: "\nfunc extraHelper(a int) int {\n\tif a < 0 {\n\t\tpanic(a)\n\t}\n\treturn a\n}\n", source.Python: "\n\ndef _extra_helper(a):\n    return a\n",
		source.TypeScript: "\nfunction extraHelper(a: number): number { return a; }\n", source.Rust: "\nfn extra_helper(a: u8) -> u8 { a }\n",
		source.Kotlin: "\nprivate fun extraHelper(a: Int): Int = a\n", source.Java: "\nclass ExtraHelper { int a() { return 1; } }\n",
	}[f.Lang]
	if helper != "" && len(f.Exports) > 0 {
		out = append(out, mutation{"harmless: a helper", "at the end", append(bytes.Clone(src), helper...)})
		out = append(out, mutation{"harmless: empty lines", "at the end", append(bytes.Clone(src), '\n', '\n')})
	}
	for _, fn := range f.Funcs {
		name := fn.Name[strings.LastIndexByte(fn.Name, '.')+1:]
		if strings.Contains(spec, name) || len(name) < 4 || strings.HasPrefix(name, "__") || f.Lang == source.Go && name[0] < 'a' {
			continue
		}
		if f.Lang == source.Go || f.Lang == source.Rust && !strings.Contains(string(src[fn.Off:fn.Body]), "pub") || f.Lang == source.Python && strings.HasPrefix(name, "_") {
			everywhere("harmless: a private function renamed", name, name+"_x")
		}
		if fn.Body < fn.Stop && f.Lang != source.Python {
			if body := src[fn.Body:fn.Stop]; bytes.Contains(body, []byte("return ")) {
				text := slices.Concat(src[:fn.Body], []byte("\n/* as before */\n"), src[fn.Body:])
				out = append(out, mutation{"harmless: a comment in a body", fn.Name, text})
			}
		}
	}
	return out
}
