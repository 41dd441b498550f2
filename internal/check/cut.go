package check

import (
	"bytes"
	"context"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// complaint is one error of a compiler. Its file is relative to the project's root.
type complaint struct {
	file string
	line int
	text string // without the place
	full string // as the compiler printed it
}

var (
	goPlace = re.New(`^(\S[^:\n]*\.go):(\d+)(?::\d+)?: (.*)$`)
	tsPlace = re.New(`^(\S[^(\n]*\.\w+)\((\d+),\d+\): (error TS\d+: .*)$`)
)

// complaints compiles or type-checks tests without running them.
func (p *place) complaints(ctx context.Context, files []string) ([]complaint, []step.Record, error) {
	var out []complaint
	var records []step.Record
	for _, cmd := range p.chain.TypeCheck(toolchain.Selection{Files: files}) {
		o, err := p.exec(ctx, cmd, false)
		if err != nil {
			return nil, records, err
		}
		records = append(records, o.Record)
		if p.chain.Ecosystem == toolchain.Rust {
			for _, e := range (reader{chain: p.chain, root: p.root}).cargoBuild(o.output).errors {
				out = append(out, e.complaint)
			}
			continue
		}
		if p.chain.Ecosystem == toolchain.JVM {
			out = append(out, reader{chain: p.chain, root: p.root}.jvmComplaints(o.output)...)
			continue
		}
		place := tsPlace
		text := string(o.output)
		if p.chain.Ecosystem == toolchain.Go {
			place, text = goPlace, buildOutput(o.output)
		}
		for l := range strings.Lines(text) {
			l = strings.TrimRight(l, "\r\n")
			if m := place().FindStringSubmatch(strings.TrimPrefix(l, "./")); m != nil {
				n, _ := strconv.Atoi(m[2]) // digits, by the pattern
				out = append(out, complaint{path.Join(p.chain.Root, m[1]), n, m[3], l})
			} else if k := len(out) - 1; k >= 0 && l != "" && (l[0] == ' ' || l[0] == '\t') {
				out[k].full += "\n" + l
			}
		}
	}
	return slices.Compact(out), records, nil
}

// buildOutput is what the compiler printed in the events of go test -json.
func buildOutput(events []byte) string {
	var b strings.Builder
	for line := range bytes.SplitSeq(events, []byte("\n")) {
		var e goEvent
		if len(line) > 0 && line[0] == '{' && json.Unmarshal(line, &e) == nil {
			if e.Action == "build-output" {
				b.WriteString(e.Output)
			}
			continue
		}
		b.Write(append(line, '\n'))
	}
	return b.String()
}

// goRun is a run of Go tests of which some may not compile: those are cut out, so that the others run one by one.
type goRun struct {
	testRun

	stubbed  bool
	cut      map[string]cutTest // by id
	mistakes []step.Finding
	unread   []string // files that cannot be parsed
}

// cutTest is why a test was cut out. One without a mistake only needs what the spec exports and nothing declares yet.
type cutTest struct {
	mistake bool
	text    string
}

// runGo runs Go tests with stubs for what is missing.
func (r *red) runGo(ctx context.Context, files []string, ts []test, stub func(string, toolchain.Symbol) string) (run goRun, err error) {
	s, err := r.p.putStubs(r.m, files, stub)
	if err != nil {
		return run, err
	}
	c := &cutter{r: r, s: s, gone: map[string]cutTest{}, changed: map[string]bool{}}
	c.run.cut = map[string]cutTest{}
	defer func() {
		if e := s.undo(); err == nil {
			err = e
		}
	}()
	c.run.stubbed = len(s.before) > 0
	r.stubs = c.run.stubbed
	c.run.testRun, err = r.p.runTests(ctx, toolchain.Selection{Files: files}, ts)
	if err != nil || !broken(c.run.results) {
		return c.run, err
	}
	if err = c.untilItCompiles(ctx, files); err != nil {
		return c.run, err
	}
	rest := slices.DeleteFunc(slices.Clone(ts), func(t test) bool { _, cut := c.run.cut[t.ID]; return cut })
	before := c.run.records
	c.run.testRun, err = r.p.runTests(ctx, toolchain.Selection{Files: files}, rest)
	c.run.records = append(before, c.run.records...)
	for _, t := range ts {
		if why, cut := c.run.cut[t.ID]; cut {
			c.run.results = append(c.run.results, step.TestResult{
				ID: t.ID, File: t.File, Status: step.Error, Message: "does not compile: " + shorten(why.text),
			})
		}
	}
	return c.run, err
}

// broken reports whether a package could not be built.
func broken(rs []step.TestResult) bool {
	return slices.ContainsFunc(rs, func(r step.TestResult) bool {
		_, name := toolchain.SplitID(r.ID)
		return name == "" && r.Status == step.Error
	})
}

// cutter takes what does not compile out of test files, until the rest does.
type cutter struct {
	r       *red
	s       *stubber
	run     goRun
	gone    map[string]cutTest // names that were declared in what was cut
	changed map[string]bool    // files that something was cut out of
}

func (c *cutter) untilItCompiles(ctx context.Context, files []string) error {
	const most = 12 // each round takes something out
	for range most {
		list, records, err := c.r.p.complaints(ctx, files)
		c.run.records = append(c.run.records, records...)
		if err != nil || len(list) == 0 {
			return err
		}
		if c.aside(list) {
			// The present code does not compile beside the stubs: it stays as it is.
			if err := c.s.undo(); err != nil {
				return err
			}
			c.s.golib = goStubs{}
			c.gone, c.changed = map[string]cutTest{}, map[string]bool{}
			c.run.cut, c.run.mistakes, c.run.unread = map[string]cutTest{}, nil, nil
			c.run.stubbed, c.r.stubs = false, false
			continue
		}
		mended, err := c.s.mendGo(list)
		if err != nil {
			return err
		}
		if mended { // what is wrong in tests may follow from that
			continue
		}
		if again, err := c.cut(list); err != nil || !again {
			return err
		}
	}
	return nil
}

// aside reports whether setting present code aside broke it.
func (c *cutter) aside(list []complaint) bool {
	return c.run.stubbed && slices.ContainsFunc(list, func(x complaint) bool {
		return !strings.HasSuffix(x.file, "_test.go") && path.Base(x.file) != stubFile && c.s.before[x.file] != nil || strings.Contains(x.full, asideMark)
	})
}

// cut takes out the declarations that complaints are about.
func (c *cutter) cut(list []complaint) (bool, error) {
	files, err := c.s.cutFiles(list, func(file string) bool { return strings.HasSuffix(file, "_test.go") && len(c.r.p.read(file)) > 0 }, c.cutFile)
	for _, file := range files {
		c.changed[file] = true
	}
	return len(files) > 0, err
}

// cutFiles takes what complaints are about out of the wanted files, and gives those that changed.
func (s *stubber) cutFiles(list []complaint, wanted func(file string) bool, cut func(file string, src []byte, list []complaint) []byte) ([]string, error) {
	byFile := map[string][]complaint{}
	for _, x := range list {
		if wanted(x.file) {
			byFile[x.file] = append(byFile[x.file], x)
		}
	}
	var changed []string
	for _, file := range slices.Sorted(maps(byFile)) {
		src := s.p.read(file)
		out := cut(file, src, byFile[file])
		if bytes.Equal(src, out) {
			continue
		}
		changed = append(changed, file)
		if err := s.put(file, out); err != nil {
			return changed, err
		}
	}
	return changed, nil
}

// cutFile gives the file without the declarations that do not compile. Where that cannot be told nothing is left of it.
func (c *cutter) cutFile(file string, src []byte, list []complaint) []byte {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, src, parser.SkipObjectResolution)
	if err != nil {
		c.run.unread = append(c.run.unread, file)
		c.mistake(list[0], "", "The test file cannot be compiled: ")
		return c.cutAll(file, src, cutTest{true, list[0].full})
	}
	out := slices.Clone(src)
	blank := func(n ast.Node) {
		for i := fset.Position(n.Pos()).Offset; i < fset.Position(n.End()).Offset; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	var unused []int
	for _, x := range list {
		if unusedImport().MatchString(x.text) {
			if !c.changed[file] {
				c.mistake(x, "", "The test file cannot be compiled: ")
			}
			unused = append(unused, x.line)
			continue
		}
		d := declAt(fset, f, x.line)
		if g, ok := d.(*ast.GenDecl); d == nil || ok && g.Tok == token.IMPORT {
			why := c.judge(x)
			if why.mistake {
				c.mistake(x, "", why.text)
			}
			return c.cutAll(file, src, cutTest{why.mistake, x.full})
		}
		why, names := c.judge(x), declared(d)
		test := ""
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
			test = fn.Name.Name
		}
		if why.mistake && !c.dragged(x) {
			c.mistake(x, test, why.text)
		}
		for _, n := range names {
			c.gone[n] = cutTest{why.mistake, x.full}
		}
		c.run.note(file+"::"+test, cutTest{why.mistake, x.full})
		blank(d)
	}
	return withoutNames(fset, f, out, unused)
}

// note remembers why a test was cut out; a mistake counts more.
func (g *goRun) note(id string, why cutTest) {
	have, seen := g.cut[id]
	switch {
	case !seen:
		g.cut[id] = why
	case have.text != why.text:
		g.cut[id] = cutTest{have.mistake || why.mistake, have.text + "\n" + why.text}
	}
}

// cutAll leaves nothing but the package clause.
func (c *cutter) cutAll(file string, src []byte, why cutTest) []byte {
	f := source.Parse(file, c.r.original(file))
	for _, t := range f.Tests {
		c.run.note(file+"::"+t.Name, why)
	}
	pkg := f.Package
	if m := packageClause().FindSubmatch(src); pkg == "" && m != nil {
		pkg = string(m[1])
	}
	if pkg == "" {
		return src
	}
	for _, m := range topLevel().FindAllSubmatch(src, -1) {
		c.gone[string(m[1])] = why
	}
	return []byte("package " + pkg + "\n")
}

// topLevel finds names that a file declares, also in one that cannot be parsed.
var topLevel = re.New(`(?m)^(?:func|var|const|type) (\w+)`)

// original is a test file as it is in the proved tree.
func (r *red) original(file string) []byte {
	if b, ok := r.sources[file]; ok {
		return b
	}
	return r.p.read(file)
}

// judge tells a mistake of the tests from what only waits for the implementation.
func (c *cutter) judge(x complaint) cutTest {
	for _, m := range undefinedName().FindAllStringSubmatch(x.text, -1) {
		if why, cut := c.gone[m[1]]; cut {
			return why
		}
	}
	if m := ofType().FindStringSubmatch(x.text); m != nil && c.s.invented[m[1]] {
		return cutTest{false, x.full}
	}
	if why := c.r.unrelated(test{File: x.file}, x.full, true); why != "" {
		return cutTest{true, why}
	}
	return cutTest{false, x.full}
}

var (
	undefinedName = re.New(`undefined: (\w+)$`)
	ofType        = re.New(`(?:type|struct literal of type) \*?(?:\w+\.)?(\w+)`)
)

// dragged reports whether a complaint only says that something is missing that was cut out for a mistake of its own.
func (c *cutter) dragged(x complaint) bool {
	m := undefinedName().FindStringSubmatch(x.text)
	return m != nil && c.gone[m[1]].text != ""
}

func (c *cutter) mistake(x complaint, test, why string) {
	if !c.r.m.ownTest(x.file) {
		return // it is not the author's to mend
	}
	if !strings.Contains(why, x.full) {
		why += firstLines(x.full, 4)
	}
	if test != "" {
		why = "The test " + test + " does not compile: " + why
	}
	f := reject("red-unrelated-failure", x.file, x.line, why)
	if !slices.Contains(c.run.mistakes, f) {
		c.run.mistakes = append(c.run.mistakes, f)
	}
}

// declAt is the declaration around a line.
func declAt(fset *token.FileSet, f *ast.File, line int) ast.Decl {
	for _, d := range f.Decls {
		if fset.Position(d.Pos()).Line <= line && line <= fset.Position(d.End()).Line {
			return d
		}
	}
	return nil
}

// declared are the names that a declaration declares.
func declared(d ast.Decl) []string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return []string{d.Name.Name}
	case *ast.GenDecl:
		var out []string
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				out = append(out, s.Name.Name)
			case *ast.ValueSpec:
				for _, n := range s.Names {
					out = append(out, n.Name)
				}
			}
		}
		return out
	}
	return nil
}

// withoutNames imports the packages on some lines for their effects only. Nothing before them may have another length
// than in the file that was parsed.
func withoutNames(fset *token.FileSet, f *ast.File, src []byte, lines []int) []byte {
	for _, imp := range slices.Backward(f.Imports) {
		if !slices.Contains(lines, fset.Position(imp.Pos()).Line) || imp.Name != nil && imp.Name.Name == "_" {
			continue
		}
		from, to := fset.Position(imp.Pos()).Offset, fset.Position(imp.Path.Pos()).Offset
		src = slices.Concat(src[:from], []byte("_ "), src[to:])
	}
	return src
}
