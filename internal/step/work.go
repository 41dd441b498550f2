package step

import (
	"encoding/json"
	"slices"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/task"
)

// WorkIn is what a run of work is asked for.
type WorkIn struct {
	Request  string   `json:"request"`         // without its tags
	Original string   `json:"original"`        // as the user gave it
	Tags     []string `json:"tags,omitempty"`  // as written
	Bug      bool     `json:"bug,omitempty"`   // it is a report of a bug
	Named    string   `json:"named,omitempty"` // the style of the project's own that it was begun with
	Yes      bool     `json:"yes,omitempty"`   // nobody is asked: gates are approved, questions get their defaults
	Work     string   `json:"work,omitempty"`  // a WORK that is there already, to go on with from its files
	Task     string   `json:"task,omitempty"`  // only this one of its tasks
	// From is a commit of an earlier run of that WORK which is not on the branch yet: the run begins there.
	From string `json:"from,omitempty"`
	// Plan is what an earlier run had agreed on. It holds for a WORK that has no files because nothing has landed.
	Plan flow.Blob `json:"plan"`
	// Ask says that a person is asked about that plan again: an author says that it cannot be done as it stands.
	Ask bool `json:"ask,omitempty"`
	// Left is what the last run has left of tasks that did not pass, by id: they begin with it.
	Left     map[string]Left `json:"left,omitempty"`
	Language string          `json:"language"` // of documents where the project names none
	Delivery Delivery        `json:"delivery"`
	Budget   Budget          `json:"budget"`
	Router   Router          `json:"router"`
	// Size is the mode that a person has asked for, "" where code chooses.
	Size Mode `json:"size,omitempty"`
	// TestsFirst says that another author writes the tests of a task, and that they are seen to fail, before its code is written.
	TestsFirst bool `json:"tests_first,omitempty"`
	// Expected is what a bug report says should happen instead; the request ends with it.
	Expected string `json:"expected,omitempty"`
	// Pull asks for a pull request in place of commits on the user's branch.
	Pull *PullIn `json:"pull,omitempty"`
}

// Asked is what a person wants to hold when the work is done. Of a bug report only that is known which says so.
func (in WorkIn) Asked() string {
	if in.Bug {
		return in.Expected
	}
	return in.Request
}

// Router are the limits that decide how a request is carried out.
type Router struct {
	DirectRequirements int `json:"direct_requirements"` // at most so many functional requirements
	DirectCriteria     int `json:"direct_criteria"`     // at most so many criteria, each with a command
	PipelineTasks      int `json:"pipeline_tasks"`      // at most so many tasks, one after the other
	// Source is the file that the numbers are from, "" for the built-in ones.
	Source string `json:"source,omitempty"`
}

// Mode is how a request is carried out.
type Mode string

// The modes.
const (
	DirectMode   Mode = "direct"   // one task, no plan turn, one gate
	PipelineMode Mode = "pipeline" // a plan of one task, or of a few in a row; two gates
	FullMode     Mode = "full"     // a graph of tasks; two gates
)

// Requirement is a request as an author of requirements has understood it. Items are numbered by their positions:
// FR-01, NFR-01, AC-01.
type Requirement struct {
	Title         string      `json:"title"`
	Type          string      `json:"type"` // of commits, see task.Types
	Functional    []string    `json:"functional"`
	NonFunctional []string    `json:"nonfunctional,omitempty"`
	Criteria      []Criterion `json:"criteria"`
	Areas         []string    `json:"areas,omitempty"` // paths that it is about
	Assumed       []QA        `json:"assumed,omitempty"`
}

// IDs are the ids of all items.
func (r Requirement) IDs() []string {
	return slices.Concat(task.Numbered("FR", len(r.Functional)), task.Numbered("NFR", len(r.NonFunctional)), task.Numbered("AC", len(r.Criteria)))
}

// What a decision is about that no author has asked for.
const (
	Assumed             = "The request leaves it open."
	RequirementRejected = "The requirement was rejected."
	PlanRejected        = "The plan was rejected."
)

// EditRefused begins a question that is asked again because what a person edited could not be used.
const EditRefused = "Your edit was not accepted:"

// ByRejection says that a person decided something by rejecting a document.
const ByRejection = "rejection"

// Decision is what a person, or a default, has decided on the way.
type Decision struct {
	At       int64    `json:"at"`    // Unix milliseconds
	Stage    string   `json:"stage"` // specifier or planner
	Question string   `json:"question"`
	Answer   string   `json:"answer"`
	By       string   `json:"by"` // user, auto or ByRejection
	Options  []string `json:"options,omitempty"`
	Advice   string   `json:"advice,omitempty"` // what the author would take
}

// Criterion is what has to hold in the end, and the command that shows it, where there is one.
type Criterion = task.Criterion

// WorkPlan is a plan with its requirement: what the documents of a WORK are written from.
type WorkPlan struct {
	Work        string      `json:"work"` // WORK-01
	Request     string      `json:"request"`
	Mode        Mode        `json:"mode"`
	Language    string      `json:"language"` // of documents
	Commits     string      `json:"commits"`  // language of commits
	Project     string      `json:"project"`
	Stack       string      `json:"stack"`
	Auto        bool        `json:"auto,omitempty"`
	Documents   string      `json:"documents,omitempty"` // folder that they are in, see ProjectFacts
	Requirement Requirement `json:"requirement"`
	Goal        string      `json:"goal"`
	Tasks       []task.Task `json:"tasks"`
	Created     int64       `json:"created"` // Unix milliseconds
	Planned     int64       `json:"planned"`
	Decisions   []Decision  `json:"decisions,omitempty"`
	// Added are needs that code has put into the plan, for people.
	Added []string `json:"added,omitempty"`
	// Log is what happened until the plan was kept, for the activity log.
	Log []LogLine `json:"log,omitempty"`
	// Landed are the commits of tasks that earlier runs have landed, by their ids.
	Landed map[string]string `json:"landed,omitempty"`
}

// ProjectFacts is where a piece of work begins, and what its authors have to know of the project.
type ProjectFacts struct {
	Commit   string    `json:"commit"`
	Tree     string    `json:"tree"`
	Branch   string    `json:"branch,omitempty"`   // that is checked out; "" for none
	Language string    `json:"language"`           // of documents
	Commits  string    `json:"commits"`            // language of commits
	Comments string    `json:"comments,omitempty"` // language of comments in code
	Project  string    `json:"project"`
	Stack    string    `json:"stack"`
	Code     []string  `json:"code,omitempty"` // languages of the code
	Docs     []Doc     `json:"docs,omitempty"`
	Commands []string  `json:"commands,omitempty"` // that agents may run
	Private  flow.Blob `json:"private"`
	// Documents is the folder, below the project, that the documents of the run are in: "" for the project, where they are
	// committed.
	Documents string `json:"documents,omitempty"`
}

// WorkSurveyOut is what the authors of a request have to know of the project.
type WorkSurveyOut struct {
	ProjectFacts

	Work string `json:"work"` // the id; nobody else gets it
	// Plan is that of a WORK that was there, Landed are its tasks that are done, and Before what their results say.
	Plan   flow.Blob    `json:"plan"`
	Landed []string     `json:"landed,omitempty"`
	Before []TaskResult `json:"before,omitempty"`
	// Agreed says that the plan is what an earlier run had agreed on: nobody is asked again.
	Agreed bool `json:"agreed,omitempty"`
	// Dirty are files that the user has changed and not committed: in the end the branch cannot be moved over them.
	Dirty []string `json:"dirty,omitempty"`
}

// WorkSurvey reads the project and gives the WORK its id.
var WorkSurvey = flow.Step[WorkIn, WorkSurveyOut]{Name: "work.survey", Lane: Landing}

// WorkDocsIn asks for what the author of a task is shown of the tree that he gets.
type WorkDocsIn struct {
	Tree    string `json:"tree"`
	Request string `json:"request,omitempty"` // of the run: what it is about is shown
}

// WorkDocsOut is the conventions, the files, and the sources that the request is about.
type WorkDocsOut struct {
	Docs []Doc `json:"docs,omitempty"`
}

// WorkDocs reads a tree for an author: what tasks before his have made is in it.
var WorkDocs = flow.Step[WorkDocsIn, WorkDocsOut]{Name: "work.docs", Lane: Checks}

// PlanCheckIn asks what is wrong with a plan.
type PlanCheckIn struct {
	Tree        string          `json:"tree"`
	Requirement Requirement     `json:"requirement"`
	Tasks       json.RawMessage `json:"tasks"` // []task.Task
}

// PlanCheckOut is a plan that can be carried out, or the findings why it cannot.
type PlanCheckOut struct {
	Tasks    flow.Blob `json:"tasks"` // []task.Task, with the needs that code has added
	Added    []string  `json:"added,omitempty"`
	Findings []Finding `json:"findings,omitempty"`
}

// PlanCheck checks a plan against the project.
var PlanCheck = flow.Step[PlanCheckIn, PlanCheckOut]{Name: "work.check", Lane: Checks}

// RestartIn asks for the tree on which an author goes on with what an earlier run has left.
type RestartIn struct {
	Left Left   `json:"left"`
	Head string `json:"head"` // tree that the work begins with now
}

// RestartOut is that tree: what was left, on what is there now. It is that of now where nothing of it is known any more.
type RestartOut struct {
	Tree string `json:"tree"`
}

// Restart puts what an earlier run has left of a piece of work on the project as it is now.
var Restart = flow.Step[RestartIn, RestartOut]{Name: "restart", Lane: Landing}

// Handoff is what the author of a task tells those who come after.
type Handoff struct {
	What       string `json:"what"`
	Why        string `json:"why"`
	Caution    string `json:"caution"`
	Incomplete string `json:"incomplete"`
}

// TaskIn asks for the proof of a task's tree.
type TaskIn struct {
	Private flow.Blob `json:"private"`
	Base    string    `json:"base"` // tree that the author began with
	Tree    string    `json:"tree"`
	Task    task.Task `json:"task"`
	// More are files that the author had to touch besides, with the reasons; Taken are those that other tasks own.
	More   []task.File `json:"more,omitempty"`
	Taken  []string    `json:"taken,omitempty"`
	Report string      `json:"report,omitempty"` // the author's own words
	// Request is what a person has asked for; a table of values in it is no answer that was copied. Asked is what of it has to hold when
	// the task is done: "" where other tasks are for the same request.
	Request string `json:"request,omitempty"`
	Asked   string `json:"asked,omitempty"`
	// Untested is why no test can see the change, as the author says.
	Untested string `json:"untested,omitempty"`
	// Coverage says that the tests have to reach the lines that have changed.
	Coverage bool `json:"coverage,omitempty"`
}

// CheckResult is one check of a task, for its documents.
type CheckResult struct {
	Name   string `json:"name"` // build, lint, tests, verify, files, audit
	Status string `json:"status"`
	Count  int    `json:"count,omitempty"` // of tests
	Output string `json:"output,omitempty"`
}

// TaskProof is what the checks of a task say.
type TaskProof struct {
	Passed   bool          `json:"passed"`
	Findings []Finding     `json:"findings,omitempty"`
	Failures []TestResult  `json:"failures,omitempty"`
	Counts   Counts        `json:"counts"`
	Baseline []string      `json:"baseline,omitempty"`
	Files    []Change      `json:"files,omitempty"`
	Checks   []CheckResult `json:"checks,omitempty"`
	Doubtful []HeldOut     `json:"doubtful,omitempty"` // see Doubtful
	Idle     []string      `json:"idle,omitempty"`     // command lines that succeed without the task as well: they show nothing of it
	Called   []string      `json:"called,omitempty"`   // calls of its sentences that were made and gave what they say
	Callable bool          `json:"callable,omitempty"` // the engine could call its code
	Records  flow.Blob     `json:"records"`
}

// ProveTask builds, lints and tests a task's tree and audits what it changes.
var ProveTask = flow.Step[TaskIn, TaskProof]{Name: "work.prove", Lane: Checks}

// ProveTests sees that the tests of a task fail before its code is written, and that nothing else has changed. The failures of a proof
// that passed are those of the new tests.
var ProveTests = flow.Step[TaskIn, TaskProof]{Name: "work.tests", Lane: Checks}

// TestsPhase is the phase of a task in which its tests are written, before its code.
const TestsPhase = "tests"

// NotReproduced is the reason of a task for which nobody could write a test that fails with the code as it is.
const NotReproduced = "not reproduced"

// ContractsPhase is the phase in which tests of contracts are written. That it has passed says nothing of what is built.
const ContractsPhase = "contracts"

// LogLine is a line of a WORK's activity log.
type LogLine struct {
	At    int64  `json:"at"` // Unix milliseconds
	Agent string `json:"agent"`
	Stage string `json:"stage"`
	Text  string `json:"text"`
}

// LandTaskIn asks for a task's tree to be merged into the run's branch as one commit with its documents.
type LandTaskIn struct {
	TaskIn

	// Accepted says that a person has accepted what no test shows of it.
	Accepted bool `json:"accepted,omitempty"`

	From    string        `json:"from"` // commit that the author began with
	Plan    flow.Blob     `json:"plan"` // WorkPlan
	Handoff Handoff       `json:"handoff"`
	Checks  []CheckResult `json:"checks,omitempty"`
	Idle    []string      `json:"idle,omitempty"` // see TaskProof
	Log     []LogLine     `json:"log,omitempty"`
	Began   int64         `json:"began"` // Unix milliseconds
	Summary string        `json:"summary,omitempty"`
	Lines   []string      `json:"lines,omitempty"`  // body of the commit
	Issues  []string      `json:"issues,omitempty"` // what was sent back on the way
}

// LandTaskOut says whether the merged tree is proved and where it is.
type LandTaskOut struct {
	Passed    bool      `json:"passed"`
	Commit    string    `json:"commit"`
	Tree      string    `json:"tree"`
	Conflicts []string  `json:"conflicts,omitempty"`
	Proof     TaskProof `json:"proof"`
	Files     []Change  `json:"files,omitempty"` // of the project, without the WORK's documents
	Result    string    `json:"result,omitempty"`
	Head      HeadOut   `json:"head"`  // of the run's branch, when it did not pass
	Start     string    `json:"start"` // then: that tree with the task's own changes, without those in conflict
}

// LandTask merges, checks the merged tree and commits it on the run's branch.
var LandTask = flow.Step[LandTaskIn, LandTaskOut]{Name: "work.land", Lane: Landing}

// TaskResult is the end of one task.
type TaskResult struct {
	ID       string        `json:"task"`
	Title    string        `json:"title"`
	Status   Status        `json:"status"`
	Reason   string        `json:"reason,omitempty"`
	Commit   string        `json:"commit,omitempty"`
	Files    []Change      `json:"files"`
	Tests    Counts        `json:"tests"`
	Attempts int           `json:"attempts"`
	Others   int           `json:"other_turns,omitempty"` // of the author of tests that came first, and of those who challenged the code
	Checks   []CheckResult `json:"checks,omitempty"`
	Findings []Finding     `json:"findings,omitempty"`
	Failures []TestResult  `json:"failures,omitempty"`
	Idle     []string      `json:"idle,omitempty"` // command lines that succeed without the task as well
	Called   []string      `json:"called,omitempty"`
	Handoff  Handoff       `json:"handoff"`
	Summary  string        `json:"summary,omitempty"`
	Result   string        `json:"result_file,omitempty"`
	Usage    Usage         `json:"usage"`
}

// WorkNote is the fact noted when a requirement or a plan is known: what the gates show and edit works on.
type WorkNote struct {
	Work        string      `json:"work"`
	Mode        Mode        `json:"mode,omitempty"`
	Reasons     []string    `json:"reasons,omitempty"`
	Requirement Requirement `json:"requirement,omitzero"`
	Plan        flow.Blob   `json:"plan"` // WorkPlan, once there is one
	Tasks       []TaskLine  `json:"tasks,omitempty"`
}

// TaskLine is a task of a plan for people.
type TaskLine struct {
	ID    string   `json:"task"`
	Title string   `json:"title"`
	Needs []string `json:"needs,omitempty"`
}

// WorkOut is the end of a run of work.
type WorkOut struct {
	Outcome

	Work    string `json:"work"`
	Mode    Mode   `json:"mode"`
	Tasks   int    `json:"tasks"`
	Done    int    `json:"done"`
	Failed  int    `json:"failed"`
	Blocked int    `json:"blocked"`
	// Original is how many sessions the WORK pipeline had, which these documents come from: 3 direct, 5 pipeline, 2 + 4N full.
	Original int `json:"original_sessions"`
}

// KeepPlanOut is a plan as a blob.
type KeepPlanOut struct {
	Plan flow.Blob `json:"plan"`
}

// KeepPlan makes a plan durable, so that the steps after it can refer to it.
var KeepPlan = flow.Step[WorkPlan, KeepPlanOut]{Name: "work.keep", Lane: Landing}
