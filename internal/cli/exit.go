package cli

import (
	"context"
	"errors"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/flow"
)

// The exit codes are part of the interface; docs/reference/exit-codes.md explains them.
const (
	exitOK          = 0
	exitNotVerified = 1
	exitUsage       = 2
	exitWaits       = 3
	exitEnvironment = 4
	exitBudget      = 5
	exitLimit       = 6
	exitInternal    = 70
	exitDriven      = 75
	exitInterrupted = 130
)

// usageError is a mistake of the person: flags, configuration, ids.
type usageError struct{ error }

func usage(format string, args ...any) error {
	return &usageError{words(format, args...)}
}

// conflict refuses two settings that exclude each other, each as a person has given it.
func conflict(one, other string) error {
	return usage("%s and %s can't be used together: remove one of them", one, other)
}

// exitError carries a code, and a message unless that has been printed already.
type exitError struct {
	code int
	said error
}

func (e *exitError) Error() string {
	if e.said == nil {
		return ""
	}
	return e.said.Error()
}

func exit(code int, format string, args ...any) error {
	return &exitError{code, words(format, args...)}
}

// codeOf is the one switch from errors to exit codes.
func codeOf(err error) int {
	var exit *exitError
	var use *usageError
	var driven *flow.DrivenError
	var changed *flow.ChangedError
	var input *act.InputError
	var lock *act.LockError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &exit):
		return exit.code
	case errors.As(err, &use), errors.As(err, &input), errors.Is(err, flow.ErrNoRun), errors.Is(err, flow.ErrNoGate), errors.Is(err, flow.ErrTree), errors.As(err, &changed):
		return exitUsage
	case errors.As(err, &lock):
		if lock.Newer {
			return exitUsage
		}
		return exitNotVerified
	case errors.As(err, &driven):
		return exitDriven
	case errors.Is(err, flow.ErrDamaged):
		return exitInternal
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	return codeOfClass(flow.ClassOf(err))
}

func codeOfClass(c flow.Class) int {
	switch c {
	case "":
		return exitOK
	case flow.Environment, flow.Auth, flow.Billing:
		return exitEnvironment
	case flow.Budget:
		return exitBudget
	case flow.Limit:
		return exitLimit
	case flow.Cancelled:
		return exitInterrupted
	case flow.Definition:
		return exitInternal
	default:
		return exitNotVerified
	}
}

func silent(code int) error {
	if code == exitOK {
		return nil
	}
	return &exitError{code: code}
}

// proved is the end of a command that could do all that it was to, or not.
func proved(ok bool) error {
	if ok {
		return nil
	}
	return silent(exitNotVerified)
}
