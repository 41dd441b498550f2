package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/coder/acp-go-sdk"

	"github.com/jacquard-build/jacquard/internal/proc"
	"github.com/jacquard-build/jacquard/internal/submit"
)

// converse runs a program that is talked with.
func (j job) converse(ctx context.Context, cmd proc.Command, k *keeper) (proc.Result, error) {
	// Who looks on must not hold the talk up: an answer may be what it waits for.
	events := newEventQueue(k.on)
	defer events.close()
	k.on = events.add
	c := &conversation{turn: j.turn, session: j.header.Session, prompt: j.prompt, note: k.take, began: make(chan struct{})}
	if len(j.turn.Schema) > 0 {
		server, err := submit.Start(ctx, j.turn.Schema, func(answer json.RawMessage, misfit string) {
			c.note(ourLine(acpLine{Jacquard: "answer", Answer: answer, Misfit: misfit}))
		})
		if err != nil {
			return proc.Result{}, err
		}
		defer func() { _ = server.Close() }() // nobody is left to ask it
		c.server = server
		if cmd.Confine != nil {
			policy := *cmd.Confine
			policy.Ports = append(slices.Clone(policy.Ports), server.Port())
			cmd.Confine = &policy
		}
		c.note = func(line []byte) {
			k.take(bytes.ReplaceAll(line, []byte(server.Token()), []byte("[redacted]")))
		}
	}
	// A pipe of the system: nobody has to stop reading it when the agent ends.
	fromUs, toAgent, err := os.Pipe()
	if err != nil {
		return proc.Result{}, err
	}
	fromAgent, toUs := io.Pipe()
	c.conn = acp.NewClientSideConnection(c, sent{in: toAgent, note: c.note}, fromAgent)
	c.conn.SetLogger(slog.New(slog.DiscardHandler))
	go func() {
		<-c.conn.Done()
		_ = fromAgent.Close() // what still comes is for the log only
	}()

	// The agent is told first that its turn is cancelled, and ended then.
	running, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(nil)
	over := make(chan struct{})
	begun := false
	cmd.Stdin = fromUs
	cmd.Line = func(line []byte) {
		kept, message := fromProgram(line)
		c.note(kept)
		if message {
			// Nobody reads when the talk is over.
			_, _ = toUs.Write(append(bytes.Clone(line), '\n'))
		}
	}
	cmd.Started = func(p *proc.Process) {
		k.started(p)
		_ = fromUs.Close() // the agent has it
		begun = true
		go func() {
			defer close(over)
			c.hold(ctx)
			// The end of its input ends the agent.
			_ = toAgent.Close()
		}()
	}
	stop := context.AfterFunc(ctx, func() {
		go c.cancel(context.WithoutCancel(ctx)) // an agent that does not listen cannot hold it up
		wait := time.NewTimer(cancelWait)
		defer wait.Stop()
		select {
		case <-over:
		case <-wait.C:
		}
		end(context.Cause(ctx))
	})
	defer stop()
	if ctx.Err() != nil {
		end(context.Cause(ctx))
	}
	res, err := proc.Run(running, cmd)
	_ = toUs.Close() // it cannot go wrong
	if begun {
		<-over
	} else {
		_, _ = toAgent.Close(), fromUs.Close()
	}
	return res, err
}

// eventQueue hands events on, in order, to a listener that may be slow.
type eventQueue struct {
	mu     sync.Mutex
	more   *sync.Cond
	list   []Event
	closed bool
	done   chan struct{}
}

func newEventQueue(on func(Event)) *eventQueue {
	q := &eventQueue{done: make(chan struct{})}
	q.more = sync.NewCond(&q.mu)
	go func() {
		defer close(q.done)
		for {
			q.mu.Lock()
			for len(q.list) == 0 && !q.closed {
				q.more.Wait()
			}
			list := q.list
			q.list = nil
			q.mu.Unlock()
			if len(list) == 0 {
				return
			}
			for _, e := range list {
				on(e)
			}
		}
	}()
	return q
}

func (q *eventQueue) add(e Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.list = append(q.list, e)
	q.more.Signal()
}

// close returns when all events were handed on.
func (q *eventQueue) close() {
	q.mu.Lock()
	q.closed = true
	q.more.Signal()
	q.mu.Unlock()
	<-q.done
}
