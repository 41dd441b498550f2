package cli

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/blob"
	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/flow/local"
)

// proveOptions are the flags of prove.
type proveOptions struct {
	act.JudgeIn

	format  string
	outputs []string
	warm    bool
}

// How long a judgement may take where nobody says; with --full it takes as long as it takes.
const (
	quickLimit = time.Minute
	proveLimit = 5 * time.Minute
	warmLimit  = 10 * time.Minute
)

func newProve(a *app) *cobra.Command {
	var o proveOptions
	c := &cobra.Command{
		Use: "prove [RANGE]", Short: "check any change by its tests", Args: oneArgument("range"),
		Long: "Checks the change in the working tree, or a range of commits: does a new test fail without it and pass with it, does " +
			"it break, skip or empty an existing test, and do tests kill mutants of its functions? It runs the project's own tests " +
			"on clean checkouts, affected tests first, and calls no agent. The working tree is compared with the start of the " +
			"session if the plugin knows it, else with HEAD, or, if everything is committed, with the merge base of the default " +
			"branch. Only problems that were seen block: in test runs, or in the same calls outside of them. Pre-existing failures and flaky tests are reported but do not count " +
			"against the change.",
		Example: "  jacquard prove\n  jacquard prove --quick\n  jacquard prove main..HEAD --format github\n  jacquard prove --base HEAD~3 --full --output prove.sarif",
		RunE: func(c *cobra.Command, args []string) error {
			o.Range = first(args, "", "")
			return a.prove(c.Context(), o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.Base, "base", "", "compare the working tree with this `revision`")
	f.StringVar(&o.Session, "session", "", "compare with the start of this agent `session`")
	f.BoolVar(&o.Quick, "quick", false, "try fewer mutants and stop after a minute")
	f.BoolVar(&o.Full, "full", false, "run all tests, however long it takes")
	f.DurationVar(&o.Limit, "limit", 0, "stop after this `time` and report the results so far (default 5m)")
	f.StringVar(&o.format, "format", "text", "text, json, sarif, github or gitlab")
	f.StringArrayVarP(&o.outputs, "output", "o", nil, "write the result to a `file`; .txt, .json and .sarif set the format, else --format; text is also printed")
	f.BoolVar(&o.warm, "warm", false, "prepare for checking: install dependencies, fill caches and stop; sessions begin with it")
	hide(c, "session", "warm")
	return c
}

func (a *app) prove(ctx context.Context, o proveOptions) error {
	if a.json {
		o.format = "json"
	}
	if proveFormats[o.format] == nil {
		return usage("--format %q: must be text, json, sarif, github or gitlab", o.format)
	}
	if o.Quick && o.Full {
		return conflict("--quick", "--full")
	}
	if o.Limit < 0 {
		return usage("--limit %s: must be a duration such as 60s", o.Limit)
	}
	if _, err := os.Stat(o.Range); o.Range != "" && err == nil {
		return usage("%s is a file, but prove judges the whole change: leave it out, or name a commit range", o.Range)
	}
	p, err := a.open(ctx)
	if err != nil {
		return err
	}
	if err := p.inProject(); err != nil {
		return err
	}
	if p.noGit {
		return usage("%s is not in a git repository, so there is nothing to compare with: run git init first", p.root)
	}
	if err := p.trusted(); err != nil {
		return err
	}
	if err := p.writable(); err != nil {
		return err
	}
	if o.warm {
		return p.warm(ctx)
	}
	if o.Session == "" {
		o.Session = p.ownSession(ctx)
	}
	seen := a.progress(a.lang().T("looking at the change"))
	j, err := p.judge(ctx, o.JudgeIn, 0, seen.says)
	if seen.end(); err != nil {
		return err
	}
	err = p.showJudged(j, o)
	if a.later.Wait(); err != nil {
		return err
	}
	return silent(verdictCode(j))
}

// warm prepares the project for judgements, as far as it gets in some minutes.
func (p *project) warm(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, warmLimit)
	defer cancel()
	return p.judging(ctx, 0, nil, func(a *act.Actor) error { return a.Warm(ctx) })
}

// verdictCode is the exit code of a judgement.
func verdictCode(j act.Judged) int {
	switch j.Verdict {
	case check.VerdictProved, check.VerdictCovered, check.VerdictNothing:
		return exitOK
	case check.VerdictUnknown:
		if j.Environment {
			return exitEnvironment
		}
		return exitOK
	case check.VerdictUnproved, check.VerdictBroken, check.VerdictWeakened:
	}
	return exitNotVerified
}

// judge judges a change. See judging for patience and runs.
func (p *project) judge(ctx context.Context, in act.JudgeIn, patience time.Duration, runs func(string)) (out act.Judged, err error) {
	if in.Limit == 0 && !in.Full {
		if in.Limit = proveLimit; in.Quick {
			in.Limit = quickLimit
		}
	}
	err = p.judging(ctx, patience, runs, func(a *act.Actor) error {
		out, err = a.Judge(ctx, in)
		return err
	})
	return out, err
}

// errBusy is the cause of an error where another judgement took longer than patience lasts.
var errBusy = words("another jacquard prove checks or prepares this project")

// judging does something when no other judgement is made in this project. It waits for one as long as patience lasts, 0 is for ever. runs is
// told of each command, unless it is nil.
func (p *project) judging(ctx context.Context, patience time.Duration, runs func(string), do func(*act.Actor) error) error {
	opts := p.planOptions()
	opts.Checks.Runs, opts.Checks.Later = runs, p.a.later.Go
	var err error
	if opts.Level, opts.Confine, err = p.confined(ctx, ""); err != nil {
		return err
	}
	blobs, err := blob.Open(filepath.Join(p.cache, "prove")) // a project that is only judged gets no folder of ours
	if err != nil {
		return err
	}
	wait := ctx
	if patience > 0 {
		var cancel func()
		wait, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	if runs == nil {
		runs = func(string) {}
	}
	l := p.a.lang()
	waits := time.AfterFunc(time.Second, func() { runs(l.T("waiting for another jacquard prove of this project")) })
	release, err := local.Alone(wait, filepath.Join(p.cache, "prove.lock"))
	if !waits.Stop() {
		runs(l.T("looking at the change"))
	}
	if err != nil && wait.Err() != nil && ctx.Err() == nil {
		return errBusy
	}
	if err != nil {
		return err
	}
	defer release()
	opts.Blobs = blobs
	return do(act.New(opts))
}

// proveFormats write a judgement, by the names of --format.
var proveFormats = map[string]func(*app, io.Writer, *project, act.Judged) error{
	"json": func(_ *app, w io.Writer, _ *project, j act.Judged) error { return writeJSON(w, j) },
	"text": writeJudged, "sarif": judgedSARIF, "github": judgedGitHub, "gitlab": judgedGitLab,
}

// formatEndings are the formats that the name of a file says.
var formatEndings = map[string]string{".txt": "text", ".md": "text", ".json": "json", ".sarif": "sarif"}

// showJudged writes the files that are asked for and the rest on stdout. What went into a file is not said twice.
func (p *project) showJudged(j act.Judged, o proveOptions) error {
	here := o.format
	for _, file := range o.outputs {
		format := cmp.Or(formatEndings[filepath.Ext(file)], o.format)
		if format == here {
			here = "text"
		}
		var b bytes.Buffer
		if err := proveFormats[format](p.a, &b, p, j); err != nil {
			return err
		}
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil { //nolint:gosec // a report that others read
			return environment("write --output %s", err, file)
		}
	}
	return proveFormats[here](p.a, p.a.Out, p, j)
}
