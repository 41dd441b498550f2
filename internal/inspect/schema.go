package inspect

import "strings"

// SchemaError is a reason for which a document is not valid.
type SchemaError struct {
	Type       string `json:"error_type"`
	Message    string `json:"message"`
	Line       int    `json:"line_number,omitempty"`
	Section    string `json:"section,omitempty"`
	Suggestion string `json:"suggestion,omitempty"`
}

// schemaErrors are the kinds of problems, by how their texts begin and end, with the section that they are about.
var schemaErrors = []struct {
	begin, end string
	is         SchemaError
}{
	{"Purpose is empty", "", SchemaError{Type: "InvalidSectionContent", Section: "Purpose"}},
	{"Exports section", "", SchemaError{Type: "InvalidExports", Section: "Exports"}},
	{"Behavior section", "", SchemaError{Type: "InvalidBehavior", Section: "Behavior"}},
	{"decision '", "", SchemaError{Type: "MissingField", Section: "Decision Log"}},
	{"INV-3", "", SchemaError{Type: "INV3Violation"}},
	{"a parent directory must not be referred to", "", SchemaError{Type: "ForbiddenReference", Section: "Dependencies"}},
	{"Cross-reference", "", SchemaError{Type: "UnresolvedCrossReference"}},
	{"dependency ", "leaves the project", SchemaError{Type: "ForbiddenReference", Section: "Dependencies"}},
	{"dependency ", "is not a module", SchemaError{Type: "UnresolvedDependency", Section: "Dependencies"}},
	{"Duplicate use case", "", SchemaError{Type: "DuplicateUseCaseId", Section: "Behavior"}},
	{"Include target", "", SchemaError{Type: "InvalidIncludeTarget", Section: "Behavior"}},
	{"Extend target", "", SchemaError{Type: "InvalidExtendTarget", Section: "Behavior"}},
}

// typeOf is the error_type of a problem, and the section that it is about.
func typeOf(text string) (kind, section string) {
	if section, ok := strings.CutPrefix(text, "Missing required section: "); ok {
		return "MissingSection", section
	}
	if strings.Contains(text, "does not allow 'None'") {
		return "InvalidSectionContent", strings.Split(text, "'")[1]
	}
	for _, e := range schemaErrors {
		if strings.HasPrefix(text, e.begin) && strings.HasSuffix(text, e.end) {
			return e.is.Type, e.is.Section
		}
	}
	if strings.Contains(text, " does not export ") {
		return "UnresolvedDependency", "Dependencies"
	}
	return "InvalidDocument", ""
}
