// Package agent asks an agent program to do one turn of work and says what became
// of it.
//
// A turn is a prompt in; events on the way; files in its directory and one JSON
// object out. How a turn ended is one word, its Class, and is found from all that
// is known: exit code, final event, provider errors, permission denials, limits.
// No agent's own "success" is taken for one. Every line that the program prints is
// in the turn's log before anything acts on the outcome, and FromLog finds the
// same outcome in the log of a driver that died.
package agent

import (
	"context"
	"encoding/json"
	"net"
	"time"

	"github.com/jacquard-build/jacquard/internal/confine"
)

// Class says how a turn ended.
type Class string

// The classes.
const (
	OK           Class = "ok"            // done, with an answer where one was asked for
	Transient    Class = "transient"     // the provider or the network failed; later it may work
	Limit        Class = "limit"         // a rate or usage limit; see Outcome.ResetsAt
	AuthFailed   Class = "auth"          // the key or log-in is not accepted
	Billing      Class = "billing"       // the account has no credit
	ContextLimit Class = "context_limit" // the conversation or the answer is too long
	Refusal      Class = "refusal"       // the model refused
	MaxTurns     Class = "max_turns"     // Limits.MaxTurns was reached
	Budget       Class = "budget"        // the grant of the turn is used up
	Denied       Class = "denied"        // tools were denied and the work was not finished
	Schema       Class = "schema"        // no answer, or none that fits the schema
	Stuck        Class = "stuck"         // silent or working for longer than its limits
	Crashed      Class = "crashed"       // ended without a result
	Cancelled    Class = "cancelled"     // the context ended
	Environment  Class = "environment"   // something is missing or wrong on this machine
)

// Role is what a turn may do with files.
type Role string

// The roles: an author reads, edits and runs the allowed commands in its
// directory; a judge reads there.
const (
	Author Role = "author"
	Judge  Role = "judge"
)

// Limits bound a turn; zero means no limit.
type Limits struct {
	Total    time.Duration  // the whole turn
	Idle     time.Duration  // without any output; longer than the longest silent tool
	Linger   time.Duration  // between the result and the end of the process
	MaxTurns int            // model calls
	Use      confine.Limits // of the machine, where Confine does not say it
}

// Access says how the agent reaches its model.
type Access struct {
	BaseURL string // the gateway; empty = the user's own log-in is used
	Token   string // of the turn, worthless elsewhere
	OAuth   bool   // the provider behind the gateway takes log-in tokens
}

// Turn is one piece of work for an agent.
type Turn struct {
	Dir             string // working directory
	Home            string // home and configuration of the agent: a directory for this turn, or the user's with a log-in
	Prompt          string
	System          string // system prompt, "" = the agent's own
	Role            Role
	AllowedCommands []string        // beginnings of command lines that an author may run, for example "go test"
	Caches          []string        // directories besides Dir that the commands of an author must be able to write
	Schema          json.RawMessage // JSON schema of the answer, empty = none is asked for
	Model           string          // "" = the agent's default
	Session         string          // session in which this very turn was cut, to be gone on with; "" = a new one
	SessionCostUSD  float64         // what that session has cost before
	Access          Access
	Env             []string // KEY=value: PATH and what tools need; names that steer the agent are dropped
	Limits          Limits
	Log             string              // file that gets every line, appended
	Confine         *confine.Policy     // sandbox that the program runs in; nil = none of ours
	Serve           func(net.Listener)  // serves Confine.Door, where Access leads to it
	Mark            string              // identifies everything the turn starts
	Redact          func([]byte) []byte // applied to lines before they are stored and shown; nil = as they are
}

// Usage is what a turn has used.
type Usage struct {
	Input      int64   `json:"input"`
	Output     int64   `json:"output"`
	CacheRead  int64   `json:"cache_read"`
	CacheWrite int64   `json:"cache_write"`
	CostUSD    float64 `json:"cost_usd"`
	Known      bool    `json:"known"` // false when the agent said nothing about it
}

// Denial is a tool call that was not permitted.
type Denial struct {
	Tool  string          `json:"tool"`
	Input json.RawMessage `json:"input,omitempty"`
}

// Outcome is what became of a turn. Only a turn of class OK has done its work.
type Outcome struct {
	Class          Class           `json:"class"`
	Message        string          `json:"message,omitempty"`  // for people: what happened and what to do
	ResetsAt       time.Time       `json:"resets_at,omitzero"` // end of a limit, zero = not known
	Answer         json.RawMessage `json:"answer,omitempty"`
	Text           string          `json:"text,omitempty"` // the last words
	Usage          Usage           `json:"usage"`
	Session        string          `json:"session,omitempty"`
	SessionCostUSD float64         `json:"session_cost_usd,omitempty"` // of the session since its beginning
	Denials        []Denial        `json:"denials,omitempty"`
	Turns          int             `json:"turns"` // model calls, as the agent counts them
	Duration       time.Duration   `json:"duration"`

	unanswered  bool // the agent finished, and only its answer is missing
	lostSession bool // the session to go on with was not known
}

// Kind is what an event is about.
type Kind string

// The kinds of events.
const (
	Started    Kind = "started"
	Text       Kind = "text"
	Thinking   Kind = "thinking"
	ToolStart  Kind = "tool_start"
	ToolEnd    Kind = "tool_end"
	Permission Kind = "permission" // a tool call was denied
	Retry      Kind = "retry"      // the agent asks its provider again
	Used       Kind = "usage"
	Ended      Kind = "ended"
)

// Event is something that happened in a turn. Events are for showing; what counts
// is the Outcome.
type Event struct {
	Kind    Kind            `json:"kind"`
	Session string          `json:"session,omitempty"` // started
	Text    string          `json:"text,omitempty"`    // said, printed, or the reason; at most 8 KiB
	Tool    string          `json:"tool,omitempty"`
	ID      string          `json:"id,omitempty"`     // joins a tool's start and end
	Input   json.RawMessage `json:"input,omitempty"`  // tool_start
	Failed  bool            `json:"failed,omitempty"` // tool_end
	Class   Class           `json:"class,omitempty"`  // ended
}

// Agent is a program that can do turns.
type Agent interface {
	// Run carries out t and returns when the program and everything it started is
	// over. on is called for each event, from one goroutine at a time; nil = nobody
	// wants them.
	Run(ctx context.Context, t Turn, on func(Event)) Outcome
}
