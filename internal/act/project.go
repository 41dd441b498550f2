package act

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/step"
)

// result writes the result files of a module into the run's folder: result.json
// with the fields that earlier tools wrote, and spec.json with what the spec says. They are
// projections of the journal and rewritten whole.
func (a *Actor) result(ctx context.Context, run string, r step.ModuleResult) error {
	dir := filepath.Join(a.runDir(run), filepath.FromSlash(r.Dir))
	raw, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	file := filepath.Join(dir, "result.json")
	raw = append(raw, '\n')
	if have, err := os.ReadFile(file); err == nil && bytes.Equal(have, raw) {
		return nil
	}
	if err := writeFile(file, raw); err != nil {
		return machinery(err)
	}
	base, err := a.o.Repo.Ref(ctx, baseRef(run))
	if err != nil {
		return nil //nolint:nilerr // gc has dropped the refs; the results stay
	}
	v, err := a.tree(ctx, base, nil)
	if err != nil {
		return err
	}
	return machinery(writeFile(filepath.Join(dir, "spec.json"), specJSON(r.Spec, v.bytes(r.Spec))))
}

// Project writes the result files of all modules that a run has ended, from
// its notes.
func (a *Actor) Project(ctx context.Context, run string, events []flow.Event) error {
	for _, e := range events {
		if e.Type != flow.EventNote || e.Branch == "" || e.Key != e.Branch+":result" {
			continue
		}
		var r step.ModuleResult
		if json.Unmarshal(e.Data, &r) != nil {
			continue
		}
		if err := a.result(ctx, run, r); err != nil {
			return err
		}
	}
	return nil
}
