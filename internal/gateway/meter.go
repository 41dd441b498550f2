package gateway

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// worthWaiting is how far away the end of a limit may be for an agent to wait
// for it inside its turn; a turn that waits longer holds a slot for nothing.
const worthWaiting = time.Minute

// meter passes an answer through and reads the usage from it on the way.
type meter struct {
	http.ResponseWriter

	wire   protocol
	now    time.Time // when the call came
	status int
	muted  bool // another body was sent instead of the one that comes
	keep   bool // keep the body
	tries  int  // of the turn; see Turn.Tries
	last   bool // a failure is the last of them
	given  bool // it is told so, in giveUp
	body   bytes.Buffer

	line  []byte // the line of the stream that is not complete yet
	seen  Usage
	out   int64 // output tokens as the provider counts them
	text  int64 // bytes of generated content, to estimate from when it was cut
	final bool  // the provider has said how much it was
	ended bool  // the stream was complete, even if the agent went before it was closed
}

func (m *meter) WriteHeader(status int) {
	if m.status == 0 {
		m.status = status
		// Agents wait and try again also where that cannot help: ten times after
		// a wrong key, and for a limit that ends in hours.
		resets := resetTime(m.Header(), m.now)
		if m.isLast(status, resets) {
			m.muted, m.given = true, true
			return
		}
		if status == http.StatusUnauthorized || status == http.StatusTooManyRequests && resets.After(m.now.Add(worthWaiting)) {
			if body := m.wire.hopeless(m.Header(), status, resets); body != nil {
				m.muted = true
				m.Header().Del("Content-Length")
				m.ResponseWriter.WriteHeader(status)
				// Nobody is left to tell when the agent has gone.
				_, _ = m.ResponseWriter.Write(body)
				return
			}
		}
	}
	m.ResponseWriter.WriteHeader(status)
}

func (m *meter) Write(p []byte) (int, error) {
	if m.status == 0 {
		m.status = http.StatusOK
	}
	if m.keep {
		m.body.Write(p)
	}
	m.read(p)
	if m.status >= http.StatusBadRequest {
		m.line = append(m.line, p[:min(len(p), max(0, longestError-len(m.line)))]...)
	}
	if m.muted {
		return len(p), nil
	}
	return m.ResponseWriter.Write(p)
}

// Flush sends what was written.
func (m *meter) Flush() { flush(m.ResponseWriter) }

func (m *meter) isStream() bool {
	return strings.HasPrefix(m.Header().Get("Content-Type"), "text/event-stream")
}

func (m *meter) read(p []byte) {
	if m.status != http.StatusOK {
		return
	}
	m.line = append(m.line, p...)
	if !m.isStream() {
		return // one JSON value, read in usage
	}
	for {
		line, rest, found := bytes.Cut(m.line, []byte("\n"))
		if !found {
			return
		}
		m.event(line)
		m.line = append(m.line[:0], rest...)
	}
}

type wireUsage struct {
	Input         int64 `json:"input_tokens"`
	Output        int64 `json:"output_tokens"`
	CacheRead     int64 `json:"cache_read_input_tokens"`
	CacheCreation int64 `json:"cache_creation_input_tokens"`
	Creation      struct {
		Hour int64 `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
}

func (m *meter) event(line []byte) {
	data, ok := bytes.CutPrefix(line, []byte("data:"))
	if !ok {
		return
	}
	var e struct {
		Type    string                     `json:"type"`
		Message struct{ Usage *wireUsage } `json:"message"`
		Usage   *wireUsage                 `json:"usage"`

		Response struct{ Usage *responsesUsage } `json:"response"`
	}
	if json.Unmarshal(data, &e) != nil {
		return
	}
	switch e.Type {
	case "message_start":
		m.take(e.Message.Usage)
	case "content_block_delta":
		m.text += int64(len(data)) / 2
	case "message_delta":
		if m.take(e.Usage); e.Usage != nil {
			m.out, m.final = e.Usage.Output, true
		}
	case "message_stop":
		m.ended = true
	case "response.completed", "response.incomplete", "response.failed":
		m.ended = true
		if u := e.Response.Usage; u != nil {
			m.take(u.plain())
			m.out, m.final = u.Output, true
		}
	case "response.output_item.done":
		m.text += int64(len(data)) / 2
	}
}

// responsesUsage is what the Responses API says: its input holds the parts that
// were read from and written to the cache.
type responsesUsage struct {
	Input   int64 `json:"input_tokens"`
	Output  int64 `json:"output_tokens"`
	Details struct {
		Cached  int64 `json:"cached_tokens"`
		Written int64 `json:"cache_write_tokens"`
	} `json:"input_tokens_details"`
}

func (u responsesUsage) plain() *wireUsage {
	cached := min(u.Details.Cached, u.Input)
	written := min(u.Details.Written, u.Input-cached)
	return &wireUsage{Input: u.Input - cached - written, Output: u.Output, CacheRead: cached, CacheCreation: written}
}

// take remembers the figures; later ones are totals, and may leave input out.
func (m *meter) take(u *wireUsage) {
	if u == nil {
		return
	}
	m.seen.Input = max(m.seen.Input, u.Input)
	m.seen.CacheRead = max(m.seen.CacheRead, u.CacheRead)
	m.seen.CacheWrite = max(m.seen.CacheWrite, u.CacheCreation)
	m.seen.CacheWrite1h = max(m.seen.CacheWrite1h, u.Creation.Hour)
	m.out = max(m.out, u.Output)
}

// usage returns what the call has used. A stream that was cut has no final
// figure; its output is then estimated from what was sent.
func (m *meter) usage(whole bool) Usage {
	if m.status == http.StatusOK && !m.isStream() {
		var answer struct{ Usage *wireUsage }
		if json.Unmarshal(m.line, &answer) == nil {
			m.take(answer.Usage)
			m.final = true
		}
	}
	u := m.seen
	u.Output = m.out
	if !m.final || !whole {
		u.Output = max(u.Output, m.text/bytesPerToken)
	}
	return u
}

// resetHeader is how a subscription says when its limit ends.
const resetHeader = "anthropic-ratelimit-unified-reset"

// resetTime returns when a limit ends that the answer with header h reports, or
// the zero time. A subscription says so itself; a key's limit that is used up
// has its own time; else there is retry-after.
func resetTime(h http.Header, now time.Time) time.Time {
	if at := h.Get(resetHeader); at != "" {
		if seconds, err := strconv.ParseInt(at, 10, 64); err == nil {
			return time.Unix(seconds, 0).UTC()
		}
	}
	var latest time.Time
	for _, kind := range []string{"requests", "tokens", "input-tokens", "output-tokens"} {
		if h.Get("anthropic-ratelimit-"+kind+"-remaining") != "0" {
			continue
		}
		if at, err := time.Parse(time.RFC3339, h.Get("anthropic-ratelimit-"+kind+"-reset")); err == nil && at.After(latest) {
			latest = at.UTC()
		}
	}
	for _, kind := range []string{"requests", "tokens"} {
		if h.Get("x-ratelimit-remaining-"+kind) != "0" {
			continue
		}
		if d, err := time.ParseDuration(h.Get("x-ratelimit-reset-" + kind)); err == nil && now.Add(d).After(latest) {
			latest = now.Add(d).UTC()
		}
	}
	if !latest.IsZero() {
		return latest
	}
	after := h.Get("retry-after")
	if seconds, err := strconv.ParseFloat(after, 64); err == nil && seconds >= 0 && seconds < 1e9 {
		return now.Add(time.Duration(seconds * float64(time.Second))).UTC()
	}
	if at, err := http.ParseTime(after); err == nil {
		return at.UTC()
	}
	return time.Time{}
}
