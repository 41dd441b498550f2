package step

import (
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/task"
)

// AutoIn is what a run of auto is asked for.
type AutoIn struct {
	Request  string      `json:"request"`
	Named    string      `json:"named,omitempty"`   // the style of the project's own that it was begun with
	Feature  string      `json:"feature,omitempty"` // its name, where the user gives one
	Own      bool        `json:"own,omitempty"`     // the documents of that name are its own: another tool has begun it
	Language string      `json:"language"`          // of documents where the project names none
	Context  []Doc       `json:"context,omitempty"` // collected before the run; data
	Sources  []Source    `json:"sources,omitempty"` // the same, for an analyst to read first
	Wants    Wanted      `json:"wants,omitempty"`   // of the sources, where there is no task; the run ends with it
	DryRun   bool        `json:"dry_run,omitempty"` // ends with the score, writes nothing
	Eco      bool        `json:"eco,omitempty"`     // the small way, whatever the score says
	Heavy    bool        `json:"heavy,omitempty"`   // the large way
	Style    *pdca.Style `json:"style,omitempty"`   // what sizes get; nil is pdca.OwnStyle
	Opus     bool        `json:"opus,omitempty"`    // in HEAVY, who designs, implements and judges gets the high tier
	Gates    bool        `json:"gates,omitempty"`   // a person is asked between the phases
	Yes      bool        `json:"yes,omitempty"`     // nobody is asked: what a person would decide ends it
	Left     *Left       `json:"left,omitempty"`    // of the last run of the same request, which did not pass: the implementation begins with it
	Accept   bool        `json:"accept,omitempty"`  // objections of reviewers do not stop it; they stay in the report
	Custom   string      `json:"custom,omitempty"`  // a command line that has to succeed, as a goal of quality
	Screen   string      `json:"screen,omitempty"`  // a command line that runs in a terminal
	Expect   string      `json:"expect,omitempty"`  // regular expression of what has to be seen there
	SkipE2E  bool        `json:"skip_e2e,omitempty"`
	Strict   bool        `json:"strict,omitempty"` // an end-to-end test that fails ends it at once
	Issue    *IssueIn    `json:"issue,omitempty"`  // the feature is told of on the forge
	Pull     *PullIn     `json:"pull,omitempty"`   // it ends with a pull request
	Delivery Delivery    `json:"delivery"`
	Budget   Budget      `json:"budget"`
}

// Wanted is what a run makes of its sources instead of work on the project.
type Wanted string

// What can be wanted of sources.
const (
	WantAnalysis Wanted = "analysis"
	WantDrafts   Wanted = "drafts" // of answers to mails
	WantTodo     Wanted = "todo"   // what mails ask for
)

// Source are messages of one place.
type Source struct {
	Kind     string    `json:"kind"`     // pdca.Slack, pdca.Gmail
	Name     string    `json:"name"`     // channel, or query
	File     string    `json:"file"`     // name of its context file, without ending
	Messages flow.Blob `json:"messages"` // []pdca.Message
	Text     Doc       `json:"text"`     // as they are read
}

// AutoContextIn asks for the context file of a source.
type AutoContextIn struct {
	Source   Source        `json:"source"`
	Analysis pdca.Analysis `json:"analysis"`
	Wants    Wanted        `json:"wants,omitempty"`
	Language string        `json:"language"`
}

// AutoContextOut is the context file as authors are shown it, and what was written, the wanted file last.
type AutoContextOut struct {
	Doc   Doc       `json:"doc"`
	Files []DocFile `json:"files"`
}

// AutoContext writes what was found in messages below .jacquard/context, which is never committed.
var AutoContext = flow.Step[AutoContextIn, AutoContextOut]{Name: "auto.context", Lane: Landing}

// IssueIn asks to tell of a feature on the forge.
type IssueIn struct {
	Number int `json:"number,omitempty"` // of the issue that the task names; 0 = one is opened
}

// AutoSurveyOut is what the authors of a feature have to know of the project.
type AutoSurveyOut struct {
	ProjectFacts

	Files flow.Blob `json:"files"`           // []string, all paths of the tree
	Roots []string  `json:"roots,omitempty"` // directories of manifests
	React bool      `json:"react,omitempty"` // the rules for React and Next.js apply
	Onto  HeadOut   `json:"onto"`            // what the user has: where the work begins, or what an earlier run began with
}

// SurveyIn asks for what authors have to know of the project.
type SurveyIn struct {
	Request  string   `json:"request,omitempty"` // what is asked for: what it is about is shown
	Homes    []string `json:"homes,omitempty"`   // folders in which the project has documents as the run writes them, if it has any
	Language string   `json:"language"`          // of documents where the project names none
	// From is a commit of an earlier run that the work goes on from, Onto the one of the user's branch that it follows; both
	// are empty where the work begins with what is checked out.
	From string `json:"from,omitempty"`
	Onto string `json:"onto,omitempty"`
}

// AutoSurvey reads the project.
var AutoSurvey = flow.Step[SurveyIn, AutoSurveyOut]{Name: "auto.survey", Lane: Landing}

// AutoClaimIn asks for a name of a feature.
type AutoClaimIn struct {
	Feature string `json:"feature"`
	Tree    string `json:"tree"`
	Own     bool   `json:"own,omitempty"` // documents of that name are its own
}

// AutoClaimOut is the name, with a suffix where another run or a document has it.
type AutoClaimOut struct {
	Feature string `json:"feature"`
}

// AutoClaim gives the run a feature's name that nobody else gets.
var AutoClaim = flow.Step[AutoClaimIn, AutoClaimOut]{Name: "auto.claim", Lane: Landing}

// AutoLookIn asks what of a design is in a tree.
type AutoLookIn struct {
	Base      string       `json:"base"` // tree that the work began with
	Tree      string       `json:"tree"`
	Checklist []pdca.Check `json:"checklist,omitempty"`
}

// AutoLookOut is what code found: the items, the files that differ, and the difference as a document for reviewers.
type AutoLookOut struct {
	Found []pdca.Presence `json:"found,omitempty"`
	Files []Change        `json:"files,omitempty"`
	Diff  Doc             `json:"diff"`
}

// AutoLook looks for the items of a checklist.
var AutoLook = flow.Step[AutoLookIn, AutoLookOut]{Name: "auto.look", Lane: Checks}

// GoalStatus is the end of a goal of quality.
type GoalStatus string

// The ends of a goal. One that the project has no command for is skipped, never failed.
const (
	GoalPass GoalStatus = "PASS"
	GoalFail GoalStatus = "FAIL"
	GoalSkip GoalStatus = "SKIP"
)

// Goal is one goal of quality: lint, test, build, typecheck, custom, interactive, e2e.
type Goal struct {
	Goal     string         `json:"goal"`
	Status   GoalStatus     `json:"status"`
	Output   string         `json:"output,omitempty"`
	Failures []pdca.Failure `json:"failures,omitempty"`
}

// AutoQAIn asks for the goals of quality of a tree.
type AutoQAIn struct {
	Private flow.Blob `json:"private"`
	Base    string    `json:"base"` // tree that the work began with: what failed there is nobody's
	Tree    string    `json:"tree"`
	Custom  string    `json:"custom,omitempty"`
	Screen  string    `json:"screen,omitempty"`
	Expect  string    `json:"expect,omitempty"`
}

// AutoQAOut are the goals in their order.
type AutoQAOut struct {
	Goals    []Goal    `json:"goals"`
	Baseline []string  `json:"baseline,omitempty"` // what failed before as well
	Records  flow.Blob `json:"records"`
}

// AutoQA runs the goals of quality. It changes nothing.
var AutoQA = flow.Step[AutoQAIn, AutoQAOut]{Name: "auto.qa", Lane: Checks}

// AutoE2E runs the end-to-end tests that the project configures; no goal comes of it where it has none.
var AutoE2E = flow.Step[AutoQAIn, AutoQAOut]{Name: "auto.e2e", Lane: Checks}

// DocFile is a document that is committed.
type DocFile struct {
	Path string    `json:"path"`
	Blob flow.Blob `json:"blob"`
}

// TextFile is a text that is to become a file.
type TextFile struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// AutoKeepIn are documents to be kept until they are committed.
type AutoKeepIn struct {
	Docs []TextFile `json:"docs"`
}

// AutoKeepOut is where they are.
type AutoKeepOut struct {
	Docs []DocFile `json:"docs"`
}

// AutoKeep writes documents as blobs.
var AutoKeep = flow.Step[AutoKeepIn, AutoKeepOut]{Name: "auto.keep", Lane: Landing}

// AutoCommitIn asks for a commit on the run's branch.
type AutoCommitIn struct {
	From    string    `json:"from"` // commit that it follows
	Tree    string    `json:"tree"` // of the project, without the documents of earlier commits
	Base    string    `json:"base"` // tree of the project that the branch has
	Feature string    `json:"feature"`
	Type    string    `json:"type"` // feat, fix, docs, wip
	Title   string    `json:"title"`
	Docs    []DocFile `json:"docs,omitempty"`
}

// AutoCommit commits what has been proved.
var AutoCommit = flow.Step[AutoCommitIn, HeadOut]{Name: "auto.commit", Lane: Landing}

// ReviewFinding is what a reviewer says of a place.
type ReviewFinding struct {
	Severity string `json:"severity"` // CRITICAL, HIGH, MEDIUM, LOW
	Path     string `json:"path,omitempty"`
	Line     int    `json:"line,omitempty"`
	Message  string `json:"message"`
}

// ReviewResult is the judgement of one role on one tree.
type ReviewResult struct {
	Role     string           `json:"role"` // critic, architect, reviewer
	Round    int              `json:"round"`
	Tree     string           `json:"tree,omitempty"` // it is valid for no other
	Verdict  string           `json:"verdict"`        // APPROVE, REVISE, REJECT
	Domain   string           `json:"domain,omitempty"`
	Reasons  []string         `json:"reasons,omitempty"`
	Guide    string           `json:"guide,omitempty"`
	Items    []pdca.Judgement `json:"items,omitempty"`
	Findings []ReviewFinding  `json:"findings,omitempty"`
}

// PhaseNote is the fact noted when a phase of auto begins or ends.
type PhaseNote struct {
	Phase   string    `json:"phase"` // plan, design, do, gate, qa, verify, act, report
	Feature string    `json:"feature,omitempty"`
	Mode    pdca.Mode `json:"mode,omitempty"`
	// Documents is the folder that those of the feature are in, see ProjectFacts.
	Documents string        `json:"documents,omitempty"`
	Without   []string      `json:"without,omitempty"` // documents that the style does not write
	Score     *pdca.Score   `json:"score,omitempty"`
	Text      string        `json:"text,omitempty"`
	Goals     []Goal        `json:"goals,omitempty"`
	Gap       *int          `json:"gap,omitempty"` // percent
	Round     int           `json:"round,omitempty"`
	Reviews   *ReviewResult `json:"review,omitempty"`
}

// AutoOut is the end of a run of auto.
type AutoOut struct {
	Outcome

	Feature    string     `json:"feature"`
	Mode       pdca.Mode  `json:"mode"`
	Score      pdca.Score `json:"score"`
	Promotions []string   `json:"promotions,omitempty"`
	Gap        int        `json:"gap,omitempty"` // percent; LIGHT measures none
	Attempts   int        `json:"attempts"`      // of implementation
	QA         int        `json:"qa_cycles"`
	Fixes      int        `json:"fixes"`
	Reentries  int        `json:"reentries"`
	E2E        int        `json:"e2e,omitempty"` // fixes after end-to-end tests that failed
	Tests      Counts     `json:"tests"`
	Issue      string     `json:"issue,omitempty"`   // address of the issue where it is told of
	Context    []DocFile  `json:"context,omitempty"` // files with what was found in messages
}

// Owned is the task that a feature's files make, for its proof.
func Owned(files []task.File, title string, commands []string) task.Task {
	return task.Task{ID: "feature", Title: title, Files: files, Verify: commands}
}
