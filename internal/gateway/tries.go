package gateway

import (
	"encoding/base32"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// answered begins what an agent is told in place of an answer that ends its turn.
// What the answer was follows in a form that only adapters read: opencode takes a
// status or certain words, wherever in a text they are, for a reason to try again.
const answered = "jacquard answer "

const (
	longestText  = 500
	longestError = 16_000 // bytes of an answer that is an error
)

// inPlaceOf tells of an answer.
func inPlaceOf(status int, until time.Time, text string) string {
	if len(text) > longestText {
		text = strings.ToValidUTF8(text[:longestText], "")
	}
	data, err := json.Marshal(struct {
		Status int       `json:"status"`
		Until  time.Time `json:"until,omitzero"`
		Text   string    `json:"text"`
	}{status, until, text})
	if err != nil {
		return answered // only a time after the year 9999
	}
	return answered + base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(data)
}

// failing counts the calls of a turn that failed one after another.
type failing struct {
	calls int
	cut   bool // the last of them was cut
}

func (f *failing) add(m *meter, cut bool) {
	if !cut && m.status < http.StatusBadRequest {
		*f = failing{}
		return
	}
	f.calls, f.cut = f.calls+1, cut
}

// lastTry reports whether the turn has failed so often that one more failure is
// the last.
func (a *Access) lastTry() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.turn.Tries > 0 && a.failing.calls+1 >= a.turn.Tries
}

// cutOff is what is said instead of an answer when the last of the tries was cut,
// which nobody could tell the agent then; "" = it may ask.
func (a *Access) cutOff() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.turn.Tries == 0 || a.failing.calls < a.turn.Tries || !a.failing.cut {
		return ""
	}
	return inPlaceOf(http.StatusBadGateway, time.Time{}, fmt.Sprintf("the answer was cut off %d times", a.failing.calls))
}

// isLast reports whether an answer with that status is to end the agent's tries.
func (m *meter) isLast(status int, resets time.Time) bool {
	switch {
	case m.tries == 0 || status < http.StatusBadRequest:
		return false
	case status == http.StatusTooManyRequests && resets.After(m.now.Add(worthWaiting)):
		return true
	case status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || status == http.StatusConflict || status >= http.StatusInternalServerError:
		return m.last
	default:
		return true
	}
}

// giveUp sends what was held back: the provider's own words behind the status that
// they came with.
func (m *meter) giveUp() {
	if !m.given {
		return
	}
	m.Header().Del("Content-Length")
	m.wire.fail(m.ResponseWriter, http.StatusBadRequest, inPlaceOf(m.status, resetTime(m.Header(), m.now), m.said()))
}

// said are the provider's words in an answer that is an error.
func (m *meter) said() string {
	var body struct {
		Error struct{ Message string } `json:"error"`
	}
	if json.Unmarshal(m.line, &body) == nil && body.Error.Message != "" {
		return strings.TrimSpace(body.Error.Message)
	}
	return strings.TrimSpace(string(m.line))
}
