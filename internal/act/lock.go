package act

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/spec"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/target"
)

// LockError is a lock that this program cannot read, or not all of it.
type LockError struct {
	Problems []spec.Problem // of the lock, some of them errors
	Newer    bool           // it has a newer format
}

// Error names each problem, and what to do about it.
func (e *LockError) Error() string {
	why := "the lock cannot be read"
	if e.Newer {
		why = "another version of jacquard wrote the lock"
	}
	return "nothing was done, because " + why + ":\n" + strings.Join(step.Each(e.Problems, spec.Problem.String), "\n")
}

// readLock reads the lock of a project's files. One that cannot be read is an error: nothing may be built, adopted or called up to date by
// what is left of it.
func (a *Actor) readLock(v *view) (*target.Lock, []spec.Problem, error) {
	if info, err := os.Stat(filepath.Join(a.o.Repo.Root(), target.LockName)); err == nil && info.IsDir() {
		return nil, nil, &InputError{target.LockName + " is a folder, but the lock is a file of that name: move the folder away"}
	}
	lock, problems := target.ParseLock(v.bytes(target.LockName))
	if slices.ContainsFunc(problems, isError) {
		return nil, nil, &LockError{Problems: problems, Newer: lock.Newer()}
	}
	return lock, problems, nil
}

func isError(p spec.Problem) bool { return p.Severity == spec.Error }
