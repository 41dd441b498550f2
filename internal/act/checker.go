package act

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/proc"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// checker is the Checker of a step of a run, or of what [alone] has named. The first use in a process clears away what
// a dead process left of its check trees.
func (a *Actor) checker(run string) (*check.Checker, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.checkers[run]; c != nil {
		return c.ForStep(), nil
	}
	dir := filepath.Join(a.trees(), "runs", run, "check")
	// Other processes of this machine may check for the same run, each in a cache of its own.
	sum := sha256.Sum256([]byte(a.o.Cache))
	mark := run + ".check." + hex.EncodeToString(sum[:4]) + "."
	proc.Sweep(mark + "*")
	if _, err := remove(dir); err != nil {
		return nil, machinery(err)
	}
	a.clearBeside(run)
	extra, err := a.copies()
	if err != nil {
		return nil, err
	}
	c, err := check.New(check.Options{
		Repo: a.o.Repo, Env: a.checkEnv(), Cache: filepath.Join(a.o.Shared, "deps"), Temp: dir, Copy: extra, Setup: step.Each(a.o.Checks.Setup, toolchain.Argv), Mark: mark, Limit: a.o.Checks.Timeout,
		Record: a.record(), Fresh: a.o.Checks.Fresh, Level: a.o.Level, Confine: a.o.Confine, Limits: a.o.Bounds, Said: a.o.Checks.Said,
		Secret: func(b []byte) bool { return !bytes.Equal(a.o.Redact.Bytes(b), b) },
		Runs:   a.o.Checks.Runs, Later: a.o.Checks.Later, Reach: a.o.Checks.Reach, Say: func(line string) { a.refused(run, line) },
		Store: func(out []byte) (string, error) {
			ref, err := a.o.Blobs.Put(a.o.Redact.Bytes(out), "text/plain")
			return ref.SHA256, err
		},
	})
	if err != nil {
		return nil, machinery(err)
	}
	a.checkers[run] = c
	return c.ForStep(), nil
}

// alone is what the checks of this process are called that belong to no run: other processes check beside it.
func alone(what string) string { return what + "@" + strconv.Itoa(os.Getpid()) }

// clearBeside clears away what dead processes have left under names that differ from one of [alone] by the process alone.
func (a *Actor) clearBeside(run string) {
	what, _, ok := strings.Cut(run, "@")
	if !ok {
		return
	}
	work := filepath.Join(a.trees(), "runs")
	for _, name := range names(work) {
		if strings.HasPrefix(name, what+"@") && !lives(name) {
			proc.Sweep(name + ".check.*")
			_, _ = remove(filepath.Join(work, name)) // gc says what cannot be removed
		}
	}
}

// lives reports whether a folder belongs to a process that has not ended, by the name that [alone] has given it.
func lives(name string) bool {
	_, pid, ok := strings.Cut(name, "@")
	n, err := strconv.Atoi(pid)
	if !ok || err != nil {
		return false
	}
	_, err = proc.Identify(n)
	return err == nil
}

// checkEnv is what checks and installations take what they need from, by name: of installations that is where registries are.
func (a *Actor) checkEnv() []string { return append(slices.Clone(a.o.User), a.o.Env...) }

// refused keeps that an installation was refused a host.
func (a *Actor) refused(run, line string) {
	line = a.redacted(line)
	// What is judged without a run has no folder.
	if f, err := os.OpenFile(filepath.Join(a.runDir(run), Refused), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		_, _ = f.WriteString(line + "\n")
		_ = f.Close()
	}
	if a.o.Checks.Say != nil {
		a.o.Checks.Say(line)
	}
}

// record is the directory with what checks have given.
func (a *Actor) record() string { return filepath.Join(a.o.Shared, "checks") }

// copies reads the ignored files that checks need.
func (a *Actor) copies() (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, p := range a.o.Checks.Copy {
		if !filepath.IsLocal(p) {
			return nil, flow.Failf(flow.Environment, "jacquard.yaml: copy: %s is outside the project", p)
		}
		raw, err := os.ReadFile(filepath.Join(a.o.Repo.Root(), filepath.FromSlash(p)))
		if err != nil {
			return nil, flow.Failf(flow.Environment, "jacquard.yaml: copy: %v", err)
		}
		out[p] = raw
	}
	return out, nil
}

// checkError gives errors of checks their class.
func (a *Actor) checkError(err error) error {
	var e *check.EnvironmentError
	switch {
	case errors.As(err, &e):
		return flow.Failf(flow.Environment, "%s", e.Error())
	case errors.Is(err, check.ErrSetup):
		return flow.Failf(flow.Environment, "%v\nAfter a fix outside the project, run jacquard resume; after a fix in the project, start a new run: jacquard stop --now, then build again", err)
	}
	return machinery(err)
}

// module reads a module's facts with their private part.
func (a *Actor) module(ref flow.Blob) (step.Facts, private, error) {
	f, err := load[step.Facts](a.o.Blobs, ref)
	if err != nil {
		return f, private{}, err
	}
	pv, err := load[private](a.o.Blobs, f.Private)
	return f, pv, err
}

// moduleFor is module, and the Checker of the step that proves it.
func (a *Actor) moduleFor(j flow.Job, ref flow.Blob) (f step.Facts, pv private, c *check.Checker, err error) {
	if f, pv, err = a.module(ref); err == nil {
		c, err = a.checkerFor(j)
	}
	return f, pv, c, err
}

// Refused is the file of a run's folder with the hosts that installations asked for in vain.
const Refused = "refused.log"
