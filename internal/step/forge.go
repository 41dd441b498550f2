package step

import "github.com/jacquard-build/jacquard/internal/flow"

// PullIn asks that a run ends with a pull request instead of a commit on the user's branch.
type PullIn struct {
	Base   string `json:"base"`             // branch that it goes to
	Branch string `json:"branch,omitempty"` // that is checked out and becomes it; "" = feat/FEATURE
	Start  int64  `json:"start"`            // milliseconds in which CI has to begin; then there is none
	Wait   int64  `json:"wait"`             // milliseconds that CI may take for one commit

	// Number is a pull request that is there already: Branch is its branch, and the run begins at its head. 0 = one is opened.
	Number int `json:"number,omitempty"`
	// Heard are the comments of it that the run is about. No other run takes them.
	Heard []string `json:"heard,omitempty"`
	// Draft says that it stays a draft, whatever the run proves.
	Draft bool `json:"draft,omitempty"`
}

// ForgePushIn asks for a commit on a branch of the remote, and of the user's repository.
type ForgePushIn struct {
	Commit string `json:"commit"`
	Branch string `json:"branch"`           // the first time one that is taken gets a number
	Fixed  bool   `json:"fixed,omitempty"`  // it is this branch, or none
	Was    string `json:"was,omitempty"`    // commit that it is at; "" = it is not there yet
	Base   string `json:"base"`             // branch that is never pushed to
	Number int    `json:"number,omitempty"` // of a pull request that has to be open still
}

// ForgePushOut is where it is.
type ForgePushOut struct {
	Branch string `json:"branch"`
	Why    string `json:"why,omitempty"`  // why it was not pushed
	Note   string `json:"note,omitempty"` // what became of the branch in the user's repository
}

// ForgePush pushes, never with force and never to the branch that others work from.
var ForgePush = flow.Step[ForgePushIn, ForgePushOut]{Name: "forge.push", Lane: Landing}

// ForgePullIn asks for a pull request.
type ForgePullIn struct {
	Branch string `json:"branch"`
	Base   string `json:"base"`
	Title  string `json:"title,omitempty"` // "" = the subject of the run's last commit
	Body   string `json:"body"`
	Draft  bool   `json:"draft,omitempty"`
}

// ForgePullOut is a pull request as it is.
type ForgePullOut struct {
	Number int    `json:"number"`
	URL    string `json:"url"`
	State  string `json:"state"` // open, closed, merged
	Head   string `json:"head"`  // commit
}

// ForgePull opens a pull request, or finds the one that the run has opened.
var ForgePull = flow.Step[ForgePullIn, ForgePullOut]{Name: "forge.pull", Lane: Landing}

// ForgeReadyIn asks how a pull request is.
type ForgeReadyIn struct {
	Number   int  `json:"number"`
	Verified bool `json:"verified"` // a draft becomes ready for review
}

// ForgeReadyOut is how it is now.
type ForgeReadyOut struct {
	Pull  ForgePullOut `json:"pull"`
	Draft bool         `json:"draft,omitempty"`
	Why   string       `json:"why,omitempty"` // why it could not be made ready
}

// ForgeReady looks at a pull request that was pushed to, and makes one that is verified ready for review.
var ForgeReady = flow.Step[ForgeReadyIn, ForgeReadyOut]{Name: "forge.ready", Lane: Landing}

// CIStatus is how far a check of a forge is.
type CIStatus string

// The states of a check of a forge.
const (
	CIPending CIStatus = "pending"
	CIPassed  CIStatus = "passed"
	CIFailed  CIStatus = "failed"
)

// CICheck is one check of a commit on its forge.
type CICheck struct {
	Name       string   `json:"name"`
	Status     CIStatus `json:"status"`
	Conclusion string   `json:"conclusion,omitempty"` // the forge's word for how it failed
	Mendable   bool     `json:"mendable,omitempty"`   // code can have caused it
	Before     bool     `json:"before,omitempty"`     // it failed on the commit that the work began with as well
	Text       string   `json:"text,omitempty"`       // what it says; data
}

// ForgeChecksIn asks what CI says of a commit of a pull request.
type ForgeChecksIn struct {
	Number int    `json:"number"`
	Commit string `json:"commit"`
	Onto   string `json:"onto"` // commit that the work began with: what failed there is nobody's
}

// ForgeChecksOut is what it says, and what has become of the pull request.
type ForgeChecksOut struct {
	Pull   ForgePullOut `json:"pull"`
	Checks []CICheck    `json:"checks,omitempty"`
}

// ForgeChecks looks at CI once. Texts of those that failed come when nothing is pending any more. It is in the lane of
// what happens where the run was started: the token is there.
var ForgeChecks = flow.Step[ForgeChecksIn, ForgeChecksOut]{Name: "forge.checks", Lane: Landing}

// ForgeIssueIn asks to say something of a feature on the forge.
type ForgeIssueIn struct {
	Number int    `json:"number,omitempty"` // of the issue that it is about; 0 = one is opened
	Title  string `json:"title"`
	Body   string `json:"body"`
	Label  string `json:"label"`
}

// ForgeIssueOut is where it was said.
type ForgeIssueOut struct {
	Number int    `json:"number"`
	URL    string `json:"url"`
	Opened bool   `json:"opened,omitempty"` // it is a new issue; else a comment
}

// ForgeIssue comments on an issue, or opens one; once, whatever breaks.
var ForgeIssue = flow.Step[ForgeIssueIn, ForgeIssueOut]{Name: "forge.issue", Lane: Landing}

// PullResult is what became of the pull request of a run.
type PullResult struct {
	Number int       `json:"number"`
	URL    string    `json:"url"`
	Branch string    `json:"branch"`
	Base   string    `json:"base"`
	State  string    `json:"state"`            // open, closed, merged
	Draft  bool      `json:"draft,omitempty"`  // it is one, because not all of it is verified
	Note   string    `json:"note,omitempty"`   // why it is still one, where all of it is
	Checks []CICheck `json:"checks,omitempty"` // of its last commit
}
