package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/explain"
	"github.com/jacquard-build/jacquard/internal/inspect"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

// level is how much a finding matters, in the words of a format.
func level(f check.Fact, blocks, matters, listed string) string {
	switch {
	case f.Blocks:
		return blocks
	case f.Severity == step.Warn:
		return listed
	}
	return matters
}

// judgedSARIF writes the findings as code scanners take them ("SARIF 2.1.0"). Paths are those of the repository. What has no place in a file is
// left out: GitHub would refuse all of it, and the text has it.
func judgedSARIF(_ *app, w io.Writer, p *project, j act.Judged) error {
	type object = map[string]any
	groups, err := explain.Groups("")
	if err != nil {
		return err
	}
	rules, results, known := []object{}, []object{}, map[string]bool{}
	for _, f := range j.Findings {
		if f.Path == "" {
			continue
		}
		if !known[f.Rule] {
			known[f.Rule] = true
			rules = append(rules, sarifRule(groups, f.Rule))
		}
		results = append(results, object{
			"ruleId": f.Rule, "level": level(f, "error", "warning", "note"), "message": object{"text": f.Message},
			"partialFingerprints": object{"jacquard/v1": fingerprint(f)}, "properties": object{"blocks": f.Blocks},
			"locations": []object{{"physicalLocation": object{
				"artifactLocation": object{"uri": (&url.URL{Path: path.Join(p.repo.Prefix(), f.Path)}).String(), "uriBaseId": "%SRCROOT%"},
				"region":           object{"startLine": max(f.Line, 1)},
			}}},
		})
	}
	slices.SortFunc(rules, func(a, b object) int { return strings.Compare(a["id"].(string), b["id"].(string)) })
	raw, err := json.MarshalIndent(object{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
		"runs": []object{{
			"tool":              object{"driver": object{"name": "jacquard", "version": built().Version, "rules": rules}},
			"automationDetails": object{"id": "jacquard-prove/" + p.repo.Prefix()}, // projects of one repository do not replace each other's
			"properties":        object{"verdict": j.Verdict}, "results": results,
		}},
	}, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(raw, '\n'))
	return err
}

// sarifRule is a rule as jacquard explain has it.
func sarifRule(groups []explain.Group, code string) map[string]any {
	text := func(s string) map[string]any { return map[string]any{"text": s} }
	rule := map[string]any{"id": code, "shortDescription": text(strings.ReplaceAll(code, "-", " "))}
	if list := explain.Find(groups, code); len(list) > 0 {
		e := list[0]
		rule["shortDescription"], rule["fullDescription"] = text(e.Line), text(e.Means+" "+e.Why)
		rule["help"] = map[string]any{"text": e.Means + "\n\n" + e.Why + "\n\n" + e.Fix, "markdown": e.Means + "\n\n**Why:** " + e.Why + "\n\n**Fix:** " + e.Fix}
	}
	return rule
}

var figures = re.New(`\d+`)

// fingerprint is what stays the same of a finding while lines above it come and go.
func fingerprint(f check.Fact) string {
	return inspect.Fingerprint(f.Rule, f.Path, figures().ReplaceAllString(f.Message, "#"))
}

// annotations is how many of a kind GitHub takes of one step.
const annotations = 10

// judgedGitHub writes annotations of a workflow, the worst first, and the verdict, which is an error where the job fails.
func judgedGitHub(_ *app, w io.Writer, p *project, j act.Judged) error {
	verdict := "error"
	if verdictCode(j) == exitOK {
		verdict = "notice"
	}
	var b strings.Builder
	count := map[string]int{verdict: 1}
	for _, f := range j.Findings {
		kind := level(f, "error", "warning", "notice")
		if count[kind]++; count[kind] > annotations {
			continue
		}
		var at []string
		if f.Path != "" {
			at = append(at, "file="+property(path.Join(p.repo.Prefix(), f.Path)), fmt.Sprintf("line=%d", max(f.Line, 1)))
		}
		at = append(at, "title="+property(f.Rule))
		fmt.Fprintf(&b, "::%s %s::%s\n", kind, strings.Join(at, ","), data(f.Message))
	}
	b.WriteString("::" + verdict + " title=jacquard prove::" + data(verdictText(report.English, j)) + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// judgedGitLab writes the findings as GitLab shows them in a merge request (Code Quality report). What has no place in a file has none
// there: the text has it.
func judgedGitLab(_ *app, w io.Writer, p *project, j act.Judged) error {
	type object = map[string]any
	list := []object{}
	for _, f := range j.Findings {
		if f.Path == "" {
			continue
		}
		list = append(list, object{
			"description": f.Message, "check_name": f.Rule, "fingerprint": fingerprint(f), "severity": level(f, "blocker", "major", "info"),
			"location": object{"path": path.Join(p.repo.Prefix(), f.Path), "lines": object{"begin": max(f.Line, 1)}},
		})
	}
	return jsonLines(w).Encode(list)
}

// data and property are texts as GitHub reads them in a command.
func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func property(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(data(s))
}
