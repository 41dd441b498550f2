package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

const mailboxPoll = 50 * time.Millisecond

type mailbox struct {
	dir    string
	redact Redactor

	mu   sync.Mutex
	next int
}

// Mailbox returns a backend that lets a person or a program play the model: each
// request is written to dir as NNN-request.json, and the call waits for
// NNN-answer.json. The answer is one of
//
//	{"text": "…"}
//	{"content": [{"type": "tool_use", "name": "Write", "input": {…}}], "usage": {"input_tokens": 1, "output_tokens": 1}}
//	{"status": 529, "message": "Overloaded", "retry_after": 1}
//
// A file that is not complete JSON yet is read again. Numbers go on from what is
// in the directory.
func Mailbox(dir string, redact Redactor) (Backend, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make mailbox: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read mailbox: %w", err)
	}
	m := &mailbox{dir: dir, redact: redact}
	for _, e := range entries {
		number, _, _ := strings.Cut(e.Name(), "-")
		if n, err := strconv.Atoi(number); err == nil {
			m.next = max(m.next, n)
		}
	}
	return m, nil
}

type letter struct {
	Text       string    `json:"text"`
	Content    []block   `json:"content"`
	StopReason string    `json:"stop_reason"`
	Usage      wireUsage `json:"usage"`
	Status     int       `json:"status"`
	Message    string    `json:"message"`
	RetryAfter int       `json:"retry_after"`
}

func (*mailbox) name() string { return "the mailbox" }

func (m *mailbox) serve(ctx context.Context, w http.ResponseWriter, c *call) {
	if c.path == countPath {
		c.count(w)
		return
	}
	m.mu.Lock()
	m.next++
	n := m.next
	m.mu.Unlock()
	request, err := json.MarshalIndent(struct {
		Turn string          `json:"turn"`
		Body json.RawMessage `json:"body"`
	}{c.access.turn.ID, c.body}, "", " ")
	if err == nil {
		err = writeFile(filepath.Join(m.dir, fmt.Sprintf("%03d-request.json", n)), m.redact.Bytes(request))
	}
	if err != nil {
		c.wire.fail(w, http.StatusInternalServerError, "jacquard mailbox: "+err.Error())
		return
	}
	l, ok := waitForLetter(ctx, filepath.Join(m.dir, fmt.Sprintf("%03d-answer.json", n)))
	if !ok {
		panic(http.ErrAbortHandler)
	}
	l.write(w, c, n)
}

func waitForLetter(ctx context.Context, path string) (letter, bool) {
	tick := time.NewTicker(mailboxPoll)
	defer tick.Stop()
	for {
		var l letter
		if data, err := os.ReadFile(path); err == nil && json.Unmarshal(data, &l) == nil {
			return l, true
		}
		select {
		case <-ctx.Done():
			return letter{}, false
		case <-tick.C:
		}
	}
}

func (l letter) write(w http.ResponseWriter, c *call, n int) {
	if l.Status >= http.StatusBadRequest {
		if l.RetryAfter > 0 {
			w.Header().Set("retry-after", strconv.Itoa(l.RetryAfter))
		}
		c.wire.fail(w, l.Status, l.Message)
		return
	}
	r := reply{ID: fmt.Sprintf("msg_mail_%03d", n), Model: c.req.Model, Content: l.Content, StopReason: l.StopReason, Usage: l.Usage}
	if l.Text != "" || len(r.Content) == 0 {
		r.Content = append([]block{{Type: "text", Text: l.Text}}, r.Content...)
	}
	stop := "end_turn"
	for i := range r.Content {
		b := &r.Content[i]
		if b.Type != "tool_use" {
			continue
		}
		stop = "tool_use"
		if b.ID == "" {
			b.ID = fmt.Sprintf("toolu_mail_%03d_%d", n, i)
		}
		if len(b.Input) == 0 {
			b.Input = json.RawMessage("{}")
		}
	}
	if r.StopReason == "" {
		r.StopReason = stop
	}
	c.wire.answer(r, w, c.req.Stream)
}

// writeFile writes a file that a reader sees whole or not at all.
func writeFile(path string, data []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(data)
	if cerr := temp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		// The first error is the one that counts.
		_ = os.Remove(temp.Name())
	}
	return err
}
