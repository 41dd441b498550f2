package check

import (
	"bytes"
	"path"
	"strings"

	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
)

// Where runners of JavaScript keep the snapshot of a test file.
var snapshotFiles = map[string]func(file string) string{
	"toMatchSnapshot":                    besideInFolder,
	"toThrowErrorMatchingSnapshot":       besideInFolder,
	"snapshot":                           func(file string) string { return file + ".snapshot" }, // node's t.assert.snapshot
	"toMatchInlineSnapshot":              nil,
	"toThrowErrorMatchingInlineSnapshot": nil,
}

func besideInFolder(file string) string {
	return path.Join(path.Dir(file), "__snapshots__", path.Base(file)+".snap")
}

// snapshots rejects new tests that compare with a snapshot which is not there: the runner would write it from the code, and no check
// writes one. Without code such a test fails as it should, and with code it fails whatever the code is.
func (r *red) snapshots() []step.Finding {
	var out []step.Finding
	for _, t := range r.fresh {
		f := source.Parse(t.File, r.sources[t.File])
		if f.Lang != source.TypeScript && f.Lang != source.JavaScript {
			continue
		}
		code := within(source.Code(f.Tokens), t.Off, t.Stop)
		for i := 1; i+2 < len(code); i++ {
			file, is := snapshotFiles[code[i].Text]
			if !is || code[i-1].Text != "." || code[i+1].Text != "(" {
				continue
			}
			text := "The test " + t.Name + " compares with a missing snapshot, and no check writes one. Write the value from the spec into the test."
			if file != nil {
				snap := file(t.File)
				if r.keeps(snap, t.Name) {
					continue
				}
				if r.m.Place.AllowsTest(snap) {
					text += " Or write the snapshot itself, " + snap + "."
				}
			} else if code[i+2].Text != ")" {
				continue // the value is there
			}
			out = append(out, reject("snapshot-missing", t.File, code[i].Line, text))
			break
		}
	}
	return out
}

// keeps reports whether a snapshot file has something for a test. The name of a test that is made of a table is not looked for.
func (r *red) keeps(snap, test string) bool {
	if _, ok := r.p.entries[snap]; !ok {
		return false
	}
	name := strings.TrimSpace(test[strings.LastIndexByte(test, '>')+1:])
	return strings.ContainsAny(name, "%$") || bytes.Contains(r.p.read(snap), []byte(name))
}
