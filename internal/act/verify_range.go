package act

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/attest"
	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/target"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// CommitVerification is what verify has found out about one commit that this program made.
type CommitVerification struct {
	Commit   string            `json:"commit"`
	Subject  string            `json:"subject"`
	Run      string            `json:"run"`
	Part     string            `json:"part,omitempty"` // of the run: WORK-03/TASK-01, a module, or the key of a step
	Standing Standing          `json:"status"`
	Reason   string            `json:"reason,omitempty"`
	Tests    step.Counts       `json:"tests"`
	Red      []string          `json:"red,omitempty"`      // new tests that fail on the parent
	Baseline []string          `json:"baseline,omitempty"` // what failed on the parent already
	Failures []step.TestResult `json:"failures,omitempty"`
	Findings []step.Finding    `json:"findings,omitempty"`
	Attested *Attested         `json:"attested,omitempty"` // nil: nothing is
	// Unattested: nothing is attested, though this repository, or the file of evidence, has attestations.
	Unattested bool   `json:"unattested,omitempty"`
	Sealed     []byte `json:"-"` // what was found now, as an attestation; nil where it was not asked for or nothing was verified
}

// VerifyAlso is what else is wanted when a range is proved again.
type VerifyAlso struct {
	Seal    bool     // write down what was found, signed as Attest does
	Against Evidence // what is attested, instead of the notes of git
}

// VerifyRange proves the commits that tip reaches and not does not, from the first to the last, each from its parent: it builds,
// the tests pass, and what is new fails without it. Those that others made claim nothing; they are counted.
func (a *Actor) VerifyRange(ctx context.Context, not, tip string, also VerifyAlso, each func(CommitVerification)) (others int, err error) {
	log, err := a.o.Repo.Log(ctx, tip, not, 0)
	if err != nil {
		return 0, machinery(err)
	}
	c, err := a.checker(alone("verify"))
	if err != nil {
		return 0, err
	}
	k, err := a.keys(ctx)
	if err != nil {
		return 0, err
	}
	_, none := a.o.Repo.Ref(ctx, proofNotes)
	attests := also.Against != nil || none == nil
	for _, e := range slices.Backward(log) {
		run, part := runOf(e)
		if run == "" {
			others++
			continue
		}
		v := CommitVerification{Commit: e.ID, Subject: subjectOf(e), Run: run, Part: part}
		proof, err := a.verifyCommit(ctx, c, e, &v)
		if err != nil {
			return others, fmt.Errorf("commit %s: %w", e.ID[:12], err)
		}
		if v.Attested, err = a.attested(ctx, e, k, also.Against); err != nil {
			return others, fmt.Errorf("commit %s: %w", e.ID[:12], err)
		}
		v.Unattested = v.Attested == nil && attests
		if v.Attested != nil && v.Standing == Verified {
			if v.Attested.compare(proof, v.Tests); v.Attested.Wrong != "" {
				v.Standing, v.Reason = Unverified, v.Attested.Wrong
			}
		}
		if also.Seal && v.Standing == Verified {
			p := a.predicate(run, part, Proved{"verify", v.Tests, proof.Records, proof.Shown})
			if v.Sealed, err = attest.New(e.ID, e.Tree, p).Seal(ctx, k.Signer()); err != nil {
				return others, fmt.Errorf("commit %s: %w", e.ID[:12], err)
			}
		}
		each(v)
	}
	return others, nil
}

// verifyCommit proves one commit, and compares what it is with what it says was proved.
func (a *Actor) verifyCommit(ctx context.Context, c *check.Checker, e git.LogEntry, v *CommitVerification) (proof check.Proof, err error) {
	if len(e.Parents) == 0 && a.o.Repo.Shallow() {
		return proof, &InputError{"its parent is not in this clone: fetch the missing history with git fetch --unshallow (in CI, a checkout with fetch-depth: 0)"}
	}
	if len(e.Parents) != 1 {
		v.Standing, v.Tests.Level, v.Reason = Unverified, step.NotChecked, fmt.Sprintf("it has %d parents: it has no single base tree", len(e.Parents))
		return proof, nil
	}
	from, err := a.at(ctx, e.Parents[0])
	if err != nil {
		return proof, err
	}
	now, err := a.tree(ctx, e.Tree, nil)
	if err != nil {
		return proof, err
	}
	chains, err := a.chainsFrom(ctx, from.Tree, now)
	if err != nil {
		return proof, err
	}
	t := check.Task{Chains: chains, Unplanned: true, Base: from.Tree, Says: e.Message}
	gone := map[string]bool{}
	changes, err := a.o.Repo.Diff(ctx, from.Tree, e.Tree)
	if err != nil {
		return proof, machinery(err)
	}
	for _, ch := range changes {
		gone[ch.Path] = ch.Status == 'D'
		if kind := toolchain.ConfigKindOf(ch.Path); kind == toolchain.ManifestConfig || kind == toolchain.LockConfig {
			t.Base = e.Tree
		}
	}
	t.Deletes = func(p string) bool { return gone[p] }
	proof, _, baseline, err := a.proveChange(ctx, c, &t, from.Tree, e.Tree)
	if err != nil {
		return proof, err
	}
	v.Standing, v.Tests, v.Red, v.Baseline = Verified, proof.Counts(), bound(proof.Red, 50), bound(baseline, 20)
	v.Tests.Level, v.Tests.Red = proof.Level(), len(proof.Red)
	v.Findings = bound(proof.Findings, 20)
	for _, f := range short(proof.Failures()) {
		if !slices.Contains(t.Known, f.ID) {
			v.Failures = append(v.Failures, f)
		}
	}
	if !proof.Passed {
		v.Standing, v.Reason = Failing, "its checks do not pass"
		return proof, nil
	}
	other, err := a.otherThanProved(ctx, e)
	if len(other) > 0 {
		v.Standing, v.Reason = EditedHere, "it differs from what was proved, in these files: "+strings.Join(bound(other, 5), ", ")
	}
	return proof, err
}

// otherThanProved are the files in which a commit differs from the tree that it says was proved, but for documents, which are
// written afterwards. A clone from elsewhere may lack that tree; then nothing is compared.
func (a *Actor) otherThanProved(ctx context.Context, e git.LogEntry) ([]string, error) {
	tree := e.Trailer(trailerTree)
	if tree == "" || tree == e.Tree || !a.has(ctx, tree) {
		return nil, nil
	}
	changes, err := a.o.Repo.Diff(ctx, tree, e.Tree)
	if err != nil {
		return nil, machinery(err)
	}
	var out []string
	for _, ch := range changes {
		if toolchain.Classify(ch.Path) != toolchain.Other && ch.Path != target.LockName {
			out = append(out, ch.Path)
		}
	}
	return out, nil
}

// Range are the ids of the two ends of a range of commits, as git writes it: A..B, A.. or ..B, where an end that is missing is
// HEAD. ok is false where the text is none.
func (a *Actor) Range(ctx context.Context, text string) (not, tip string, ok bool, err error) {
	from, to, found := strings.Cut(text, "..")
	if !found || strings.HasPrefix(text, "../") || strings.Contains(text, "/../") || strings.HasSuffix(text, "/..") || text == ".." {
		return "", "", false, nil
	}
	ends := [2]string{cmp.Or(from, "HEAD"), cmp.Or(strings.TrimPrefix(to, "."), "HEAD")}
	for i, rev := range ends {
		id, err := a.o.Repo.Revision(ctx, rev)
		if err != nil && a.o.Repo.Shallow() {
			return "", "", false, &InputError{fmt.Sprintf("unknown commit %s: this clone is shallow; for more of its history, run: git fetch --deepen=50", rev)}
		}
		if err != nil {
			branch, none := a.o.Repo.DefaultBranch(ctx)
			if none != nil {
				branch = "HEAD~1"
			}
			return "", "", false, &InputError{fmt.Sprintf("unknown commit %s: give a commit range such as %s..HEAD", rev, branch)}
		}
		ends[i] = id
	}
	return ends[0], ends[1], true, nil
}
