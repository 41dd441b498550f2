package gateway

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

const (
	tapeFormat = "jacquard-tape/1"
	maxTape    = 1 << 30
)

// Tape is a recorded conversation with a provider. Requests are on it in their
// normal form only, without folders, times and secrets.
type Tape struct {
	mu      sync.Mutex
	entries []*entry
	drift   []string
}

type entry struct {
	Key    string            `json:"key"`
	Shape  string            `json:"shape"`
	Norm   string            `json:"norm"`
	Status int               `json:"status"`
	Header map[string]string `json:"header,omitempty"`
	Body   string            `json:"body"`

	played bool
}

// add records one exchange.
func (t *Tape) add(c *call, m *meter) {
	norm := normal(c)
	e := &entry{
		Key: digest(string(norm)), Shape: shape(c, norm), Norm: string(norm), Status: m.status, Header: map[string]string{},
	}
	// No other header is needed, and others name the account.
	for _, name := range []string{"Content-Type", "Retry-After"} {
		if v := m.Header().Get(name); v != "" {
			e.Header[name] = v
		}
	}
	body := m.body.Bytes()
	if m.isStream() {
		body = joinDeltas(body)
	}
	e.Body = c.redact.String(places(c.access.turn).Replace(string(body)))
	t.mu.Lock()
	defer t.mu.Unlock()
	t.entries = append(t.entries, e)
}

// Save writes the tape to path, compressed. It refuses when something on it
// still looks like a secret to redact.
func (t *Tape) Save(path string, redact Redactor) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var plain bytes.Buffer
	lines := json.NewEncoder(&plain)
	lines.SetEscapeHTML(false)
	if err := lines.Encode(map[string]string{"format": tapeFormat}); err != nil {
		return fmt.Errorf("save tape: %w", err)
	}
	for _, e := range t.entries {
		if err := lines.Encode(e); err != nil {
			return fmt.Errorf("save tape: %w", err)
		}
	}
	if redact.Has(plain.String()) {
		return errors.New("save tape: it holds something that looks like a secret")
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed) // without a time, so that the same tape is the same file
	if _, err := z.Write(plain.Bytes()); err != nil {
		return fmt.Errorf("save tape: %w", err)
	}
	if err := z.Close(); err != nil {
		return fmt.Errorf("save tape: %w", err)
	}
	if err := writeFile(path, packed.Bytes()); err != nil {
		return fmt.Errorf("save tape: %w", err)
	}
	return nil
}

// ReadTape reads what Save has written.
func ReadTape(r io.Reader) (*Tape, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("read tape: %w", err)
	}
	lines := json.NewDecoder(io.LimitReader(z, maxTape))
	var head struct {
		Format string `json:"format"`
	}
	if err := lines.Decode(&head); err != nil {
		return nil, fmt.Errorf("read tape: %w", err)
	}
	if head.Format != tapeFormat {
		return nil, fmt.Errorf("read tape: the format is %q, want %q", head.Format, tapeFormat)
	}
	t := &Tape{}
	for {
		e := &entry{}
		if err := lines.Decode(e); errors.Is(err, io.EOF) {
			return t, nil
		} else if err != nil {
			return nil, fmt.Errorf("read tape: entry %d: %w", len(t.entries)+1, err)
		}
		t.entries = append(t.entries, e)
	}
}

// Drift returns, for each answer that was given although the request was not
// exactly the recorded one, where the two differ first.
func (t *Tape) Drift() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.drift)
}

// Replay returns a backend that answers from the tape. A request that was not
// recorded, and if strict also one that is only similar to a recorded one, is
// refused with 403, which ends an agent at once.
func (t *Tape) Replay(strict bool) Backend { return &replay{tape: t, strict: strict} }

type replay struct {
	tape   *Tape
	strict bool
}

func (*replay) name() string { return "the recording" }

func (r *replay) serve(_ context.Context, w http.ResponseWriter, c *call) {
	if c.path == countPath {
		c.count(w)
		return
	}
	e := r.tape.find(c, r.strict)
	if e == nil {
		c.wire.refuse(w, "jacquard replay: this request is not on the tape")
		return
	}
	for name, value := range e.Header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(e.Status)
	back := strings.NewReplacer("${CWD}", c.access.turn.Dir, "${HOME}", c.access.turn.Home)
	// Nobody is left to tell when the agent has gone.
	_, _ = io.WriteString(w, back.Replace(e.Body))
}

func (t *Tape) find(c *call, strict bool) *entry {
	norm := normal(c)
	key, form := digest(string(norm)), shape(c, norm)
	t.mu.Lock()
	defer t.mu.Unlock()
	var similar, again *entry
	for _, e := range t.entries {
		switch {
		case e.Key == key && !e.played:
			e.played = true
			return e
		case e.Key == key:
			again = e
		case e.Shape == form && !e.played && similar == nil:
			similar = e
		}
	}
	if similar != nil && !strict {
		similar.played = true
		t.drift = append(t.drift, difference(similar.Norm, string(norm)))
		return similar
	}
	return again
}

// difference shows where two texts differ first.
func difference(want, have string) string {
	const around = 60
	i := 0
	for i < len(want) && i < len(have) && want[i] == have[i] {
		i++
	}
	cut := func(s string) string { return strings.ToValidUTF8(s[max(0, i-around/2):min(len(s), i+around)], "") }
	return fmt.Sprintf("recorded %q, now %q", cut(want), cut(have))
}

// joinDeltas makes one delta out of those that follow each other in a block. A
// provider cuts anywhere, also inside a path that must be found and replaced.
func joinDeltas(stream []byte) []byte {
	var out bytes.Buffer
	var open map[string]any // the delta event that still grows
	flush := func() {
		if open == nil {
			return
		}
		data, err := json.Marshal(open)
		if err == nil {
			out.WriteString("event: content_block_delta\ndata: " + string(data) + "\n\n")
		}
		open = nil
	}
	for event := range strings.SplitSeq(string(stream), "\n\n") {
		if strings.HasPrefix(event, "event: response.") && strings.Contains(event, ".delta\n") {
			continue // Codex takes the whole items, which follow
		}
		next, field := deltaOf(event)
		if next == nil {
			flush()
			if strings.TrimSpace(event) != "" {
				out.WriteString(event + "\n\n")
			}
			continue
		}
		if open != nil && open["index"] == next["index"] && kindOf(open) == kindOf(next) {
			had, more := open["delta"].(map[string]any), next["delta"].(map[string]any)
			had[field] = had[field].(string) + more[field].(string)
			continue
		}
		flush()
		open = next
	}
	flush()
	return out.Bytes()
}

func kindOf(event map[string]any) any { return event["delta"].(map[string]any)["type"] }

// deltaOf returns a delta event that may grow, and the field that does.
func deltaOf(event string) (map[string]any, string) {
	_, data, found := strings.Cut(event, "data:")
	var e map[string]any
	if !found || json.Unmarshal([]byte(data), &e) != nil || e["type"] != "content_block_delta" {
		return nil, ""
	}
	delta, ok := e["delta"].(map[string]any)
	if !ok {
		return nil, ""
	}
	kind, _ := delta["type"].(string)
	field := map[string]string{"text_delta": "text", "input_json_delta": "partial_json", "thinking_delta": "thinking"}[kind]
	if _, isText := delta[field].(string); !isText {
		return nil, ""
	}
	return e, field
}
