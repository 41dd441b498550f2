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
	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/step"
)

// proofNotes is where git keeps what is attested of commits.
const proofNotes = "refs/notes/jacquard"

// mostLookedAt bounds how far back commits of a run are looked for.
const mostLookedAt = 2000

// Proved is one proof of a tree, by the key of its step.
type Proved struct {
	Key     string
	Counts  step.Counts
	Records []step.Record
	Shown   []step.Shown
}

// Attest writes down, as notes of git, how each commit of a run was proved, signed with the key that the user's git signs with. proved gives
// the proofs by their trees; it is asked only where the run has delivered commits, to ref. items are those of specs, by module.
func (a *Actor) Attest(ctx context.Context, run, ref string, items map[string][]step.ItemLevel, proved func() (map[string][]Proved, error)) error {
	commits, err := a.commitsOf(ctx, run, ref)
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
		of := proofs[c.Tree]
		if tree := c.Trailer(trailerTree); tree != c.Tree {
			of = slices.Concat(of, proofs[tree])
		}
		if len(of) == 0 { // its evidence was cleared away
			continue
		}
		p := a.predicate(run, part, of...)
		if of := items[part]; len(of) > 0 {
			if p.Items, err = a.specItems(ctx, c.Tree, part, of); err != nil {
				return err
			}
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

// ShareProofs pushes what is attested to where a run has published its commits, beside what others have attested there.
func (a *Actor) ShareProofs(ctx context.Context, run string) error {
	if _, err := a.o.Repo.Ref(ctx, proofNotes); err != nil { // nothing was attested
		return nil //nolint:nilerr // see above
	}
	c, err := a.forge(ctx)
	if err != nil {
		return err
	}
	var login git.Login
	login.Server, login.Token = c.Credential()
	return a.o.Repo.ShareNotes(ctx, originName, proofNotes, a.commit(run, "", "What was proved of commits"), login)
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

// commitsOf are the commits that a run has delivered to where ref is: the branch that is checked out, or one of their own. Files that it has put
// into the working tree, and what nobody has taken yet, are of no commit.
func (a *Actor) commitsOf(ctx context.Context, run, ref string) ([]git.LogEntry, error) {
	if ref == "" || ref == RunRef(run) {
		return nil, nil
	}
	tip, err := a.o.Repo.Revision(ctx, ref)
	if err != nil {
		return nil, nil //nolint:nilerr // it was deleted since
	}
	log, err := a.o.Repo.Log(ctx, tip, "", mostLookedAt)
	return slices.DeleteFunc(log, func(c git.LogEntry) bool {
		by, _ := runOf(c)
		return by != run
	}), machinery(err)
}

// predicate is what is attested of a commit that proofs are of. The first that says which tests show what is the one.
func (a *Actor) predicate(run, part string, proofs ...Proved) attest.Predicate {
	out := attest.Predicate{Program: "jacquard " + a.o.Version, Run: run, Part: part, Versions: map[string]string{}}
	for _, p := range proofs {
		if out.Items == nil {
			out.Items = step.Each(p.Shown, func(s step.Shown) attest.Item {
				return attest.Item{Name: s.Name, Level: string(s.Level), Red: s.Red, Green: s.Green}
			})
		}
		out.Proofs = append(out.Proofs, attestedIn(p))
		maps.Copy(out.Versions, versionsIn(p.Records))
	}
	return out
}

// versionsIn are the versions of the toolchains that have run, by their names.
func versionsIn(records []step.Record) map[string]string {
	out := map[string]string{}
	for _, r := range records {
		if r.Version != "" {
			out[r.Toolchain] = r.Version
		}
	}
	return out
}

// specItems are the items of a module's spec with the tests that the lock of a tree has of them.
func (a *Actor) specItems(ctx context.Context, tree, dir string, items []step.ItemLevel) ([]attest.Item, error) {
	v, err := a.tree(ctx, tree, nil)
	if err != nil {
		return nil, err
	}
	lock, _, err := a.readLock(v)
	if err != nil {
		return nil, err
	}
	e, _ := lock.Entry(dir)
	return step.Each(items, func(i step.ItemLevel) attest.Item {
		out := attest.Item{Name: i.ID, Text: i.Text, Level: string(i.Level), Why: i.Why}
		for _, test := range slices.Sorted(maps.Keys(e.Covers)) {
			switch {
			case !slices.Contains(e.Covers[test], i.ID):
			case i.Why == step.WhyRed:
				out.Red = append(out.Red, test)
			default:
				out.Green = append(out.Green, test)
			}
		}
		return out
	}), nil
}

// attestedIn is a proof as its records show it.
func attestedIn(of Proved) attest.Proof {
	counts := of.Counts
	p := attest.Proof{Step: of.Key, Tests: attest.Counts{Total: counts.Total, Passed: counts.Passed, Failed: counts.Failed, Red: counts.Red, Level: string(counts.Level)}}
	for i, r := range of.Records {
		if i == mostAttested {
			p.Omitted = len(of.Records) - i
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
	Items []attest.Item `json:"items,omitempty"`
	// Others are toolchains whose versions are others now, with those of then.
	Others map[string]string `json:"other_versions,omitempty"`
	Wrong  string            `json:"wrong,omitempty"`

	commands []attest.Command
	versions map[string]string
}

// more says what was attested and cannot be found again, "" for nothing. Commands are compared as far as the same ones ran on the same trees to show the same.
func (t *Attested) more(now check.Proof, tests step.Counts) string {
	type place struct{ text, dir, tree, shows string }
	found := map[place][]int{}
	for _, c := range attestedIn(Proved{Records: now.Records}).Commands {
		at := place{c.Text, c.Dir, c.Tree, c.Shows}
		found[at] = append(found[at], c.Exit)
	}
	for _, c := range t.commands {
		if exits := found[place{c.Text, c.Dir, c.Tree, c.Shows}]; len(exits) > 0 && !slices.Contains(exits, c.Exit) {
			return fmt.Sprintf("its attestation says that `%s` exited with %d: now it is %d", c.Text, c.Exit, exits[0])
		}
	}
	if t.Tests.Passed > tests.Passed || t.Tests.Red > tests.Red {
		return fmt.Sprintf("its attestation says that %d tests pass and %d of them fail without the change: now it is %d and %d", t.Tests.Passed, t.Tests.Red, tests.Passed, tests.Red)
	}
	for _, i := range t.Items {
		if why := lessShown(i, now); why != "" {
			return fmt.Sprintf("its attestation says that %s is %s: %s", i.Name, i.Level, why)
		}
	}
	return ""
}

// lessShown says what of an item that was attested cannot be found again, "" for nothing.
func lessShown(i attest.Item, now check.Proof) string {
	for _, test := range slices.Concat(i.Red, i.Green) {
		if !check.Passes(now.Results, test) {
			return "the test " + test + " does not pass now"
		}
	}
	for _, test := range i.Red {
		if slices.Contains(now.Satisfied, test) {
			return "the test " + test + " passes without the change as well"
		}
	}
	for _, s := range now.Shown {
		if s.Name == i.Name && i.Level == string(step.Proved) && s.Level != step.Proved {
			return "now it is " + string(s.Level)
		}
	}
	return ""
}

// compare holds what is attested against what is found now.
func (t *Attested) compare(now check.Proof, tests step.Counts) {
	t.Wrong = cmp.Or(t.Wrong, t.more(now, tests))
	is := versionsIn(now.Records)
	for name, was := range t.versions {
		if is[name] != "" && is[name] != was {
			if t.Others == nil {
				t.Others = map[string]string{}
			}
			t.Others[name] = was
		}
	}
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
		out.Items, out.versions = s.Predicate.Items, s.Predicate.Versions
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
