package step

import (
	"encoding/json"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// DecompileIn is what a decompile run is asked for.
type DecompileIn struct {
	Path   string `json:"path,omitempty"` // only directories here and below
	Budget Budget `json:"budget"`
}

// SurveyOut is the directories with code whose spec has to be written or completed.
type SurveyOut struct {
	Commit  string    `json:"commit"` // snapshot of the user's tree
	Tree    string    `json:"tree"`
	Modules flow.Blob `json:"modules"` // []Draft, the deepest directories first
	Count   int       `json:"count"`
	Whole   int       `json:"whole"` // specs that lack nothing
}

// Draft is a spec as far as code tells it.
type Draft struct {
	Dir     string    `json:"dir"`  // "." is the root
	Spec    string    `json:"spec"` // path of its spec
	Exports int       `json:"exports"`
	Files   []NewFile `json:"files"`         // its documents, as they would be written without an agent
	Ask     bool      `json:"ask,omitempty"` // an agent can say more: what the module is for, and why
	Docs    []Doc     `json:"docs,omitempty"`
	Sources flow.Blob `json:"sources"` // map[string]string: path to text, what an agent may quote
}

// NewFile is a document to be written: New replaces the file that has the id Old ("" = there is none).
type NewFile struct {
	Path string    `json:"path"`
	Old  string    `json:"old,omitempty"`
	Text flow.Blob `json:"text"`
}

// Survey reads the code of a project.
var Survey = flow.Step[DecompileIn, SurveyOut]{Name: "decompile.survey", Lane: Landing}

// Statement is a sentence about a module with the place in the code that shows it.
type Statement struct {
	Text  string `json:"text"`
	File  string `json:"file"`
	Quote string `json:"quote"`
}

// Description is what an agent read out of code beyond what a program can.
type Description struct {
	Purpose       string      `json:"purpose"`
	Decisions     []Statement `json:"decisions"`
	Constraints   []Statement `json:"constraints"`
	Compatibility []Statement `json:"compatibility"`
}

// DescribeIn puts a description into a spec's draft and writes its files into the user's tree.
type DescribeIn struct {
	Files       []NewFile    `json:"files"`
	Description *Description `json:"description,omitempty"`
}

// WrittenOut says what became of documents. With conflicts nothing was written: the files are not what they were.
type WrittenOut struct {
	Written   []string `json:"written,omitempty"`
	Conflicts []string `json:"conflicts,omitempty"`
}

// Describe completes and writes the documents of one module, all or none.
var Describe = flow.Step[DescribeIn, WrittenOut]{Name: "decompile.write", Lane: Landing}

// SpecIn is a request that is to become specs.
type SpecIn struct {
	Request string `json:"request"`
	Path    string `json:"path,omitempty"` // where the modules belong; "" = the agent proposes
	Budget  Budget `json:"budget"`
	Yes     bool   `json:"yes,omitempty"` // questions are not asked: their default holds, and is written down
}

// SpecSurveyOut is what a request's author is shown of the project.
type SpecSurveyOut struct {
	Commit string `json:"commit"`
	Tree   string `json:"tree"`
	Docs   []Doc  `json:"docs"`
}

// SpecSurvey lists the modules that there are, conventions and the layout of the project.
var SpecSurvey = flow.Step[SpecIn, SpecSurveyOut]{Name: "spec.survey", Lane: Landing}

// DraftIn is an agent's answer to a request.
type DraftIn struct {
	Tree   string          `json:"tree"`
	Path   string          `json:"path,omitempty"`
	Answer json.RawMessage `json:"answer"`
	// Assumed are questions with the answers that were taken for granted; they are written down.
	Assumed []QA `json:"assumed,omitempty"`
	// Told are warnings that the author was told already: one who leaves what they are about means it.
	Told []string `json:"told,omitempty"`
}

// QA is a question with its answer.
type QA struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
}

// DraftOut is the documents that a specification makes, merged with those that there are, and what is wrong with them.
type DraftOut struct {
	Files    []NewFile    `json:"files,omitempty"`
	Modules  []SpecModule `json:"modules,omitempty"`
	Findings []Finding    `json:"findings,omitempty"`
	Told     []string     `json:"told,omitempty"` // the texts of findings that are warnings
}

// Leftover is the rule of findings about what a change has probably left behind.
const Leftover = "leftover"

// SpecModule is one module of a specification.
type SpecModule struct {
	Dir     string   `json:"dir"`
	Spec    string   `json:"claude_md_path"`               // of the only document that changes, if that is another
	Plan    string   `json:"implements_md_path,omitempty"` // where it is written beside the spec
	Created bool     `json:"created"`
	Changes []string `json:"changes,omitempty"` // of a document that was there: what came or changed, for people
}

// SpecDraft renders and checks.
var SpecDraft = flow.Step[DraftIn, DraftOut]{Name: "spec.draft", Lane: Landing}

// DocumentOut is the result of decompile and of spec new.
type DocumentOut struct {
	Outcome

	Modules []DocumentModule `json:"modules"`
	Written int              `json:"written"`
	Kept    int              `json:"kept"`            // not written: the files changed meanwhile, or findings stayed
	Whole   int              `json:"whole,omitempty"` // decompile: specs that lacked nothing
}

// DocumentModule is what became of one module's documents.
type DocumentModule struct {
	Dir      string    `json:"dir"`
	Spec     string    `json:"claude_md_path"`
	Plan     string    `json:"implements_md_path,omitempty"` // spec new: where it was written beside the spec
	Exports  int       `json:"exports,omitempty"`
	Status   string    `json:"status"` // written or kept
	Purpose  string    `json:"purpose,omitempty"`
	Created  bool      `json:"created,omitempty"`
	Changes  []string  `json:"changes,omitempty"`
	Why      string    `json:"why,omitempty"`      // of kept
	Findings []Finding `json:"findings,omitempty"` // what an agent said and code does not show; left out
	Usage    Usage     `json:"usage"`
}
