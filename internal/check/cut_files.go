package check

import (
	"bytes"
	"slices"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
)

// fileCutter empties tests that do not compile. A complaint outside of all tests leaves nothing of the file.
type fileCutter struct{ *cutter }

func (c fileCutter) cutFile(file string, src []byte, list []complaint) []byte {
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
		blank(out, t.Off, t.Stop)
		body := "{ }" // it has to fit any result
		if source.LangOf(file) == source.Rust {
			body = "{ todo!() }"
		}
		if t.Stop-t.Off >= len(body) {
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
			for _, t := range testsIn(source.Parse(file, c.r.original(file))) {
				if why.mistake || !slices.Contains(c.r.loaded, t.ID) {
					c.run.note(t.ID, why)
				}
				if !why.mistake && !slices.Contains(c.r.loaded, t.ID) {
					c.r.loaded = append(c.r.loaded, t.ID) // it has not run, so it shows nothing of its own
				}
			}
		}
		return []byte("\n")
	}
	return out
}

// judge tells a mistake of the tests from what only waits for the implementation.
func (c fileCutter) judge(x complaint) cutTest {
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
