package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jacquard-build/jacquard/internal/proc"
)

const (
	maxEventText = 8 << 10
	maxMessage   = 2 << 10
)

// reader understands the lines of one agent program.
type reader interface {
	// line takes one line and reports whether it was the result.
	line(line []byte, on func(Event)) (result bool)
	// outcome says what the lines so far amount to, and whether the result was
	// among them.
	outcome() (Outcome, bool)
}

// header is the first line of each run in a log: what FromLog must know and the
// program does not say.
type header struct {
	Type       string  `json:"type"` // always "jacquard"
	Agent      string  `json:"agent"`
	Session    string  `json:"session,omitempty"`
	Schema     bool    `json:"schema,omitempty"`
	Reminder   bool    `json:"reminder,omitempty"` // this run asks again for an answer that did not come
	CostBefore float64 `json:"cost_before,omitempty"`

	Before *Usage          `json:"before,omitempty"` // of the session, where its figures go on from run to run
	Form   json.RawMessage `json:"form,omitempty"`   // the schema, where only we check the answer
}

const headerType = "jacquard"

// job is one run of an agent program.
type job struct {
	turn   Turn
	header header
	argv   []string
	env    []string
	prompt string
	stop   []proc.Stop
	total  time.Duration
	reader reader
	talk   bool // the program is talked with, instead of given its prompt
}

// run runs the program, keeps its lines and returns what the reader makes of them.
func (j job) run(ctx context.Context, on func(Event)) (Outcome, proc.Result) {
	log, err := openLog(j.turn.Log, j.header)
	if err != nil {
		return Outcome{Class: Environment, Message: err.Error()}, proc.Result{}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	k := &keeper{job: j, log: log, on: on, broken: cancel}
	cmd := proc.Command{
		Argv: j.argv, Dir: j.turn.Dir, Env: j.env, Confine: j.turn.Confine, Limits: j.turn.Limits.Use, Serve: j.turn.Serve, Total: j.total, Idle: j.turn.Limits.Idle, Linger: j.turn.Limits.Linger,
		Stop: j.stop, Mark: j.turn.Mark, Line: k.take, Started: k.started,
	}
	var res proc.Result
	if j.talk {
		res, err = j.converse(ctx, cmd, k)
	} else {
		cmd.Stdin = strings.NewReader(j.prompt)
		res, err = proc.Run(ctx, cmd)
	}
	if cerr := log.close(); cerr != nil {
		// What is not in the log may be lost, so nothing may be built on it.
		return Outcome{Class: Environment, Message: cerr.Error()}, res
	}
	return j.judge(res, err)
}

// keeper takes the lines of a run: to the reader, and to the log.
type keeper struct {
	job    job
	log    *lineLog
	on     func(Event)
	broken func(error) // ends the run, whose lines cannot be kept

	mu      sync.Mutex
	process *proc.Process
}

func (k *keeper) started(p *proc.Process) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.process = p
}

func (k *keeper) take(line []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.job.turn.Redact != nil {
		line = k.job.turn.Redact(line)
	}
	needed := false // to find the outcome again
	done := k.job.reader.line(line, func(e Event) {
		needed = needed || slices.Contains([]Kind{Started, Used, Permission, Retry}, e.Kind)
		k.on(e)
	})
	if err := k.log.add(line, needed, done); err != nil {
		k.broken(err)
		return
	}
	if done && k.process != nil {
		k.process.Finished()
	}
}

// judge puts together what the program said and how its process ended.
func (j job) judge(res proc.Result, err error) (Outcome, proc.Result) {
	out, complete := j.reader.outcome()
	out.Duration = res.Duration
	switch {
	case err != nil:
		out.Class, out.Message = Environment, err.Error()
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			out.Class = Cancelled
		}
	// A result that says how the turn ended stands, also when the process had to
	// be ended after it.
	case complete && out.Class != Cancelled && out.Class != Crashed:
	case res.Limit != "":
		limit, figure, _ := strings.Cut(res.Limit, ": ")
		out.Class, out.Message = Crashed, fmt.Sprintf("the agent was ended: %s; sandbox: {limits: {%s: …}} in jacquard.yaml says how much a turn may use", figure, limit)
	case res.Ended == proc.IdleLimit:
		out.Class, out.Message = Stuck, fmt.Sprintf("the agent was silent for %v", j.turn.Limits.Idle)
	case res.Ended == proc.TotalLimit:
		out.Class, out.Message = Stuck, fmt.Sprintf("the agent did not finish within %v", j.turn.Limits.Total)
	case res.Ended == proc.Cancelled:
		out.Class, out.Message = Cancelled, "the turn was stopped"
	case !complete && out.Session == "" && out.Turns == 0 && foreign(res):
		out.Class = Environment
		out.Message = fmt.Sprintf("the agent does not speak its protocol, it printed %q. Run it by hand to see whether it works, then resume", shorten(strings.TrimSpace(res.Stdout.Text), maxMessage))
	case !complete:
		out.Class, out.Message = Crashed, fmt.Sprintf("the agent ended without a result (%s)", ending(res))
	}
	return out, res
}

// foreign reports whether a program ended well and has printed something else than lines of JSON: it is no such agent, or another version.
func foreign(res proc.Result) bool {
	said := strings.TrimSpace(res.Stdout.Text)
	return res.Exit == 0 && res.Signal == "" && said != "" && !strings.HasPrefix(said, "{")
}

func ending(res proc.Result) string {
	how := fmt.Sprintf("exit code %d", res.Exit)
	if res.Signal != "" {
		how = res.Signal
	}
	if last := shorten(strings.TrimSpace(res.Stderr.Text), maxMessage); last != "" {
		how += ": " + last
	}
	return how
}

// shorten keeps the beginning of a text.
func shorten(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// An agent that prints without end fills no disk: of what comes after the first logHead bytes of a run the last logTail are kept, and
// the lines that the outcome is found from as long as they are no more than the head once again.
const (
	logHead = 16 << 20
	logTail = 1 << 20
)

// lineLog is the log of a turn.
type lineLog struct {
	file *os.File
	err  error

	size  int      // bytes of this run in the file
	tail  [][]byte // lines after the head that are not in the file
	after int      // their bytes
	cut   int      // bytes that were left out
}

func openLog(path string, h header) (*lineLog, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log of the turn: %w", err)
	}
	l := &lineLog{file: file}
	h.Type = headerType
	line, err := json.Marshal(h)
	if err == nil {
		// A log that a dead driver left may end in the middle of a line.
		err = l.write(append([]byte("\n"), line...))
	}
	if err != nil {
		return nil, errors.Join(err, l.close())
	}
	return l, nil
}

// add takes a line; a result makes it and all before it durable.
func (l *lineLog) add(line []byte, needed, result bool) error {
	most := logHead
	if needed {
		most *= 2
	}
	if !result && l.size+len(line) > most {
		l.tail, l.after = append(l.tail, bytes.Clone(line)), l.after+len(line)
		for l.after > logTail {
			l.after -= len(l.tail[0])
			l.cut += len(l.tail[0])
			l.tail = l.tail[1:]
		}
		return l.err
	}
	if !result {
		return l.write(line)
	}
	if err := errors.Join(l.flush(), l.write(line)); err != nil {
		return err
	}
	if err := l.file.Sync(); err != nil {
		l.err = fmt.Errorf("write the log of the turn: %w", err)
	}
	return l.err
}

// flush writes the last lines behind a word about what is missing before them.
func (l *lineLog) flush() error {
	if l.cut > 0 {
		_ = l.write(fmt.Appendf(nil, `{"type":"%s-cut","bytes":%d}`, headerType, l.cut))
	}
	for _, line := range l.tail {
		_ = l.write(line)
	}
	l.tail, l.after, l.cut = nil, 0, 0
	return l.err
}

func (l *lineLog) write(line []byte) error {
	if l.err != nil {
		return l.err
	}
	n, err := l.file.Write(append(bytes.Clone(line), '\n'))
	if l.size += n; err != nil {
		l.err = fmt.Errorf("write the log of the turn: %w", err)
	}
	return l.err
}

func (l *lineLog) close() error {
	_ = l.flush()
	if err := l.file.Close(); err != nil && l.err == nil {
		l.err = fmt.Errorf("close the log of the turn: %w", err)
	}
	return l.err
}
