package check_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// The reports in testdata were written by the real runners; only the directory was replaced by /project.
func TestReportsOfRunners(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file string
		kind toolchain.Report
	}{
		{"go.json", toolchain.ReportGoTest},
		{"go-nested.json", toolchain.ReportGoTest},
		{"vitest.json", toolchain.ReportJest},
		{"vitest-hook.json", toolchain.ReportJest},
		{"jest.json", toolchain.ReportJest},
		{"bun-1.3.xml", toolchain.ReportBun},
		{"bun-1.4.xml", toolchain.ReportBun},
		{"deno.xml", toolchain.ReportDeno},
		{"deno-unread.xml", toolchain.ReportDeno},
		{"node.ndjson", toolchain.ReportNode},
		{"pytest.xml", toolchain.ReportJUnit},
		{"unittest.jsonl", toolchain.ReportUnittest},
		{"stestr.subunit", toolchain.ReportAny},
		{"ctest.xml", toolchain.ReportAny},
		{"ctest-junit.xml", toolchain.ReportAny},
	} {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile(filepath.Join("testdata", "reports", c.file))
			if err != nil {
				t.Fatal(err)
			}
			output, err := os.ReadFile(filepath.Join("testdata", "reports", c.file+".out")) // what the runner printed, where it counts
			if err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			rs, err := check.ReadReport(toolchain.Found{Root: ".", Module: "ex"}, "/project", c.kind, b, output)
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for _, r := range rs {
				first, _, _ := strings.Cut(r.Message, "\n")
				fmt.Fprintf(&got, "%-5s %s | %s\n", r.Status, r.ID, first)
			}
			golden := filepath.Join("testdata", "reports", c.file+".golden")
			if *update {
				if err = os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got.String() != string(want) {
				t.Errorf("results:\n%s\nwant:\n%s", got.String(), want)
			}
		})
	}
}

func TestCutReportsAreErrors(t *testing.T) {
	t.Parallel()
	for file, kind := range map[string]toolchain.Report{"vitest.json": toolchain.ReportJest, "pytest.xml": toolchain.ReportJUnit, "node.ndjson": toolchain.ReportNode, "bun-1.4.xml": toolchain.ReportBun, "deno.xml": toolchain.ReportDeno} {
		b, err := os.ReadFile(filepath.Join("testdata", "reports", file))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := check.ReadReport(toolchain.Found{Root: "."}, "/project", kind, b[:len(b)*2/3], nil); err == nil {
			t.Errorf("%s: a cut report is read as if it were whole", file)
		}
	}
}

// TestLongBuild: what a build says at length takes as long to read as it is long, and not the square of that.
func TestLongBuild(t *testing.T) {
	t.Parallel()
	event := `{"ImportPath":"ex/m","Action":"build-output","Output":"m.go:1:2: ` + strings.Repeat("long ", 20) + `\n"}` + "\n"
	report := strings.Repeat(event, 60_000) + `{"Package":"ex/m","Action":"fail","FailedBuild":"ex/m"}` + "\n"
	start := time.Now()
	rs, err := check.ReadReport(toolchain.Found{Root: ".", Module: "ex"}, "/project", toolchain.ReportGoTest, []byte(report), nil)
	if err != nil || len(rs) != 1 || !strings.Contains(rs[0].Message, "m.go:1:2: long") {
		t.Fatalf("%v, %v", rs, err)
	}
	if took := time.Since(start); took > 15*time.Second {
		t.Errorf("it took %s", took)
	}
}
