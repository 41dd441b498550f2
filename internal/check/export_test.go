package check

import (
	"strings"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/confine"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// ReadReport reads a runner's report as the checker does.
func ReadReport(chain toolchain.Found, root string, kind toolchain.Report, report, output []byte) ([]step.TestResult, error) {
	return reader{chain: chain, root: root, fileOf: func(dir, name string) string {
		if strings.HasPrefix(name, "TestOf") { // of no file
			return dir
		}
		return dir + "/m_test.go"
	}}.read(kind, report, report, output)
}

// Shared is an installation in a directory (with its packages in tree/node_modules) as check trees share it.
type Shared struct{ d prepared }

// NewShared opens one.
func NewShared(dir string) Shared {
	return Shared{prepared{dir: dir, copies: []string{"node_modules"}, link: true}}
}

// Sound seals it, or reports whether it is as it was sealed.
func (s Shared) Sound() (bool, error) { return s.d.seal() }

// Into gives a check tree the packages.
func (s Shared) Into(root string) error { return s.d.copyInto(&place{root: root}) }

// Cut removes tests from the text of a file.
var Cut = cut

// Evict removes installations.
var Evict = evict

// State is what the record sees in a check tree in which some files of the project were written.
func State(t *testing.T, root, ecosystem string, written ...string) string {
	t.Helper()
	p := &place{root: root, chain: toolchain.Found{Ecosystem: ecosystem}, entries: map[string]git.Entry{}, edited: map[string]bool{}}
	for _, name := range written {
		p.entries[name], p.edited[name] = git.Entry{Path: name}, true
	}
	s, err := p.state()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ReadReportOf reads a report that names tests by their titles.
func ReadReportOf(chain toolchain.Found, files []string, text func(string) []byte, kind toolchain.Report, report []byte) ([]step.TestResult, error) {
	return reader{chain: chain, root: "/project", tests: func() []string { return files }, text: text}.read(kind, report, report, report)
}

// Relocate corrects the texts of an environment.
var Relocate = relocate

// Said are what is compared of an output: the keys.
func Said(output string) []string {
	_, keys := (&place{c: &Checker{o: Options{Cache: "/cache"}}, dir: "/place"}).said(outcome{output: []byte("$ command\n" + output)})
	return keys
}

// Complaints are what an author is shown of an output.
func Complaints(output string) []string {
	lines, _ := (&place{c: &Checker{o: Options{Cache: "/cache"}}, dir: "/place"}).said(outcome{output: []byte(output)})
	return atPlaces(lines)
}

// Limit is how long the tests of a directory may take after one run of them took a time; 0 = none has been.
func (c *Checker) Limit(dir string, took time.Duration) time.Duration {
	p, cmd := &place{c: c}, toolchain.Command{Name: "test", Dir: dir}
	if took > 0 {
		c.learn(p.learnedFile(cmd), learned{Millis: took.Milliseconds()})
	}
	return p.limit(cmd)
}

// Bounds is what commands of a folder may use of most after one that has used something.
func (c *Checker) Bounds(dir string, used confine.Used, output int64, most confine.Limits) confine.Limits {
	p, cmd := &place{c: c}, toolchain.Command{Name: "test", Dir: dir}
	c.learn(p.learnedFile(cmd), learned{Memory: used.Memory, Processes: used.Processes, Output: output})
	return p.bounds(cmd, most)
}

// Took says that the tests of a toolchain have taken a time.
func (c *Checker) Took(chain toolchain.Found, took time.Duration) {
	for _, cmd := range chain.Test(toolchain.Selection{}) {
		c.learn((&place{c: c, chain: chain}).learnedFile(cmd), learned{Millis: took.Milliseconds()})
	}
}

// Brief is brief.
var Brief = brief

// Folded is folded.
var Folded = folded

// Unasked is unasked.
func (t Task) Unasked(changes []Change) []step.Finding { return t.unasked(changes) }

// CopyTree copies a folder.
func CopyTree(from, to string, link bool) error { return copyTree(from, to, link) }

// Compiled are the ways in which the tests of a project are compiled before they are run.
func Compiled(chain toolchain.Found) [][]string { return compiled(chain) }

// Unreached is what is said of the output of a check that no service could be reached from.
func Unreached(text string, ports ...int) string {
	c := &Checker{}
	c.o.Confine = &confine.Policy{Ports: ports}
	return c.unreached(text)
}

// UnreadHeldOut is what RED says of calls that cannot be made.
func (m Module) UnreadHeldOut() []step.Finding { return m.unreadHeldOut() }

// KeepFresh marks what is in the compiler's cache as used.
func (c *Checker) KeepFresh() { c.keepFresh() }
