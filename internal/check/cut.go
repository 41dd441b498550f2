package check

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

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
		place, text := tsPlace, string(o.output)
		switch p.chain.Ecosystem {
		case toolchain.Rust:
			out, text = append(out, each(p.reader().cargoBuild(o.output).errors, func(e cargoError) complaint { return e.complaint })...), ""
		case toolchain.JVM:
			out, text = append(out, p.reader().jvmComplaints(o.output)...), ""
		case toolchain.Go:
			place, text = goPlace, buildOutput(o.output)
		}
		for l := range strings.Lines(text) {
			l = strings.TrimRight(l, "\r\n")
			if m := place().FindStringSubmatch(strings.TrimPrefix(l, "./")); m != nil {
				out = append(out, complaint{path.Join(p.chain.Root, m[1]), atoi(m[2]), m[3], l})
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

// cutRun is a run of tests of which some may not compile: those are cut out, so that the others run one by one.
type cutRun struct {
	testRun

	cut      map[string]cutTest // by id
	mistakes []step.Finding
	unread   []string // files that cannot be parsed
}

// cutTest is why a test was cut out. One without a mistake only needs what the spec exports and nothing declares yet.
type cutTest struct {
	mistake bool
	text    string
}

// cutter takes what does not compile out of test files, until the rest does. Stubs that are wrong are mended first.
type cutter struct {
	r   *red
	s   *stubber
	run cutRun

	mend func(list []complaint) (bool, error)
	file func(name string, src []byte, list []complaint) []byte // what is left of a file
}

// tests runs tests that are compiled in one piece.
func (c *cutter) tests(ctx context.Context, files []string, ts []test) (err error) {
	c.run.cut = map[string]cutTest{}
	c.run.testRun, err = c.r.p.runTests(ctx, toolchain.Selection{Files: files}, ts)
	unbuilt := func(r step.TestResult) bool { return r.Status == step.Error && !strings.Contains(r.ID, "::") } // a package
	if err != nil || !slices.ContainsFunc(c.run.results, unbuilt) {
		return err
	}
	if err = c.untilItCompiles(ctx, files); err != nil {
		return err
	}
	isCut := func(id string) bool { _, cut := c.run.cut[id]; return cut }
	rest := without(ts, func(t test) bool { return isCut(t.ID) })
	before := c.run.records
	c.run.testRun = testRun{}
	if len(rest) > 0 {
		c.run.testRun, err = c.r.p.runTests(ctx, toolchain.Selection{Files: files}, rest)
	}
	c.run.records = append(before, c.run.records...)
	c.run.results = slices.DeleteFunc(c.run.results, func(x step.TestResult) bool { return isCut(x.ID) })
	for _, t := range ts {
		if isCut(t.ID) {
			c.run.results = append(c.run.results, step.TestResult{
				ID: t.ID, File: t.File, Status: step.Error, Message: "it does not compile: " + shorten(c.run.cut[t.ID].text),
			})
		}
	}
	return err
}

func (c *cutter) untilItCompiles(ctx context.Context, files []string) error {
	const most = 12 // each round takes something out
	for range most {
		list, records, err := c.r.p.complaints(ctx, files)
		c.run.records = append(c.run.records, records...)
		if err != nil || len(list) == 0 {
			return err
		}
		mended, err := c.mend(list)
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

// cut takes what complaints are about out of the test files, and reports whether one changed.
func (c *cutter) cut(list []complaint) (changed bool, err error) {
	byFile := groups(list, func(x complaint) string { return x.file })
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		src := c.r.p.read(file)
		if !toolchain.IsTest(file) || len(bytes.TrimSpace(src)) == 0 {
			continue
		}
		if out := c.file(file, src, byFile[file]); !bytes.Equal(src, out) {
			changed = true
			if err := c.s.put(file, out); err != nil {
				return changed, err
			}
		}
	}
	return changed, nil
}

// blank leaves nothing of a piece of source but its lines.
func blank(src []byte, from, to int) {
	for i := from; i < to; i++ {
		if src[i] != '\n' {
			src[i] = ' '
		}
	}
}

// note remembers why a test was cut out; a mistake counts more.
func (g *cutRun) note(id string, why cutTest) {
	have, seen := g.cut[id]
	switch {
	case !seen:
		g.cut[id] = why
	case have.text != why.text:
		g.cut[id] = cutTest{have.mistake || why.mistake, have.text + "\n" + why.text}
	}
}

// original is a test file as it is in the proved tree.
func (r *red) original(file string) []byte {
	if b, ok := r.sources[file]; ok {
		return b
	}
	return r.p.read(file)
}

// mistake notes what is wrong in a test of the author, or, without one, in its file.
func (c *cutter) mistake(x complaint, test, why string) {
	if !c.r.m.ownTest(x.file) {
		return // it is not the author's to mend
	}
	if !strings.Contains(why, x.full) {
		why += "\n" + firstLines(x.full, 4)
	}
	if test != "" {
		why = "The test " + test + " does not compile: " + why
	}
	f := reject("red-unrelated-failure", x.file, x.line, why)
	if !slices.ContainsFunc(c.run.mistakes, func(g step.Finding) bool { return g.Path == f.Path && g.Message == f.Message }) {
		c.run.mistakes = append(c.run.mistakes, f)
	}
}
