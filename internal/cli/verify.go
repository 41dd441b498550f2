package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/confine"
	"github.com/jacquard-build/jacquard/internal/inspect"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/spec"
	"github.com/jacquard-build/jacquard/internal/step"
)

// verifyOptions are the flags of verify.
type verifyOptions struct {
	format  string
	fresh   bool
	sandbox string

	evidence, writeEvidence string // files
}

func newVerify(a *app) *cobra.Command {
	var o verifyOptions
	c := &cobra.Command{
		Use: "verify [PATH|RANGE]", Short: "verify built modules or commits again, without an agent", Args: cobra.MaximumNArgs(1),
		Long: "Compares the files with jacquard.lock, builds, runs the frozen tests and calls the code with the examples of the " +
			"specs. With a range of commits, it verifies each commit made by a run against its parent: new tests must fail without " +
			"it and pass with it. It needs no agent and no API key, so it can run in CI.",
		Example: "  jacquard verify\n  jacquard verify src/auth\n  jacquard verify main..HEAD\n  jacquard verify --format junit > verified.xml\n" +
			"  jacquard verify main..HEAD --write-evidence evidence.jsonl",
		RunE: func(c *cobra.Command, args []string) error {
			return a.verify(c.Context(), first(args, "", ""), o)
		},
	}
	c.Flags().StringVar(&o.format, "format", "text", "text, json, sarif or junit")
	sandboxFlag(c, &o.sandbox)
	c.Flags().StringVar(&o.evidence, "evidence", "", "compare with the attestations in this `file` instead of git notes")
	c.Flags().StringVar(&o.writeEvidence, "write-evidence", "", "write an attestation of each verified commit to this `file`")
	c.Flags().BoolVar(&o.fresh, "fresh", false, "run every check again, even if its result is cached")
	return c
}

func (a *app) verify(ctx context.Context, given string, o verifyOptions) error {
	if err := drawn(o.format); err != nil {
		return err
	}
	if a.json {
		o.format = "json"
	}
	p, err := a.open(ctx)
	if err != nil {
		return err
	}
	if err := p.trusted(); err != nil {
		return err
	}
	if err := p.store(); err != nil {
		return err
	}
	opts := p.planOptions()
	opts.Checks.Fresh = o.fresh
	if opts.Level, opts.Confine, err = p.confined(ctx, o.sandbox); err != nil {
		return err
	}
	actor := act.New(opts)
	not, tip, isRange, err := actor.Range(ctx, given)
	if err != nil {
		return err
	}
	if !isRange && o.evidence+o.writeEvidence != "" {
		return usage("--evidence and --write-evidence need a range of commits: jacquard verify main..HEAD")
	}
	if isRange {
		return a.verifyRange(ctx, actor, opts.Level, not, tip, p.root, o)
	}
	dir, err := p.inside(given)
	if err != nil {
		if _, e := p.repo.Revision(ctx, given); e == nil {
			return usage("%s is a commit, not a path. To check it, run: jacquard verify %[1]s~1..%[1]s", given)
		}
		return err
	}
	all, good := []act.Verification{}, 0
	err = actor.Verify(ctx, dir, func(m act.Verification) {
		all = append(all, m)
		if m.Standing == act.Verified {
			good++
		}
		if o.format == "text" {
			showVerification(a, m)
		}
	})
	if err != nil {
		return err
	}
	ok := good == len(all) && good > 0 // of none nothing is verified
	switch o.format {
	case "text":
		if len(all) == 0 {
			err = p.tellNoSpecs(ctx, dir, "")
		} else {
			fmt.Fprintf(a.Out, a.lang().T("%d of %d modules verified\n"), good, len(all))
			fmt.Fprint(a.Out, weaker(a.lang(), opts.Level))
		}
	case "json":
		a.print(map[string]any{"modules": all, "verified": ok, "sandbox": opts.Level})
	default:
		v := inspect.Validation{Root: p.root}
		for _, m := range all {
			v.Modules = append(v.Modules, asDrift(m.Dir, m.Standing, m.Reason, cmp.Or(m.Spec, path.Join(m.Dir, spec.Name)), m.Next))
		}
		err = write(a, o.format, v)
	}
	if err != nil {
		return err
	}
	return proved(ok)
}

func showVerification(a *app, m act.Verification) {
	l := a.lang()
	if m.Standing == act.Verified {
		fmt.Fprintln(a.Out, report.Countf(l.T("✓ %s: %d tests passed, %d examples match"), m.Dir, m.Tests.Passed, m.Examples)+report.Cached(l, m.Tests.Reused))
		if m.NotRun > 0 {
			fmt.Fprint(a.Out, report.Countf(l.T("    %d of %d examples could be called: %s\n"), m.Examples, m.Examples+m.NotRun, l.Finding(strings.ReplaceAll(m.WhyNot, "\n", "; "))))
		}
		return
	}
	showUnproved(a, m.Dir, m.Standing, m.Reason, m.Findings, m.Failures)
	fmt.Fprintf(a.Out, l.T("    next, run: jacquard %s\n"), m.Next)
}

func showUnproved(a *app, what string, standing act.Standing, reason string, findings []step.Finding, failures []step.TestResult) {
	mark := "⚠"
	if standing == act.Failing {
		mark = "✗"
	}
	fmt.Fprintf(a.Out, "%s %s: %s: %s\n", mark, what, standing, reason)
	for _, f := range findings {
		fmt.Fprintln(a.Out, report.Finding(a.lang(), f))
	}
	for _, t := range failures {
		fmt.Fprint(a.Out, report.Failure(t))
	}
}

// also is what the flags ask for of a range.
func (o verifyOptions) also() (act.VerifyAlso, error) {
	also := act.VerifyAlso{Seal: o.writeEvidence != ""}
	if o.evidence == "" {
		return also, nil
	}
	text, err := os.ReadFile(o.evidence)
	if err != nil {
		return also, usage("--evidence: %v", err)
	}
	if also.Against, err = act.ReadEvidence(text); err != nil {
		return also, usage("--evidence %s: %v. It must be a file that --write-evidence has written", o.evidence, err)
	}
	return also, nil
}

// verifyRange proves the commits of runs in a range again.
func (a *app) verifyRange(ctx context.Context, actor *act.Actor, level confine.Level, not, tip, root string, o verifyOptions) error {
	also, err := o.also()
	if err != nil {
		return err
	}
	all, good := []act.CommitVerification{}, 0
	var sealed []byte
	others, err := actor.VerifyRange(ctx, not, tip, also, func(c act.CommitVerification) {
		all = append(all, c)
		if c.Sealed != nil {
			sealed = append(append(sealed, c.Sealed...), '\n')
		}
		if c.Standing == act.Verified {
			good++
		}
		if o.format == "text" {
			showCommit(a, c, o.evidence == "")
		}
	})
	if err == nil && also.Seal {
		if err = check.WriteWhole(o.writeEvidence, sealed); err != nil {
			err = environment("write --write-evidence %s", err, o.writeEvidence)
		}
	}
	if err != nil {
		return err
	}
	ok := good == len(all) // commits of others claim nothing
	switch o.format {
	case "text":
		if len(all) == 0 {
			fmt.Fprintln(a.Out, a.lang().T("No commit in this range was made by a run, so there is nothing to verify. Commits made by a run have a Jacquard-Run line in their message."))
		} else {
			proven := 0
			for _, c := range all {
				if c.Standing == act.Verified && c.Tests.Level == step.Proved {
					proven++
				}
			}
			fmt.Fprintf(a.Out, a.lang().T("%d of %d commits: tests pass; %d proved\n"), good, len(all), proven)
			fmt.Fprint(a.Out, weaker(a.lang(), level))
		}
		if others > 0 && len(all) > 0 {
			fmt.Fprint(a.Out, report.Countf(a.lang().T("skipped %d commits that Jacquard did not make\n"), others))
		}
	case "json":
		a.print(map[string]any{"commits": all, "others": others, "verified": ok, "sandbox": level})
	default:
		v := inspect.Validation{Root: root}
		for _, c := range all {
			v.Modules = append(v.Modules, asDrift(shortCommit(c), c.Standing, c.Reason, "jacquard.lock", ""))
		}
		err = write(a, o.format, v)
	}
	if err != nil {
		return err
	}
	return proved(ok)
}

// showCommit says what was found of a commit, whose attestation is a note unless it is of a file.
func showCommit(a *app, c act.CommitVerification, noted bool) {
	l := a.lang()
	if c.Standing != act.Verified {
		showUnproved(a, shortCommit(c), c.Standing, c.Reason, c.Findings, c.Failures)
		if noted && c.Attested != nil && c.Attested.Wrong != "" {
			fmt.Fprintf(a.Out, l.T("    to see its note: git notes --ref jacquard show %[1]s; if it is not to be trusted, remove it and verify again: git notes --ref jacquard remove %[1]s\n"), c.Commit[:10])
		}
		return
	}
	fmt.Fprint(a.Out, report.Countf(l.T("✓ %s: %d tests passed\n"), shortCommit(c), c.Tests.Passed))
	fmt.Fprint(a.Out, report.Shown(l, c.Tests))
	switch t := c.Attested; {
	case c.Unattested && noted:
		fmt.Fprint(a.Out, l.T("    not attested: there are notes under refs/notes/jacquard, and none is about it. Rebase and amend lose them\n"))
	case c.Unattested:
		fmt.Fprint(a.Out, l.T("    not attested: the file of evidence has nothing about it\n"))
	case t == nil:
	case t.By == "":
		fmt.Fprint(a.Out, report.Countf(l.T("    attested: %d tests passed; not signed\n"), t.Tests.Passed))
	case strings.HasPrefix(t.By, "SHA256:"):
		fmt.Fprint(a.Out, report.Countf(l.T("    attested: %d tests passed; signed by an unknown key %s; to check it, set gpg.ssh.allowedSignersFile\n"), t.Tests.Passed, t.By))
	default:
		fmt.Fprint(a.Out, report.Countf(l.T("    attested: %d tests passed; signed by %s\n"), t.Tests.Passed, t.By))
	}
	if c.Attested != nil {
		for _, name := range slices.Sorted(maps.Keys(c.Attested.Others)) {
			fmt.Fprintf(a.Out, l.T("    attested with another version: %s\n"), c.Attested.Others[name])
		}
	}
}

func shortCommit(c act.CommitVerification) string { return c.Commit[:10] + " " + c.Subject }

// asDrift puts what was found into the shape of which reports for other programs are made.
func asDrift(what string, standing act.Standing, reason, file, next string) inspect.ModuleDrift {
	d := inspect.ModuleDrift{Directory: what, Valid: true}
	if standing == act.Verified {
		return d
	}
	text := fmt.Sprintf("%s: %s.", standing, reason)
	if next != "" {
		text += " Next: jacquard " + next
	}
	d.Issues = append(d.Issues, inspect.Drift{Type: inspect.NotVerified, File: file, Symbol: string(standing), Message: text})
	return d
}
