package check

import (
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// ReadReport reads a runner's report as the checker does.
func ReadReport(chain toolchain.Found, root string, kind toolchain.Report, report []byte) ([]step.TestResult, error) {
	return reader{chain: chain, root: root, fileOf: func(dir, _ string) string { return dir + "/m_test.go" }}.read(kind, report, report)
}
