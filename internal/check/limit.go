package check

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// How long commands may take is learned: the first one of its kind (the tests of a toolchain, its builds) has long, the others a multiple
// of the longest time after which one ended by itself. A suite of an hour is no failure, and one that hangs is found.
const (
	firstLimit = 30 * time.Minute
	leastLimit = 10 * time.Minute // a loaded machine is no failure either
	mostTimes  = 4
)

// limit is how long a command may take.
func (p *place) limit(cmd toolchain.Command) time.Duration {
	if p.c.o.Limit > 0 {
		return p.c.o.Limit
	}
	took := p.c.took(p.timeFile(cmd))
	if took == 0 {
		return firstLimit
	}
	return max(leastLimit, mostTimes*took)
}

// timeFile is where the longest time of a kind of commands is kept.
func (p *place) timeFile(cmd toolchain.Command) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{p.c.repo.Root(), p.chain.Ecosystem, cmd.Dir, cmd.Name}, "\x00")))
	return filepath.Join(p.c.o.Cache, "times", hex.EncodeToString(sum[:16]))
}

// took is the longest time of a kind of commands, 0 if none is known.
func (c *Checker) took(file string) time.Duration {
	raw, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	ms, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil || ms < 0 {
		return 0
	}
	return time.Duration(ms) * time.Millisecond
}

// learn keeps how long a command took that ended by itself. It is a cache: what cannot be written is not known.
func (c *Checker) learn(file string, took time.Duration) {
	if took > c.took(file) && os.MkdirAll(filepath.Dir(file), 0o755) == nil {
		_ = os.WriteFile(file, []byte(strconv.FormatInt(took.Milliseconds(), 10)), 0o644)
	}
}
