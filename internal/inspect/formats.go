package inspect

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
)

// drifts are the rules of a validation with a sentence each.
var drifts = [][2]string{
	{"STALE", "An export of the spec that the code does not have"},
	{"MISSING", "An export of the code that the spec does not list"},
	{"MISMATCH", "An export with another signature than the spec gives it"},
	{"ORPHAN", "An entry of Structure that is not there"},
	{"UNCOVERED", "A module that Structure does not list"},
	{"INVALID", "A spec that cannot be built"},
}

// SARIF is the validation as code scanners report it ("SARIF 2.1.0").
func (v Validation) SARIF(version string) ([]byte, error) {
	type object = map[string]any
	rules := []object{}
	for _, d := range drifts {
		rules = append(rules, object{"id": d[0], "shortDescription": object{"text": d[1]}})
	}
	results := []object{}
	v.each(func(_ ModuleDrift, d Drift) {
		results = append(results, object{
			"ruleId": d.Type, "level": "warning", "message": object{"text": d.Message},
			"locations": []object{{"physicalLocation": object{
				"artifactLocation": object{"uri": d.File}, "region": object{"startLine": max(d.Line, 1)},
			}}},
		})
	})
	return json.MarshalIndent(object{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
		"runs": []object{{"tool": object{"driver": object{"name": "jacquard", "version": version, "rules": rules}}, "results": results}},
	}, "", "  ")
}

// each visits every difference; a spec that cannot be built is one as well.
func (v Validation) each(f func(ModuleDrift, Drift)) {
	for _, m := range v.Modules {
		if !m.Valid {
			f(m, Drift{Type: "INVALID", File: specOf(m.Directory), Message: "The spec is not valid: jacquard spec check " + specOf(m.Directory)})
		}
		for _, d := range m.Issues {
			f(m, d)
		}
	}
}

func specOf(dir string) string {
	if dir == "." {
		return specFile
	}
	return dir + "/" + specFile
}

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name      string        `xml:"name,attr"`
	Classname string        `xml:"classname,attr"`
	Failure   *junitFailure `xml:"failure"`
}

type junitFailure struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// JUnit is the validation as a test report: a case a module, failed by each difference.
func (v Validation) JUnit() ([]byte, error) {
	all := junitSuites{}
	for _, m := range v.Modules {
		s := junitSuite{Name: m.Directory}
		Validation{Modules: []ModuleDrift{m}}.each(func(m ModuleDrift, d Drift) {
			s.Cases = append(s.Cases, junitCase{
				Name: d.Type + " " + d.Symbol, Classname: m.Directory,
				Failure: &junitFailure{Type: d.Type, Message: d.Message, Text: fmt.Sprintf("%s:%d", d.File, d.Line)},
			})
		})
		s.Failures = len(s.Cases)
		if s.Failures == 0 {
			s.Cases = []junitCase{{Name: "spec and code agree", Classname: m.Directory}}
		}
		s.Tests = len(s.Cases)
		all.Tests, all.Failures = all.Tests+s.Tests, all.Failures+s.Failures
		all.Suites = append(all.Suites, s)
	}
	out, err := xml.MarshalIndent(all, "", "  ")
	return append([]byte(xml.Header), append(out, '\n')...), err
}
