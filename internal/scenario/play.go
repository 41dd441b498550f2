package scenario

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Exit codes of Play besides 0 and those that a script asks for.
const (
	exitCrash   = 2
	exitNoTurn  = 64
	exitStopped = 143
)

// cliRetries is how many faults in a row an agent survives before it gives up.
const cliRetries = 3

// Stage is what Play needs of the world.
type Stage struct {
	Prompt io.Reader // read to its end; holds the marker
	Dir    string    // working directory of the steps
	Out    io.Writer // one JSON event a line

	// Shell runs a command line in dir and returns its combined output and exit
	// code; an error means that it could not be run.
	Shell func(ctx context.Context, dir, line string) ([]byte, int, error)
	// Now is the clock.
	Now func() time.Time
}

// line is one event of the scripted agent. Types: started, text, tool_start,
// tool_end, retry, ended.
type line struct {
	Type     string          `json:"type"`
	Text     string          `json:"text,omitempty"`
	Tool     string          `json:"tool,omitempty"`
	ID       string          `json:"id,omitempty"`
	Input    string          `json:"input,omitempty"`
	Output   string          `json:"output,omitempty"`
	Failed   bool            `json:"failed,omitempty"`
	Class    string          `json:"class,omitempty"`
	Message  string          `json:"message,omitempty"`
	ResetsAt *time.Time      `json:"resets_at,omitempty"`
	Answer   json.RawMessage `json:"answer,omitempty"`
	Usage    *usage          `json:"usage,omitempty"`
	Turns    int             `json:"turns,omitempty"`
}

type usage struct {
	Input  int `json:"input_tokens"`
	Output int `json:"output_tokens"`
}

// Play is the scripted agent: it finds the turn by the prompt's marker, carries
// out its steps, writes one JSON event a line, the last of them "ended", and
// returns the exit code of the process. It returns soon after ctx ends.
func Play(ctx context.Context, s Scenario, stage Stage) int {
	p := &player{Stage: stage, out: json.NewEncoder(stage.Out)}
	prompt, err := io.ReadAll(stage.Prompt)
	if err != nil {
		return p.end(line{Class: "environment", Message: "read prompt: " + err.Error()}, exitNoTurn)
	}
	mark, ok := FindMarker(string(prompt))
	if !ok {
		return p.end(line{Class: "environment", Message: "the prompt has no turn marker"}, exitNoTurn)
	}
	steps, err := s.Steps(mark, stage.Dir)
	if err != nil {
		return p.end(line{Class: "environment", Message: err.Error()}, exitNoTurn)
	}
	p.emit(line{Type: "started"})
	for _, step := range steps {
		if code, over := p.step(ctx, step); over {
			return code
		}
	}
	return p.end(line{Class: "ok"}, 0)
}

type player struct {
	Stage
	out    *json.Encoder
	tools  int
	turns  int
	used   usage
	told   bool // usage was given by the script
	speech []string
}

func (p *player) emit(l line) {
	// Nobody is left to tell when the reader has gone.
	_ = p.out.Encode(l)
}

func (p *player) end(l line, code int) int {
	l.Type, l.Text, l.Turns = "ended", strings.Join(p.speech, "\n"), p.turns+1
	if p.told {
		l.Usage = &p.used
	}
	p.emit(l)
	return code
}

func (p *player) step(ctx context.Context, s Step) (code int, over bool) {
	if ctx.Err() != nil {
		return exitStopped, true
	}
	switch s.Verb {
	case Write, Append, Edit, Delete:
		p.tool(string(s.Verb), s.Path, func() (string, error) { return "", p.change(s) })
	case Run, Daemon:
		p.tool(string(s.Verb), s.Text, func() (string, error) { return p.shell(ctx, s.Text) })
	case Say:
		p.say(s.Text)
	case Flood:
		p.say(strings.Repeat("x", s.N))
	case Garbage:
		_, _ = io.WriteString(p.Out, "{\"type\": this is not JSON \x01\n")
	case Tokens:
		p.told = true
		p.used.Input += s.N
		p.used.Output += s.Out
	case Answer:
		return p.end(line{Class: "ok", Answer: compact(s.Data)}, 0), true
	case End:
		return p.end(line{Class: "ok"}, 0), true
	case Sleep:
		wait(ctx, s.Wait)
	case Hang:
		<-ctx.Done()
	case Status, Limit, Cut:
		return p.fault(s.Fault)
	case Refuse:
		return p.end(line{Class: "refusal", Message: "the model refused"}, 1), true
	case Crash:
		_, _ = io.WriteString(p.Out, `{"type":"ended","cla`)
		return exitCrash, true
	case Exit:
		return s.N, true
	}
	if ctx.Err() != nil {
		return exitStopped, true
	}
	return 0, false
}

func (p *player) say(text string) {
	p.speech = append(p.speech, text)
	p.emit(line{Type: "text", Text: text})
}

func (p *player) tool(name, input string, do func() (string, error)) {
	p.tools++
	p.turns++
	id := fmt.Sprintf("t%d", p.tools)
	p.emit(line{Type: "tool_start", Tool: name, ID: id, Input: input})
	output, err := do()
	end := line{Type: "tool_end", Tool: name, ID: id, Output: output}
	if err != nil {
		end.Failed, end.Output = true, strings.TrimSpace(output+"\n"+err.Error())
	}
	p.emit(end)
}

func (p *player) change(s Step) error {
	path := s.Path
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.Dir, filepath.FromSlash(path))
	}
	if s.Verb == Delete {
		return os.Remove(path)
	}
	data := s.Data
	if s.Verb != Write {
		old, err := os.ReadFile(path)
		if err != nil && (s.Verb == Edit || !os.IsNotExist(err)) {
			return err
		}
		data, err = Apply(s, old)
		if err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o666)
}

// Apply returns the content of a file after the step s (write, append or edit)
// was applied to its old content. An edit whose text is not there exactly once
// is an error.
func Apply(s Step, old []byte) ([]byte, error) {
	switch s.Verb {
	case Append:
		return append(append([]byte{}, old...), s.Data...), nil
	case Edit:
		if n := strings.Count(string(old), s.Old); n != 1 {
			return nil, fmt.Errorf("edit %s: the text to replace is there %d times", s.Path, n)
		}
		return []byte(strings.Replace(string(old), s.Old, s.New, 1)), nil
	default:
		return s.Data, nil
	}
}

func (p *player) shell(ctx context.Context, command string) (string, error) {
	if p.Shell == nil {
		return "", fmt.Errorf("run %q: this agent has no shell", command)
	}
	out, exit, err := p.Shell(ctx, p.Dir, command)
	if exit < 0 || exit > 128 { // by a signal, which may be on its way here too
		wait(ctx, time.Second)
	}
	if err == nil && exit != 0 {
		err = fmt.Errorf("exit code %d", exit)
	}
	return string(out), err
}

func (p *player) fault(f Fault) (code int, over bool) {
	tries := f.Times
	if tries == Forever || tries > cliRetries {
		tries = cliRetries
	}
	for range tries {
		p.emit(line{Type: "retry", Message: f.Describe()})
	}
	if tries == f.Times {
		return 0, false
	}
	end := line{Class: f.class(), Message: f.Describe()}
	if at, ok := f.ResetsAt(p.Now()); ok {
		at = at.UTC()
		end.ResetsAt = &at
	}
	return p.end(end, 1), true
}

// Describe returns the text of the fault's error.
func (f Fault) Describe() string {
	if f.Message != "" {
		return f.Message
	}
	switch f.Status {
	case 0:
		return "the stream was cut"
	case 401:
		return "invalid x-api-key"
	case 429:
		return "This request would exceed your account's rate limit. Please try again later."
	case 529:
		return "Overloaded"
	default:
		return fmt.Sprintf("the provider answered %d", f.Status)
	}
}

func (f Fault) class() string {
	switch {
	case strings.Contains(f.Message, "credit balance"):
		return "billing"
	case strings.Contains(f.Message, "prompt is too long"):
		return "context_limit"
	case f.Status == 401 || f.Status == 403:
		return "auth"
	case f.Status == 429:
		return "limit"
	case f.Status == 0 || f.Status >= 500:
		return "transient"
	default:
		return "environment"
	}
}

func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

func compact(data []byte) json.RawMessage {
	var b bytes.Buffer
	// Parse has made sure that it is JSON, and names that a turn replaces can
	// spoil that; then the reader shall see it as it is.
	if json.Compact(&b, data) != nil {
		quoted, _ := json.Marshal(string(data)) // a string always has a form
		return quoted
	}
	return b.Bytes()
}
