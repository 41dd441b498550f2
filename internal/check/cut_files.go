package check

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// runFiles runs tests of a language that compiles them in one piece, with stubs for what is missing. Tests that do not compile even so are
// emptied, so that the others run one by one.
func (r *red) runFiles(ctx context.Context, files []string, ts []test, fails bool) (run goRun, err error) {
	s := &stubber{p: r.p, m: r.m, before: map[string][]byte{}, invented: map[string]bool{}}
	c := &fileCutter{r: r, s: s}
	c.run.cut = map[string]cutTest{}
	defer func() {
		if e := s.undo(); err == nil {
			err = e
		}
	}()
	if err = s.files(files, fails); err != nil {
		return run, err
	}
	c.run.stubbed = len(s.before) > 0
	r.stubs = c.run.stubbed
	c.run.testRun, err = r.p.runTests(ctx, toolchain.Selection{Files: files}, ts)
	if err != nil || !broken(c.run.results) {
		return c.run, err
	}
	before := c.run.records
	if err = c.untilItCompiles(ctx, files, &before); err != nil {
		return c.run, err
	}
	rest := slices.DeleteFunc(slices.Clone(ts), func(t test) bool { _, cut := c.run.cut[t.ID]; return cut })
	c.run.testRun = testRun{}
	if len(rest) > 0 {
		if c.run.testRun, err = r.p.runTests(ctx, toolchain.Selection{Files: files}, rest); err != nil {
			return c.run, err
		}
	}
	c.run.records = append(before, c.run.records...)
	c.run.results = slices.DeleteFunc(c.run.results, func(x step.TestResult) bool { _, cut := c.run.cut[x.ID]; return cut })
	for _, t := range ts {
		if why, cut := c.run.cut[t.ID]; cut {
			c.run.results = append(c.run.results, step.TestResult{
				ID: t.ID, File: t.File, Status: step.Error, Message: "it does not compile: " + shorten(why.text),
			})
		}
	}
	return c.run, nil
}

// fileCutter empties tests that do not compile.
type fileCutter struct {
	r   *red
	s   *stubber
	run goRun
}

func (c *fileCutter) untilItCompiles(ctx context.Context, files []string, records *[]step.Record) error {
	const most = 8
	for range most {
		list, recs, err := c.r.p.complaints(ctx, files)
		*records = append(*records, recs...)
		if err != nil || len(list) == 0 {
			return err
		}
		mended, err := c.s.mendTexts(list)
		if err != nil {
			return err
		}
		if mended {
			continue
		}
		if again, err := c.cut(list); err != nil || !again {
			return err
		}
	}
	return nil
}

// cut empties the tests that complaints are about. A complaint outside of all tests leaves nothing of the file.
func (c *fileCutter) cut(list []complaint) (bool, error) {
	files, err := c.s.cutFiles(list, func(file string) bool { return toolchain.IsTest(file) && len(bytes.TrimSpace(c.r.p.read(file))) > 0 }, c.cutFile)
	return len(files) > 0, err
}

func (c *fileCutter) cutFile(file string, src []byte, list []complaint) []byte {
	tests := source.Parse(file, src).Tests
	out := slices.Clone(src)
	var whole []complaint
	for _, x := range list {
		i := slices.IndexFunc(tests, func(t source.Test) bool { return t.Line <= x.line && x.line <= t.End && t.Off < t.Stop })
		if i < 0 {
			whole = append(whole, x)
			continue
		}
		t := tests[i]
		why := c.judge(x)
		if why.mistake {
			c.mistake(x, t.Name, why.text)
		}
		c.run.note(file+"::"+t.Name, why)
		for k := t.Off; k < t.Stop; k++ {
			if out[k] != '\n' {
				out[k] = ' '
			}
		}
		if body := emptyBody(file); t.Stop-t.Off >= len(body) {
			copy(out[t.Off:], body)
		}
	}
	if bytes.Equal(out, src) && len(whole) > 0 {
		// Nothing but what all tests of the file need is left.
		for _, x := range whole {
			why := c.judge(x)
			if why.mistake {
				c.mistake(x, "", why.text)
			}
			for _, t := range source.Parse(file, c.r.original(file)).Tests {
				if why.mistake {
					c.run.note(file+"::"+t.Name, why)
				} else if id := file + "::" + t.Name; !has(c.r.loaded, id) {
					c.r.loaded = append(c.r.loaded, id) // it has not run, so it shows nothing of its own
					c.run.note(id, why)
				}
			}
		}
		return []byte("\n")
	}
	return out
}

// emptyBody is the body of a test that is left out: it has to fit any result.
func emptyBody(file string) string {
	if source.LangOf(file) == source.Rust {
		return "{ todo!() }"
	}
	return "{ }"
}

// judge tells a mistake of the tests from what only waits for the implementation.
func (c *fileCutter) judge(x complaint) cutTest {
	for _, m := range quotedName().FindAllStringSubmatch(x.text, -1) {
		if c.s.invented[m[1]] { // a type of which nothing is known
			return cutTest{false, x.full}
		}
	}
	if why := c.r.unrelated(test{File: x.file}, x.text+"\n"+x.full, true); why != "" {
		return cutTest{true, why}
	}
	return cutTest{false, x.full}
}

var quotedName = re.New("[`'\" .]([\\pL_][\\pL\\pN_]*)[`'\"<]")

func (c *fileCutter) mistake(x complaint, test, why string) {
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
