package check

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/jacquard-build/jacquard/internal/example"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Limits of what is written down of calls.
const (
	mostRecordedCalls = 60  // of one toolchain
	mostOfOne         = 12  // of them, of one function
	longestCall       = 600 // bytes; what is longer is no example that a person reads
)

// record runs new tests once more, and keeps the calls of changed functions that they made with plain values, however these came about: by loops,
// helpers or tables. What they gave does not count, for the test may have prepared it.
func (p *taskProof) record(ctx context.Context, pl *place, mine []string, fresh []test) error {
	if Rejected(p.proof.Findings) || len(fresh) == 0 {
		return nil
	}
	old, now := p.sources(mine)
	changed, _ := changedNames(old, now)
	at := filepath.Join(pl.dir, "tmp", "calls.jsonl")
	texts := map[string][]byte{}
	for i, file := range filesOf(fresh) {
		if text, ok := source.Parse(file, pl.read(file)).Recorded(changed, at, strconv.Itoa(i)); ok {
			texts[file] = text
		}
	}
	if len(texts) == 0 {
		return nil
	}
	defer pl.again()() // what is on record writes nothing down
	own := those(fresh, func(t test) bool { return texts[t.File] != nil })
	if _, err := p.proof.noted(asMutant(pl.runWith(ctx, texts, toolchain.Selection{IDs: idsOf(own)}))); err != nil {
		return err
	}
	text, err := os.ReadFile(at)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	p.recorded = append(p.recorded, recordedCalls(text)...)
	return errors.Join(err, os.Remove(at))
}

// recordedCalls reads the lines of [source.File.Recorded], each call once. What is given nothing gives what it has kept, or the time.
func recordedCalls(text []byte) (out []example.Example) {
	seen, count := map[string]bool{}, map[string]int{}
	for line := range bytes.Lines(text) {
		var call []json.RawMessage
		var name string
		var args []json.RawMessage
		if json.Unmarshal(line, &call) != nil || len(call) != 2 || json.Unmarshal(call[0], &name) != nil || json.Unmarshal(call[1], &args) != nil || len(args) == 0 {
			continue
		}
		written := fmt.Sprintf("%s(%s)", name, strings.Join(each(args, func(a json.RawMessage) string { return string(a) }), ", "))
		if len(written) > longestCall || seen[written] || count[name] == mostOfOne || len(out) == mostRecordedCalls {
			continue
		}
		e, why := example.ReadCall(written, "null")
		if why != "" || e.Call == nil {
			continue
		}
		seen[written] = true
		count[name]++
		e.Text = written
		out = append(out, e)
	}
	return out
}
