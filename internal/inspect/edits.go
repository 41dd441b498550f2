package inspect

// change is a kind of edit of a spec.
type change uint8

const (
	noChange change = iota
	addExport
	removeExport
	replaceSignature
	addDependency
	addEntry
	removeEntry
)

// edit is what makes a difference go away without anybody thinking about it.
type edit struct {
	what  change
	line  int    // of the spec, from 1, where something is there already
	old   string // the signature that stands there
	group string // the heading under which an export belongs
	text  string // what to write, without a bullet
}

// MendedLine is one change, with the lines that went and came.
type MendedLine struct {
	Type    string   `json:"type"`
	Section string   `json:"section"`
	Symbol  string   `json:"symbol"`
	Line    int      `json:"line"` // in the file as it was
	Removed []string `json:"removed"`
	Added   []string `json:"added"`
}

// Drift is one difference. Section is the part of the spec that it is about. Type is
//
//	STALE       the spec has it and the code does not: an export, a dependency
//	MISSING     the code exports it, the spec does not
//	MISMATCH    both have it, and not the same
//	ORPHAN      Structure lists what is not there; the code imports what Dependencies lacks
//	UNCOVERED   it is there, Structure leaves it out
//	UNRESOLVED  a dependency or reference leads nowhere
//	BOUNDARY    a reference leaves the module by another way than a spec, or (a note) leads to the module that it lies in
//	UNREADABLE  a source file that cannot be read; the module is not compared
//	CONVENTION  a convention's section lacks a part
//	CONTRACT    a guard or an error of a contract is not that of the code (a note)
//	UNTESTED    no test is named after the scenario (a note)
//	UNBUILT     the spec is not the one that the code was built from (a note)
//	UNREAD      parts of a source file are no code that its reader understands (a note)
type Drift struct {
	Type    string `json:"type"`
	Section string `json:"section"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	Symbol  string `json:"symbol"`
	Message string `json:"message"`

	mend edit // what makes it go away, if a program can know
}
