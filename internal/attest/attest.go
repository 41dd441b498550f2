// Package attest says of a commit what was run to prove it, so that the evidence travels with the commit: an in-toto statement
// (https://github.com/in-toto/attestation/tree/main/spec/v1) in a DSSE envelope (https://github.com/secure-systems-lab/dsse), signed
// with the key that the user signs commits with.
package attest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"
)

// The types of what is written.
const (
	PayloadType   = "application/vnd.in-toto+json"
	StatementType = "https://in-toto.io/Statement/v1"
	PredicateType = "https://github.com/jacquard-build/jacquard/proof/v1"
)

// Statement is what is said of a commit.
type Statement struct {
	Type          string    `json:"_type"`
	Subject       []Subject `json:"subject"`
	PredicateType string    `json:"predicateType"`
	Predicate     Predicate `json:"predicate"`
}

// Subject is something by its hash.
type Subject struct {
	Name   string            `json:"name"`
	Digest map[string]string `json:"digest"`
}

// Predicate is how a commit was proved: by whom, in which run, and what was run.
type Predicate struct {
	Program string  `json:"program"` // with its version
	Run     string  `json:"run"`
	Part    string  `json:"part,omitempty"` // of the run: WORK-03/TASK-01, a module, or the key of a step
	Items   []Item  `json:"items,omitempty"`
	Proofs  []Proof `json:"proofs"`
	// Versions are those of what ran, by the toolchain that commands name.
	Versions map[string]string `json:"versions,omitempty"`
}

// Item is a requirement, or a piece of code that has changed, and the tests that show it.
type Item struct {
	Name  string   `json:"name"` // id of a requirement, FILE::FUNCTION or a file
	Text  string   `json:"text,omitempty"`
	Level string   `json:"level"`           // of proof
	Why   string   `json:"why,omitempty"`   // what has shown it, or why nothing could
	Red   []string `json:"red,omitempty"`   // tests that fail without it and pass with it
	Green []string `json:"green,omitempty"` // tests that pass with it
}

// Proof is one proof of a tree: each command that was run for it, and how its tests ended.
type Proof struct {
	Step     string    `json:"step"` // key in the journal
	Tests    Counts    `json:"tests"`
	Commands []Command `json:"commands"`
	Omitted  int       `json:"omitted,omitempty"` // commands that do not fit
}

// Counts says how tests ended.
type Counts struct {
	Total  int    `json:"total"`
	Passed int    `json:"passed"`
	Failed int    `json:"failed"`
	Red    int    `json:"red,omitempty"`   // of them failed before the change
	Level  string `json:"level,omitempty"` // of proof
}

// Command is one command as it ran.
type Command struct {
	Text      string `json:"text"`
	Dir       string `json:"dir"`
	Shows     string `json:"shows,omitempty"` // on which tree of the proof it ran
	Tree      string `json:"tree"`
	Exit      int    `json:"exit"`
	Ended     string `json:"ended,omitempty"` // why, when not by itself
	Millis    int64  `json:"millis"`
	Output    string `json:"output,omitempty"` // SHA-256 of what it printed
	Toolchain string `json:"toolchain,omitempty"`
	Sandbox   string `json:"sandbox,omitempty"`
	Reused    bool   `json:"reused,omitempty"` // its result was on record
}

// New is a statement about a commit and its tree.
func New(commit, tree string, p Predicate) Statement {
	subject := func(name, kind, id string) Subject { return Subject{Name: name, Digest: map[string]string{kind: id}} }
	return Statement{
		Type: StatementType, PredicateType: PredicateType, Predicate: p,
		Subject: []Subject{subject("commit", "gitCommit", commit), subject("tree", "gitTree", tree)},
	}
}

// Of reports whether the statement is about a commit and its tree.
func (s Statement) Of(commit, tree string) bool {
	said := map[string]string{}
	for _, x := range s.Subject {
		for kind, id := range x.Digest {
			said[kind] = id
		}
	}
	return said["gitCommit"] == commit && said["gitTree"] == tree
}

// Seal puts the statement into an envelope, signed by who is given; nil leaves it unsigned.
func (s Statement) Seal(ctx context.Context, by dsse.Signer) ([]byte, error) {
	payload, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("seal a statement: %w", err)
	}
	if by == nil {
		return json.Marshal(dsse.Envelope{PayloadType: PayloadType, Payload: base64(payload), Signatures: []dsse.Signature{}})
	}
	signer, err := dsse.NewEnvelopeSigner(by)
	if err != nil {
		return nil, fmt.Errorf("seal a statement: %w", err)
	}
	e, err := signer.SignPayload(ctx, PayloadType, payload)
	if err != nil {
		return nil, fmt.Errorf("seal a statement: %w", err)
	}
	return json.Marshal(e)
}

// ErrTampered is the cause where an envelope, or what is in it, is not as it was signed.
var ErrTampered = errors.New("it does not match its signature")

// ErrNone is the cause where there is something else than an envelope.
var ErrNone = errors.New("it is not an attestation")

// Open takes a statement out of its envelope and checks its signatures. by says who has signed it, "" for nobody. What is no
// envelope is ErrNone; one that cannot be read, and one with a signature that does not hold, is ErrTampered.
func Open(ctx context.Context, sealed []byte, k Keys) (s Statement, by string, err error) {
	e, payload, s, err := unsealed(sealed)
	if err != nil {
		return s, "", err
	}
	for _, sig := range e.Signatures {
		if by, err = k.check(ctx, sig, dsse.PAE(e.PayloadType, payload)); err != nil {
			return s, "", err
		}
	}
	return s, by, nil
}

// unsealed takes an envelope apart, and checks no signature.
func unsealed(sealed []byte) (e dsse.Envelope, payload []byte, s Statement, err error) {
	if err := json.Unmarshal(sealed, &e); err != nil {
		return e, nil, s, fmt.Errorf("%w: %w", ErrNone, err)
	}
	payload, err = e.DecodeB64Payload()
	if err != nil || e.PayloadType != PayloadType || json.Unmarshal(payload, &s) != nil || s.Type != StatementType || s.PredicateType != PredicateType {
		return e, nil, s, fmt.Errorf("%w: it contains no statement about a commit", ErrTampered)
	}
	return e, payload, s, nil
}

// About is the commit that an envelope says it is about, signed or not.
func About(sealed []byte) (commit string, err error) {
	_, _, s, err := unsealed(sealed)
	for _, x := range s.Subject {
		if id := x.Digest["gitCommit"]; id != "" {
			return id, err
		}
	}
	return "", cmp.Or(err, fmt.Errorf("%w: it names no commit", ErrTampered))
}
