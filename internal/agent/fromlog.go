package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
)

// FromLog reads the log of a turn whose driver has died and returns what Run
// would have returned, except for the duration. complete is false when the turn
// was not over or there is no log; the outcome then still names the session, if
// one had begun, so that it can be gone on with.
func FromLog(path string) (out Outcome, complete bool) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Outcome{Class: Crashed, Message: fmt.Sprintf("read the log of the turn: %v", err)}, false
	}
	var (
		r      reader
		first  *Outcome
		ignore = func(Event) {}
	)
	for line := range bytes.Lines(data) {
		line = bytes.TrimRight(line, "\n")
		if begun, ok := parseHeader(line); ok {
			first = nil
			if begun.Reminder && r != nil {
				before, _ := r.outcome()
				first = &before
			}
			r = newReader(begun)
			continue
		}
		if r != nil {
			r.line(line, ignore)
		}
	}
	if r == nil {
		return Outcome{Class: Crashed, Message: "the log of the turn is empty"}, false
	}
	out, complete = r.outcome()
	switch {
	case first != nil:
		out = join(*first, out)
	case out.unanswered:
		complete = false // the answer has not been asked for again yet
	}
	// What was interrupted was not over, it was told to stop.
	return out, complete && out.Class != Cancelled && out.Class != Crashed
}

func parseHeader(line []byte) (header, bool) {
	var h header
	if !bytes.HasPrefix(line, []byte(`{"type":"`+headerType+`"`)) || json.Unmarshal(line, &h) != nil {
		return header{}, false
	}
	return h, newReader(h) != nil
}

func newReader(h header) reader {
	switch h.Agent {
	case claudeName:
		return newClaudeReader(h)
	case codexName:
		return newCodexReader(h)
	case acpName:
		return newACPReader(h)
	case scriptedName:
		return newScriptedReader(h)
	default:
		return nil
	}
}
