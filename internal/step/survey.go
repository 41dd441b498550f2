package step

// Verdict is what one command of a project gives on a tree that nobody has worked on.
type Verdict string

// The verdicts on commands.
const (
	Passes  Verdict = "passes"
	Fails   Verdict = "fails"   // with findings that were there before: they are charged to nobody
	Missing Verdict = "missing" // a program is not installed
	Useless Verdict = "useless" // it ran, and nothing can be proved by it
)

// Standing is one command of a project, and how it stands on a tree.
type Standing struct {
	Purpose string  `json:"purpose"` // install, prepare, build, lint, test
	Command string  `json:"command"`
	Dir     string  `json:"dir"`
	From    string  `json:"from,omitempty"` // where the project says so; "" is Jacquard's own table
	State   Verdict `json:"state"`
	Text    string  `json:"text,omitempty"` // what is wrong, and what to do
	Level   string  `json:"level,omitempty"`
	Tests   int     `json:"tests,omitempty"`
	Failed  int     `json:"failed,omitempty"`
	Skipped int     `json:"skipped,omitempty"`
	Old     int     `json:"findings,omitempty"` // that were there before
	Millis  int64   `json:"ms"`
	Reused  Reused  `json:"reused,omitzero"` // it did not run now
}

// NoTests is the text of tests that a project does not have yet.
const NoTests = "there is no test yet"

// Blocks reports whether nothing can be proved while a command stands like this.
func (s Standing) Blocks() bool {
	switch s.State {
	case Missing:
		return s.Purpose != "lint" && s.Purpose != "build"
	case Fails:
		return s.Purpose == "install" || s.Purpose == "prepare"
	case Useless:
		return s.Purpose == "test" && s.Text != NoTests
	case Passes:
	}
	return false
}
