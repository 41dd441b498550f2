package check

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/confine"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// What commands may use is learned: the first one of its kind (the tests of a toolchain, its builds) may use a lot, the others a multiple
// of the most that one has used. A suite of an hour is no failure, and one that hangs is found.
const (
	mostTimes = 4

	firstLimit = 30 * time.Minute
	leastLimit = 10 * time.Minute // a loaded machine is no failure either

	leastMemory    = 4 << 30 // a change may need more than the baseline
	leastProcesses = 1024
	leastOutput    = 32 << 20
)

// learned is the most that a kind of commands has used; 0 is not known.
type learned struct {
	Millis    int64 `json:"ms"`
	Memory    int64 `json:"memory"`
	Processes int   `json:"pids"`
	Output    int64 `json:"output"`
}

// limit is how long a command may take.
func (p *place) limit(cmd toolchain.Command) time.Duration {
	if p.c.o.Limit > 0 {
		return p.c.o.Limit
	}
	took := p.c.took(p.learnedFile(cmd))
	if took == 0 {
		return firstLimit
	}
	return max(leastLimit, mostTimes*took)
}

// bounds are what a command may use: what a person has said, else a multiple of what was learned and never more than most.
func (p *place) bounds(cmd toolchain.Command, most confine.Limits) confine.Limits {
	l, said := p.c.learned(p.learnedFile(cmd)), p.c.o.Said
	if said.Memory == 0 {
		most.Memory = learnedLimit(l.Memory, leastMemory, most.Memory)
	}
	if said.Processes == 0 {
		most.Processes = learnedLimit(l.Processes, leastProcesses, most.Processes)
	}
	if said.Output == 0 {
		most.Output = learnedLimit(l.Output, leastOutput, most.Output)
	}
	return most
}

// learnedLimit is a multiple of what was used, between least and most; most where nothing is known.
func learnedLimit[N int | int64](used, least, most N) N {
	if used <= 0 || most <= 0 {
		return most
	}
	return min(most, max(least, mostTimes*used))
}

// learnedFile is where is kept what a kind of commands has used.
func (p *place) learnedFile(cmd toolchain.Command) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{p.c.repo.Root(), p.chain.Ecosystem, cmd.Dir, cmd.Name}, "\x00")))
	return filepath.Join(p.c.o.Cache, "learned", hex.EncodeToString(sum[:16]))
}

// took is the longest time of a kind of commands, 0 if none is known.
func (c *Checker) took(file string) time.Duration {
	return time.Duration(c.learned(file).Millis) * time.Millisecond
}

// learned reads what a kind of commands has used. What cannot be read is not known.
func (c *Checker) learned(file string) (l learned) {
	raw, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(raw, &l) != nil {
		return learned{}
	}
	return l
}

// learn keeps what a command has used. It is a cache: what cannot be written is not known.
func (c *Checker) learn(file string, used learned) {
	old := c.learned(file)
	l := learned{
		Millis: max(old.Millis, used.Millis), Memory: max(old.Memory, used.Memory),
		Processes: max(old.Processes, used.Processes), Output: max(old.Output, used.Output),
	}
	raw, err := json.Marshal(l)
	if l != old && err == nil && os.MkdirAll(filepath.Dir(file), 0o755) == nil {
		_ = os.WriteFile(file, raw, 0o644)
	}
}
