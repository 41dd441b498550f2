package check

import (
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// ReadReport reads a runner's report as the checker does.
func ReadReport(chain toolchain.Found, root string, kind toolchain.Report, report, output []byte) ([]step.TestResult, error) {
	return reader{chain: chain, root: root, fileOf: func(dir, _ string) string { return dir + "/m_test.go" }}.read(kind, report, report, output)
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
