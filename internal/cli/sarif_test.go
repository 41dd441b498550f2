package cli_test

import (
	"encoding/json"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/rogpeppe/go-internal/testscript"
)

// checkSARIF holds a file, or stdout, to the schema of SARIF 2.1.0, and to what GitHub asks for besides: sarif FILE.
// https://docs.github.com/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning
func checkSARIF(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: sarif FILE")
	}
	text := ts.ReadFile(args[0])
	var known sarif.Report
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields() // the report has what the schema knows
	ts.Check(d.Decode(&known))
	report, err := sarif.FromString(text)
	ts.Check(err)
	for _, run := range report.Runs { // what the report leaves out, and its reader does not
		run.Language, run.Tool.Driver.Language, run.NewlineSequences = "en-US", "en-US", []string{"\n"}
	}
	ts.Check(report.Validate())
	for _, run := range report.Runs {
		rules := map[string]bool{}
		for _, r := range run.Tool.Driver.Rules {
			rules[*r.ID] = r.ShortDescription != nil
		}
		if len(run.Results) == 0 {
			ts.Fatalf("%s has no results", args[0])
		}
		for _, r := range run.Results {
			if r.RuleID == nil || !rules[*r.RuleID] {
				ts.Fatalf("a result has no rule with a description: %v", *r.Message.Text)
			}
			if len(r.PartialFingerprints) == 0 {
				ts.Fatalf("%s has no fingerprint", *r.RuleID)
			}
			if len(r.Locations) == 0 || strings.HasPrefix(*r.Locations[0].PhysicalLocation.ArtifactLocation.URI, "/") {
				ts.Fatalf("%s has no place in the repository", *r.RuleID)
			}
		}
	}
}
