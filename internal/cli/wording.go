package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/report"
)

// wording is an error whose words are kept apart from its values, so that it can be said in the language of the person. As an error,
// in JSON and in what is stored it is English.
type wording struct {
	error
	format string
	args   []any
}

// words is an error as fmt.Errorf makes it, or a part of one, that is said in the language of the person.
func words(format string, args ...any) error {
	return &wording{fmt.Errorf(format, args...), format, args}
}

// Unwrap is what %w of the format took in.
func (w *wording) Unwrap() error { return errors.Unwrap(w.error) }

// in is the error in a language, with those among its values.
func (w *wording) in(l report.Lang) string {
	args := make([]any, len(w.args))
	for i, v := range w.args {
		if err, ok := v.(error); ok {
			v = inLang(l, err)
		}
		args[i] = v
	}
	return fmt.Sprintf(strings.ReplaceAll(l.Wording(w.format), "%w", "%v"), args...)
}

// noun is a word among the values of an error that is said in the language of the person as well.
type noun string

func (n noun) Error() string           { return string(n) }
func (n noun) in(l report.Lang) string { return l.Wording(string(n)) }

// stateNoun is a state of a run among the values of an error.
type stateNoun flow.RunState

func (s stateNoun) Error() string           { return string(s) }
func (s stateNoun) in(l report.Lang) string { return l.State(string(s)) }

// failure is a failure that is said in the language of the person.
type failure struct {
	said error
	of   *flow.Failure
}

func (f *failure) Error() string { return f.of.Error() }
func (f *failure) Unwrap() error { return f.of }

// fail is a failure of the machinery with words of this package.
func fail(c flow.Class, format string, args ...any) error {
	return &failure{words(format, args...), flow.Failf(c, format, args...)}
}

// environment is an error of the machine, its disk and its programs, while something was done. What was done is a format of args.
func environment(doing string, err error, args ...any) error {
	return fail(flow.Environment, "%v: %v%v", words(doing, args...), err, toDo(err))
}

// toDo is what to do about a disk that takes nothing.
func toDo(err error) noun {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return noun(". Free some space, then try again")
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return noun(". Make the folder writable or use another one, then try again")
	}
	return ""
}

// inLang is an error in a language. What others have worded stays as they said it.
func inLang(l report.Lang, err error) string {
	switch e := err.(type) { //nolint:errorlint // an error within others is not the whole of what is said
	case interface{ in(l report.Lang) string }:
		return e.in(l)
	case *usageError:
		return inLang(l, e.error)
	case *exitError:
		return inLang(l, e.said)
	case *failure:
		return inLang(l, e.said)
	case interface{ Unwrap() []error }:
		var lines []string
		for _, one := range e.Unwrap() {
			lines = append(lines, inLang(l, one))
		}
		if joined := errors.Join(e.Unwrap()...); joined != nil && joined.Error() == err.Error() {
			return strings.Join(lines, "\n")
		}
	case *flow.DrivenError:
		return inLang(l, words("run %s is already running in %s", e.Run, e.Driver))
	case *flow.ChangedError:
		if d := e.Diff; d.Bug == nil {
			return inLang(l, words("the workflow definition has changed: %d outcomes unused, %d started steps lost, %d inputs, shapes or results changed",
				len(d.Unused), len(d.Lost), len(d.Changed)))
		}
	case *flow.Failure:
		if e.Msg != "" {
			return e.Msg
		}
	}
	var f *flow.Failure
	if errors.As(err, &f) && f.Msg != "" { // its class is no word for people
		return strings.Replace(err.Error(), f.Error(), f.Msg, 1)
	}
	return err.Error()
}

// first is the first argument, else what a flag says, else what holds where nobody says anything.
func first(args []string, flag, or string) string {
	if len(args) > 0 {
		return args[0]
	}
	return cmp.Or(flag, or)
}
