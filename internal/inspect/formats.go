package inspect

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/url"
	"path"
	"strings"
)

// NotVerified is the rule of a module that `jacquard verify` does not find as it was built.
const NotVerified = "NOT-VERIFIED"

// drifts are the rules of a validation with a sentence each.
var drifts = [][2]string{
	{"STALE", "An export or dependency of the spec that the code does not have"},
	{"MISSING", "An export of the code that the spec does not list"},
	{"MISMATCH", "An export whose signature differs from the spec"},
	{"ORPHAN", "An entry of Structure that does not exist, or an import that Dependencies does not list"},
	{"UNCOVERED", "A module that Structure does not list"},
	{"UNRESOLVED", "A dependency or reference that does not resolve"},
	{"BOUNDARY", "A reference that leaves the module, but not to a spec"},
	{"CONVENTION", "A section of conventions that lacks a part"},
	{"UNREADABLE", "A file that cannot be read"},
	{"UNTESTED", "A scenario that no test seems to cover"},
	{"UNBUILT", "A spec that changed since its code was built"},
	{"UNREAD", "A source file of which parts could not be read"},
	{"INVALID", "A spec that cannot be built"},
	{NotVerified, "A module that differs from what was built and proved"},
}

// SARIF is the validation as code scanners report it ("SARIF 2.1.0").
func (v Validation) SARIF(version string) ([]byte, error) {
	type object = map[string]any
	rules := []object{}
	for _, d := range drifts {
		rules = append(rules, object{"id": d[0], "shortDescription": object{"text": d[1]}})
	}
	results := []object{}
	v.each(func(_ string, d Drift, note bool) {
		results = append(results, object{
			"ruleId": d.Type, "level": map[bool]string{true: "note", false: "warning"}[note], "message": object{"text": d.Message}, "partialFingerprints": object{"jacquard/v1": Fingerprint(d.Type, d.File, d.Symbol)},
			"locations": []object{{"physicalLocation": object{
				"artifactLocation": object{"uri": (&url.URL{Path: d.File}).String()}, "region": object{"startLine": max(d.Line, 1)},
			}}},
		})
	})
	return json.MarshalIndent(object{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
		"runs": []object{{"tool": object{"driver": object{"name": "jacquard", "version": version, "rules": rules}}, "results": results}},
	}, "", "  ")
}

// Fingerprint is one for what stays the same of a finding while lines above it come and go: 32 digits of the SHA-256 of its parts.
func Fingerprint(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// each visits every difference and note, with the directory that it is about; a spec that
// cannot be built and a file that cannot be read are differences as well.
func (v Validation) each(f func(dir string, d Drift, note bool)) {
	for _, m := range v.Modules {
		if !m.Valid {
			f(m.Directory, Drift{Type: "INVALID", File: m.file, Message: "The spec is not valid: jacquard spec check " + m.file}, false)
		}
		for _, d := range m.Issues {
			f(m.Directory, d, false)
		}
		for _, d := range m.Notes {
			f(m.Directory, d, true)
		}
	}
	for _, d := range v.Conventions {
		f(path.Dir(d.File), d, false)
	}
	for _, u := range v.Unreadable {
		f(path.Dir(u.File), Drift{Type: "UNREADABLE", File: u.File, Symbol: u.File, Message: u.Message}, false)
	}
}

// place is where a difference is: a file, with the line where there is one.
func (d Drift) place() string {
	if d.Line == 0 {
		return d.File
	}
	return fmt.Sprintf("%s:%d", d.File, d.Line)
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

// JUnit is the validation as a test report: a suite for each module and each other place of
// a difference, with a case that each difference fails.
func (v Validation) JUnit() ([]byte, error) {
	all := junitSuites{}
	at := map[string]int{}
	suite := func(dir string) *junitSuite {
		if _, known := at[dir]; !known {
			at[dir] = len(all.Suites)
			all.Suites = append(all.Suites, junitSuite{Name: dir})
		}
		return &all.Suites[at[dir]]
	}
	for _, m := range v.Modules {
		suite(m.Directory)
	}
	v.each(func(dir string, d Drift, note bool) {
		if note {
			return
		}
		s := suite(dir)
		s.Cases = append(s.Cases, junitCase{
			Name: d.Type + " " + d.Symbol, Classname: dir,
			Failure: &junitFailure{Type: d.Type, Message: d.Message, Text: d.place()},
		})
	})
	for i := range all.Suites {
		s := &all.Suites[i]
		s.Failures = len(s.Cases)
		if s.Failures == 0 {
			s.Cases = []junitCase{{Name: "spec and code agree", Classname: s.Name}}
		}
		s.Tests = len(s.Cases)
		all.Tests, all.Failures = all.Tests+s.Tests, all.Failures+s.Failures
	}
	out, err := xml.MarshalIndent(all, "", "  ")
	return append([]byte(xml.Header), append(out, '\n')...), err
}
