package act

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/attest"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/step"
)

// proofNotes is where git keeps what is attested of commits.
const proofNotes = "refs/notes/jacquard"

// mostLookedAt bounds how far back commits of a run are looked for on the branch that is checked out.
const mostLookedAt = 2000

// Attest writes down, as notes of git, how each commit of a run was proved, signed with the key that the user's git signs with. proved gives
// the proofs by their trees; it is asked only where the run has delivered commits.
func (a *Actor) Attest(ctx context.Context, run string, proved func() (map[string][]attest.Proof, error)) error {
	commits, err := a.commitsOf(ctx, run)
	if err != nil || len(commits) == 0 {
		return err
	}
	proofs, err := proved()
	if err != nil {
		return err
	}
	k, err := a.keys(ctx)
	if err != nil {
		return err
	}
	notes := map[string][]byte{}
	for _, c := range commits {
		_, part := runOf(c)
		p := attest.Predicate{Program: "jacquard " + a.o.Version, Run: run, Part: part, Proofs: proofs[c.Tree]}
		if tree := c.Trailer(trailerTree); tree != c.Tree {
			p.Proofs = slices.Concat(p.Proofs, proofs[tree])
		}
		if len(p.Proofs) == 0 { // its evidence was cleared away
			continue
		}
		if notes[c.ID], err = attest.New(c.ID, c.Tree, p).Seal(ctx, k.Signer()); err != nil {
			return err
		}
	}
	if len(notes) == 0 {
		return nil
	}
	return machinery(a.o.Repo.SetNotes(ctx, proofNotes, notes, a.commit(run, "", "What was proved of commits")))
}

// keys are the user's settings for signing.
func (a *Actor) keys(ctx context.Context) (k attest.Keys, err error) {
	k.Env, k.Home = a.o.User, valueOf(a.o.User, "HOME")
	if k.Format, err = a.o.Repo.Setting(ctx, "gpg.format"); err != nil {
		return k, machinery(err)
	}
	program := "gpg.program"
	if k.Format == "ssh" || k.Format == "x509" {
		program = "gpg." + k.Format + ".program"
	}
	for key, to := range map[string]*string{program: &k.Program, "user.signingkey": &k.Key, "gpg.ssh.allowedSignersFile": &k.Allowed} {
		if *to, err = a.o.Repo.Setting(ctx, key); err != nil {
			return k, machinery(err)
		}
	}
	if k.Format == "x509" && k.Program != "" && k.Key == "" { // it finds out by itself who signs
		_, k.Key, err = a.o.Repo.Identity(ctx)
	}
	return k, machinery(err)
}

// commitsOf are the commits that a run has delivered: to the branch that is checked out, or as a branch of their own. Files that it has
// put into the working tree are of no commit.
func (a *Actor) commitsOf(ctx context.Context, run string) ([]git.LogEntry, error) {
	tip, err := a.o.Repo.Ref(ctx, RunRef(run))
	if err != nil {
		return nil, nil //nolint:nilerr // it has landed nothing
	}
	log, err := a.landedLog(ctx, run, tip)
	if err != nil || len(log) == 0 {
		return nil, err
	}
	branches, err := a.o.Repo.Refs(ctx, "refs/heads/")
	if err != nil {
		return nil, machinery(err)
	}
	if !slices.Contains(slices.Collect(maps.Values(branches)), tip) {
		head, err := a.o.Repo.Head(ctx)
		if err != nil || head.Unborn {
			return nil, machinery(err)
		}
		if log, err = a.o.Repo.Log(ctx, head.Commit, "", mostLookedAt); err != nil {
			return nil, machinery(err)
		}
	}
	return slices.DeleteFunc(log, func(c git.LogEntry) bool {
		by, _ := runOf(c)
		return by != run
	}), nil
}

// AttestedIn are the proofs that records show, for Attest.
func AttestedIn(key string, counts step.Counts, records []step.Record) attest.Proof {
	p := attest.Proof{Step: key, Tests: attest.Counts{Total: counts.Total, Passed: counts.Passed, Failed: counts.Failed, Red: counts.Red, Level: string(counts.Level)}}
	for i, r := range records {
		if i == mostAttested {
			p.Omitted = len(records) - i
			break
		}
		p.Commands = append(p.Commands, attest.Command{
			Text: cmp.Or(r.Text, strings.Join(r.Argv, " ")), Dir: r.Dir, Shows: string(r.Shows), Tree: r.Tree, Exit: r.Exit, Ended: r.Ended, Millis: r.Millis,
			Output: r.Output.SHA256, Toolchain: r.Toolchain, Sandbox: r.Sandbox, Reused: r.Reused.Proof != "",
		})
	}
	return p
}

// mostAttested bounds the commands of one proof, so that a note stays small.
const mostAttested = 100

// Attested is what is attested of a commit.
type Attested struct {
	By    string        `json:"by,omitempty"` // who has signed it, "" for nobody
	Tests attest.Counts `json:"tests"`        // as they ended then
	Wrong string        `json:"wrong,omitempty"`

	commands []attest.Command
}

// more says what was attested and cannot be found again, "" for nothing. Commands are compared as far as the same ones ran on the same trees to show the same.
func (t *Attested) more(now step.Counts, records []step.Record) string {
	type place struct{ text, dir, tree, shows string }
	found := map[place][]int{}
	for _, c := range AttestedIn("", now, records).Commands {
		at := place{c.Text, c.Dir, c.Tree, c.Shows}
		found[at] = append(found[at], c.Exit)
	}
	for _, c := range t.commands {
		if exits := found[place{c.Text, c.Dir, c.Tree, c.Shows}]; len(exits) > 0 && !slices.Contains(exits, c.Exit) {
			return fmt.Sprintf("its attestation says that `%s` exited with %d: now it is %d", c.Text, c.Exit, exits[0])
		}
	}
	if t.Tests.Passed <= now.Passed && t.Tests.Red <= now.Red {
		return ""
	}
	return fmt.Sprintf("its attestation says that %d tests pass and %d of them fail without the change: now it is %d and %d", t.Tests.Passed, t.Tests.Red, now.Passed, now.Red)
}

// attested reads the attestation of a commit, nil where there is none. sealed are those of a file, nil where notes of git have them.
func (a *Actor) attested(ctx context.Context, c git.LogEntry, k attest.Keys, sealed Evidence) (*Attested, error) {
	one := sealed[c.ID]
	if sealed == nil {
		var err error
		if one, err = a.o.Repo.Note(ctx, proofNotes, c.ID); err != nil {
			return nil, machinery(err)
		}
	}
	if one == nil {
		return nil, nil //nolint:nilnil // nothing is attested
	}
	s, by, err := attest.Open(ctx, one, k)
	out := &Attested{By: by}
	switch run, part := runOf(c); {
	case errors.Is(err, attest.ErrNone):
		out.Wrong = "its note is not an attestation"
	case err != nil:
		out.Wrong = "its attestation: " + err.Error()
	case !s.Of(c.ID, c.Tree):
		out.Wrong = "its attestation is about another commit or tree"
	case s.Predicate.Run != run || s.Predicate.Part != part:
		out.Wrong = "its attestation is about another run than its message"
	case by == "" && k.Allowed != "":
		out.Wrong = "its attestation is not signed, but this repository says who signs (gpg.ssh.allowedSignersFile)"
	case len(s.Predicate.Proofs) > 0:
		out.Tests, out.commands = s.Predicate.Proofs[0].Tests, s.Predicate.Proofs[0].Commands
	}
	return out, nil
}

// Evidence are attestations that travel as a file: by the commit that each is about.
type Evidence map[string][]byte

// ReadEvidence reads what VerifyRange has sealed, an envelope a line. A line that is none is the error; whether a signature holds is asked when
// its commit is verified.
func ReadEvidence(text []byte) (Evidence, error) {
	out := Evidence{}
	n := 0
	for line := range bytes.Lines(text) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		commit, err := attest.About(line)
		if err != nil {
			return nil, fmt.Errorf("line %d is no attestation: %w", n, err)
		}
		out[commit] = line
	}
	return out, nil
}
