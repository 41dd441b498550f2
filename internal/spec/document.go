package spec

import (
	"path"
	"slices"
	"strings"
)

// Kind is what an export is.
type Kind string

// The kinds of exports.
const (
	Function Kind = "function"
	Type     Kind = "type"
	Class    Kind = "class"
	Enum     Kind = "enum"
	Variable Kind = "variable"
)

// Document is a CLAUDE.md or SPEC.md, understood.
type Document struct {
	Path    string // from the project's root, "/" separators
	Name    string // the first H1
	Version string // "1.0" or what the schema marker says
	Purpose string
	Summary string // v2

	Exports     []Export
	ExportsNone bool // the section says None
	Behaviors   []Behavior
	Actors      []Actor   // v2
	UseCases    []UseCase // v2
	Contracts   []Contract
	Protocol    Protocol
	Context     Context
	Constraints []Clause // the section Constraints

	Dependencies Dependencies
	Structure    []StructureEntry
	Conventions  []Convention // Project Convention and Code Convention
	CrossRefs    []CrossRef

	sections map[string]*found
	content  string // digest of the contract sections' text
	text     string // digest of the whole text
	rules    string // the text outside of all sections with a meaning, of the root's document
	korean   bool   // it is written in Korean

	accidental []int // lines of headings that a line of dashes made
}

// Dir is the module's directory from the project's root; "." for the root itself.
func (d *Document) Dir() string { return path.Dir(d.Path) }

// IsSpec reports whether the document describes a module: it has at least one of Purpose, Exports
// and Behavior. Any other CLAUDE.md is an agent's memory and none of our business.
func (d *Document) IsSpec() bool {
	return d.Has("Purpose") || d.Has("Exports") || d.Has("Behavior")
}

// IsModule reports whether the document is the spec of a module: that of the root only when it exports or does something, because
// the root's CLAUDE.md often has rules only.
func (d *Document) IsModule() bool {
	return d.IsSpec() && (d.Dir() != "." || d.Has("Exports") || d.Has("Behavior"))
}

// Has reports whether the document has the section, under any of the names it is known by.
func (d *Document) Has(title string) bool { return d.sections[headingKey(title)] != nil }

// Text returns a section as written, without its heading and without HTML comments; "" when the
// document has none.
func (d *Document) Text(title string) string {
	if f := d.sections[headingKey(title)]; f != nil {
		return f.text
	}
	return ""
}

// Rules returns what a root CLAUDE.md says to everybody who works on the project, beside the sections that have a meaning of their
// own; "" for documents of other directories.
func (d *Document) Rules() string { return d.rules }

// End returns the number of the line on which a section ends, 0 when the document has none. Where it is there more than
// once the first one counts.
func (d *Document) End(title string) int {
	if f := d.sections[headingKey(title)]; f != nil {
		return f.parts[0].end
	}
	return 0
}

// Export is one symbol that other modules may use. Methods are named "Class.method".
type Export struct {
	Form        string // of a Type, as its heading says it: struct, data_class or record; else ""
	Kind        Kind
	Name        string
	Signature   string // as written, white space collapsed
	Async       bool
	Variants    []string // of an enum
	Value       string   // of a variable: its value, or its type when only that is given
	Description string
	Line        int
}

// Behavior is one scenario: what goes in and what comes out.
type Behavior struct {
	Subject  string `json:"-"` // what it is about: a function, a scenario's name; may be empty
	Input    string `json:"input"`
	Output   string `json:"output"`
	Category string `json:"category"` // "success" or "error"
	UseCase  string `json:"-"`        // v2: "UC-1"
	Line     int    `json:"-"`
}

// Actor is someone who uses the module (v2).
type Actor struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// UseCase is a named group of behaviors (v2).
type UseCase struct {
	ID, Name, Actor   string
	Includes, Extends []string
	Line              int
}

// Clause is one sentence of a contract or a constraint, with its line.
type Clause struct {
	Text string `json:"text"`
	Line int    `json:"line"`
}

// Contract is what one function promises and asks for. Function is "" for the module as a whole.
type Contract struct {
	Function       string
	Preconditions  []Clause
	Postconditions []Clause
	Throws         []Clause
	Invariants     []Clause
	Line           int
}

// Protocol is a module's state machine and the order in which it is used. Where there are several machines, each is
// among Machines, and States and Transitions are those of all.
type Protocol struct {
	States      []Clause
	Transitions []Transition
	Machines    []Machine
	Lifecycle   []Stage
}

// Machine is one state machine, with the heading that it stands under; "" where that names none.
type Machine struct {
	Name        string
	States      []Clause
	Transitions []Transition
}

// Has reports whether a state is one of the machine's.
func (m *Machine) Has(state string) bool { return hasClause(m.States, state) }

func hasClause(list []Clause, text string) bool {
	return slices.ContainsFunc(list, func(c Clause) bool { return c.Text == text })
}

// Transition is one step of the state machine.
type Transition struct {
	From    string `json:"from"`
	Trigger string `json:"trigger"`
	To      string `json:"to"`
	Line    int    `json:"-"`
}

// Stage is one step of the lifecycle.
type Stage struct {
	Order       int    `json:"order"`
	Method      string `json:"method"`
	Description string `json:"description"`
	Line        int    `json:"-"`
}

// Context is the section Domain Context: why the code is as it is.
type Context struct {
	Rationale, Constraints, Compatibility []Clause
}

// Dependencies are what the module may use.
type Dependencies struct {
	Internal []Internal
	Leaving  []Internal // those that lead out of the project, without a Path
	External []External
}

// Internal is a dependency on another module.
type Internal struct {
	Path    string   // directory from the project's root, "/" separators; "." is the root
	Ref     string   // as written
	Symbols []string // what is used; empty = not said
	IsSpec  bool     // the reference names a spec, by either name
	Line    int
}

// File is the path that the dependency was written as, from the root: of a directory, or of its spec.
func (i Internal) File() string {
	if !i.IsSpec {
		return i.Path
	}
	return i.Spec()
}

// Spec is the path of the spec of the module, by the name that was written, if any was.
func (i Internal) Spec() string {
	if base := path.Base(strings.ReplaceAll(i.Ref, `\`, "/")); i.IsSpec && IsName(base) {
		return path.Join(i.Path, base)
	}
	return path.Join(i.Path, Name)
}

// External is a dependency on a package.
type External struct {
	Name, Version string
	Symbols       []string
	Line          int
}

// reference is the package in the version that is said, if any is.
func (e External) reference() string {
	if e.Version == "" {
		return e.Name
	}
	return e.Name + "@" + e.Version
}

// StructureEntry is a file or folder named in the section Structure. Folders end in "/".
type StructureEntry struct {
	Path, Description string
	Line              int
}

// Convention is one part of a convention: the H2 it stands under, its own title ("" for the text
// directly under the H2) and its text as written.
type Convention struct {
	Section, Name, Text string
}

// CrossRef is a reference to a symbol of another module: `path/CLAUDE.md#symbol`, or by the other name of a spec.
type CrossRef struct {
	Path    string // the module's directory from the project's root
	File    string // the spec, by the name that was written
	Symbol  string
	Section string // the H2 that it stands under, "(unknown)" above the first
	Line    int
}
