package flow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Class says what kind of machinery broke; it is stored, shown and branched on.
type Class string

// The classes of failures. A verdict ("the tests fail") is data in a step's
// output and never one of these.
const (
	Transient    Class = "transient"     // try again soon: a network blip, an overloaded provider
	Limit        Class = "limit"         // a usage limit; Failure.ResetsAt says when it ends, if known
	Auth         Class = "auth"          // not logged in, key refused
	Billing      Class = "billing"       // no credit
	ContextLimit Class = "context_limit" // the prompt or conversation is too long
	Refusal      Class = "refusal"       // the model refused
	MaxTurns     Class = "max_turns"     // the agent used up its turns
	Budget       Class = "budget"        // the money or token grant is used up
	Denied       Class = "denied"        // a permission was missing
	Schema       Class = "schema"        // an output that does not fit its schema or the size limit
	Stuck        Class = "stuck"         // no sign of life within the limit, or branches that wait for each other
	Crashed      Class = "crashed"       // the process died without a result
	Cancelled    Class = "cancelled"     // never started, and will not; or ended by a cancel
	Environment  Class = "environment"   // a missing tool, no space, no permission
	Failed       Class = "failed"        // the workflow itself said so
	Definition   Class = "definition"    // a bug of the workflow definition; never recorded
)

// Failure is an error that says which part of the machinery broke. It is
// recorded as the outcome of a step or a branch.
type Failure struct {
	Class    Class  `json:"class"`
	Msg      string `json:"message,omitempty"`
	ResetsAt int64  `json:"resets_at,omitempty"` // Unix milliseconds; 0 = unknown
	// Left is what a step leaves that has failed, as its own JSON, for who asks for it again.
	Left json.RawMessage `json:"left,omitempty"`
}

// ErrCancelled is the outcome of a step that never started because its run was cancelled.
var ErrCancelled = &Failure{Class: Cancelled, Msg: "the run was cancelled before this started"}

// Error gives class and message in one line.
func (f *Failure) Error() string {
	if f == nil {
		return "a failure without a word: a nil *Failure was returned as an error"
	}
	if f.Msg == "" {
		return string(f.Class)
	}
	return string(f.Class) + ": " + f.Msg
}

// Is makes errors.Is compare by class.
func (f *Failure) Is(target error) bool {
	t, ok := target.(*Failure)
	return ok && t.Class == f.Class
}

// Resets returns when a limit ends; the zero time when that is not known.
func (f *Failure) Resets() time.Time {
	if f.ResetsAt == 0 {
		return time.Time{}
	}
	return time.UnixMilli(f.ResetsAt).UTC()
}

// Failf makes a Failure with a formatted message.
func Failf(c Class, format string, args ...any) *Failure {
	return &Failure{Class: c, Msg: fmt.Sprintf(format, args...)}
}

// MaxWasted is after how many starts without progress a step is not started again by itself.
const MaxWasted = 3

// Wasted is the outcome of a step whose last n starts ended with the process that drove it. Whether the step or somebody from
// outside ended them cannot be told, so a person decides about another try.
func Wasted(key string, n int) *Failure {
	return Failf(Environment, "step %s was started %d times, and each time the process ended before it. If something else killed the process, just retry", key, n)
}

// EndedBy is the failure that the error of a handler is recorded as; cause is why its context was cancelled, nil where it was not.
func EndedBy(err, cause error) *Failure {
	f := AsFailure(err)
	var classified *Failure
	switch {
	case errors.Is(cause, ErrCancelled):
		return &Failure{Class: Cancelled, Msg: f.Msg}
	case errors.As(err, &classified):
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		f.Class = Crashed
	}
	return f
}

// AsFailure turns any error into a Failure and keeps the class of the first
// Failure in its chain; an error without one becomes Failed. nil stays nil.
func AsFailure(err error) *Failure {
	if err == nil {
		return nil
	}
	var f *Failure
	if !errors.As(err, &f) || f == nil {
		return &Failure{Class: Failed, Msg: clip(err.Error())}
	}
	if f.Error() == err.Error() && len(f.Msg) <= maxMessage {
		return f
	}
	// The class is said once, in front of the whole.
	msg := err.Error()
	if f.Msg != "" {
		msg = strings.Replace(msg, f.Error(), f.Msg, 1)
	}
	if err == error(f) { //nolint:errorlint // the failure itself, not one in its chain
		msg = f.Msg
	}
	return &Failure{Class: f.Class, Msg: clip(msg), ResetsAt: f.ResetsAt, Left: f.Left}
}

// maxMessage bounds what is recorded of an error's text, in bytes.
const maxMessage = 16 << 10

func clip(s string) string {
	if len(s) <= maxMessage {
		return s
	}
	return strings.ToValidUTF8(s[:maxMessage], "") + " …"
}

// ClassOf returns the class of the first Failure in the chain of err, Failed
// for any other error and "" for nil.
func ClassOf(err error) Class {
	if err == nil {
		return ""
	}
	return AsFailure(err).Class
}
