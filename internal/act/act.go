// Package act carries out the steps of workflows. It is the only writer of
// projections, the lock, caches and the user's tree, and reaches the world
// only through the doors: git, proc, agent, gateway, check, blob.
package act

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/jacquard-build/jacquard/internal/agent"
	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/confine"
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/forge"
	"github.com/jacquard-build/jacquard/internal/gateway"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/proc"
	"github.com/jacquard-build/jacquard/internal/step"
)

// Options are what an Actor needs.
type Options struct {
	Repo  *git.Repo
	NoGit bool   // the project is outside git; Repo is private
	State string // .jacquard of the project
	// Documents says whether the documents of runs are committed (CommitDocuments, KeepDocuments); "" is as the project does.
	Documents string
	Cache     string   // what is known of files, outside the project
	Trees     string   // checkouts that agents and checks work in; "" is Cache
	Shared    string   // installed dependencies and compilers' caches, shared by projects
	Env       []string // the allow-listed part of the user's environment
	User      []string // all of it, for programs of his that sign
	Now       func() time.Time
	Blobs     flow.Blobs
	Agents    map[string]Agent // by name: all that Seats can name
	Seats     step.Seats       // who does which role
	Limits    agent.Limits
	Checks    Checks
	Redact    gateway.Redactor
	// Level says who keeps agents and checks from the rest of the machine; Confine is what their policies begin with, nil where
	// we do not.
	Level   confine.Level
	Confine *confine.Policy
	// Bounds are what checks may use of the machine where Confine does not say it; Limits has those of agents.
	Bounds  confine.Limits
	Version string // of the program, recorded in the lock
	// Name and Email are whose commits these are; without them Jacquard's own.
	Name, Email string
	// Forge is the server that the project is published on; nil = there is none. It is asked for when it is needed.
	Forge func(context.Context) (*forge.Client, error)
	// Effect is called before and after every side effect, for tests that kill
	// the process there; nil in production.
	Effect func(name string)
	// Progress is told of the commands that steps run, for the screen; nil = nobody is.
	Progress func(flow.Event)
}

// Agent is an agent program, and how it reaches its model.
type Agent struct {
	Program agent.Agent
	Gateway *gateway.Gateway // nil = it reaches its model by itself
	OAuth   bool             // the provider takes log-in tokens
	Tries   int              // see gateway.Turn
	Home    string           // the user's own configuration of it, for log-in; "" = one for each turn
	Env     []string         // what it gets besides the environment of all
	// Reads and Writes are what it needs of the machine where it is confined, Network whether it reaches its model by itself.
	Reads, Writes []string
	Network       bool
}

// Checks is what jacquard.yaml says about checks.
type Checks struct {
	Setup    []string
	Copy     []string
	Commands map[string]string
	Timeout  time.Duration
	Said     confine.Limits // that a person has set; the rest is learned
	Fresh    bool           // nothing is taken from the record of checks
	Runs     func(string)   // is told of each command that begins; nil: nobody is
	Later    func(func())   // runs what no result waits for; nil: it is done at once
	// Reach are hosts that installations may reach besides registries. Say is told of each that was refused to one; nil: nobody is.
	Reach []string
	Say   func(line string)
}

// Actor carries out steps.
type Actor struct {
	o Options

	mu        sync.Mutex
	ledgers   map[string]*Ledger
	checkers  map[string]*check.Checker
	baselines map[string]*baseline // by tree and toolchain
}

// New makes an Actor.
func New(o Options) *Actor {
	if o.Confine.Copies() { // of caches, for each command: those of one project are small
		o.Shared = filepath.Join(o.Cache, "shared")
	}
	return &Actor{o: o, ledgers: map[string]*Ledger{}, checkers: map[string]*check.Checker{}, baselines: map[string]*baseline{}}
}

// Sweep ends what a dead driver left running.
func Sweep(mark string) { proc.Sweep(mark) }

// Close closes what the Actor opened.
func (a *Actor) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var errs []error
	for _, l := range a.ledgers {
		errs = append(errs, l.Close())
	}
	return errors.Join(errs...)
}

// effect does something to the world, with a place to be killed at on both sides.
func (a *Actor) effect(name string, do func() error) error {
	if a.o.Effect != nil {
		a.o.Effect("before " + name)
	}
	err := do()
	if a.o.Effect != nil {
		a.o.Effect("after " + name)
	}
	return err
}

// runDir is the folder of a run's files.
func (a *Actor) runDir(run string) string { return filepath.Join(a.o.State, "runs", run) }

// trees is the directory of checkouts.
func (a *Actor) trees() string { return cmp.Or(a.o.Trees, a.o.Cache) }

// workDir is the checkout folder of one attempt, named by run, step and
// attempt so that leftovers are recognised. Names are short for Windows.
func (a *Actor) workDir(j flow.Job) string {
	sum := sha256.Sum256([]byte(j.Key))
	return filepath.Join(a.trees(), "runs", j.Run, fmt.Sprintf("%s-%d", hex.EncodeToString(sum[:5]), j.Start))
}

// put stores a value as a blob.
func put(b flow.Blobs, v any) (flow.Blob, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return flow.Blob{}, err
	}
	ref, err := b.Put(raw, "application/json")
	return ref, machinery(err)
}

// load reads a value from a blob.
func load[T any](b flow.Blobs, ref flow.Blob) (T, error) {
	var v T
	raw, err := b.Get(ref)
	if err != nil {
		return v, machinery(err)
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		return v, fmt.Errorf("read blob %s: %w", ref.SHA256, err)
	}
	return v, nil
}

// machinery gives an error of a door its class, so that a full disk or a
// missing permission ends a run as "environment" and not as a failed module.
func machinery(err error) error {
	var f *flow.Failure
	var sandbox *confine.StepError
	switch {
	case err == nil, errors.As(err, &f):
		return err
	case errors.As(err, &sandbox):
		return flow.Failf(flow.Environment, "%v. Fix the sandbox (jacquard doctor tests it), then try again", err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, syscall.ENOSPC):
		return flow.Failf(flow.Environment, "no space left: %v. Free some space (jacquard gc), then try again", err)
	case errors.Is(err, syscall.EROFS):
		return flow.Failf(flow.Environment, "%v. Make the file system writable, then try again", err)
	case errors.Is(err, fs.ErrPermission):
		return flow.Failf(flow.Environment, "%v. Give the permission, then try again", err)
	case errors.Is(err, git.ErrNoGit):
		return flow.Failf(flow.Environment, "git is not installed; install git 2.38 or newer")
	}
	return err
}

// writeFile writes a file so that it is there whole or not at all, even after
// a power cut.
func writeFile(path string, data []byte) error { return writeVia(filepath.Dir(path), path, data) }

// writeVia is writeFile for folders of the user: what a kill leaves is left in temp, which is on the same volume.
func writeVia(temp, path string, data []byte) error {
	for _, dir := range []string{temp, filepath.Dir(path)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	f, err := os.CreateTemp(temp, ".tmp-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // after the rename there is nothing to remove
	_, err = f.Write(data)
	if err := cmp.Or(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// InputError is a mistake in what a run was asked for.
type InputError struct{ Msg string }

// Error is the sentence for the person.
func (e *InputError) Error() string { return e.Msg }

// redacted is a text without the secrets that the program knows.
func (a *Actor) redacted(s string) string { return a.o.Redact.String(s) }

// baseline is what fails on an untouched tree, as far as this process has asked: most runs have nothing to ask.
type baseline struct {
	mu    sync.Mutex
	red   map[string]string // tests that fail, or could not be run: their messages by id
	asked map[string]bool   // of which it is known
	all   bool              // it is known of all
}
