package act

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jacquard-build/jacquard/internal/step"
)

// quarantineFor is how long a test that was seen to flake is charged to nobody. After
// that it counts again, so that nobody forgets it.
const quarantineFor = 14 * 24 * time.Hour

// Quarantined is a test of an earlier build that failed and passed on one tree.
type Quarantined struct {
	Test  string    `json:"test"` // id
	Since time.Time `json:"since"`
	Until time.Time `json:"until"`
}

const quarantineFile = "quarantine.json"

// Quarantine lists the tests of a project that are in quarantine at a time, by id.
// state is the project's state folder.
func Quarantine(state string, now time.Time) ([]Quarantined, error) {
	raw, err := os.ReadFile(filepath.Join(state, quarantineFile))
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return []Quarantined{}, nil
	}
	var list []Quarantined
	if err == nil {
		err = json.Unmarshal(raw, &list)
	}
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list, func(q Quarantined) bool { return !now.Before(q.Until) }), nil
}

// isolate says of a failed test that nobody changed whether it is in quarantine, where a
// flake is put, and until when; the zero time means no.
func (a *Actor) isolate(t step.TestResult) (time.Time, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.o.Now().UTC()
	list, err := Quarantine(a.o.State, now)
	if err != nil {
		return time.Time{}, machinery(err)
	}
	for _, q := range list {
		if q.Test == t.ID {
			return q.Until, nil
		}
	}
	if t.Status != step.Flake {
		return time.Time{}, nil
	}
	q := Quarantined{Test: t.ID, Since: now, Until: now.Add(quarantineFor)}
	list = append(list, q)
	slices.SortFunc(list, func(x, y Quarantined) int { return strings.Compare(x.Test, y.Test) })
	return q.Until, machinery(writeFile(filepath.Join(a.o.State, quarantineFile), mustJSON(list)))
}
