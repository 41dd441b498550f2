package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/coder/acp-go-sdk"

	"github.com/jacquard-build/jacquard/internal/proc"
	"github.com/jacquard-build/jacquard/internal/submit"
)

// cancelWait is how long an agent that was asked to stop may take for it.
const cancelWait = 3 * time.Second

// ACP drives a program that speaks the Agent Client Protocol. What it may do is
// decided here, one request for permission after the other; what it does without
// asking is its own matter, so such programs are as confined as they let
// themselves be.
type ACP struct {
	name    string
	argv    []string
	install string
	// setUp prepares the home of a turn and returns the whole environment.
	setUp func(t Turn) ([]string, error)
}

// ModelMark is what the name of the model of a turn is put for in the arguments of
// a program.
const ModelMark = "{model}"

// NewACP returns an agent that runs argv: a name that people know it by, and a
// program that speaks the protocol on its input and output. It reaches its model
// by itself: no gateway counts or bounds its calls. A turn with a model needs
// ModelMark in argv, since the protocol has no word for it, and one without a model
// must not have it.
func NewACP(name string, argv []string) *ACP {
	return &ACP{name: name, argv: argv, install: "install it, or use another agent", setUp: func(t Turn) ([]string, error) {
		marked := slices.ContainsFunc(argv, func(s string) bool { return strings.Contains(s, ModelMark) })
		switch {
		case marked && t.Model == "":
			return nil, fmt.Errorf("start the agent: the command of %s has %s, but no model is set: use --model or model in jacquard.yaml", name, ModelMark)
		case !marked && t.Model != "":
			return nil, fmt.Errorf("start the agent: the model of %s can't be set to %s, because its command has no %s", name, t.Model, ModelMark)
		}
		return environment(t.Env, map[string]string{"HOME": t.Home}, true), nil
	}}
}

// Run carries out t. A turn that ends without an answer of the form it was asked
// for is reminded of it once, in the same session.
func (a *ACP) Run(ctx context.Context, t Turn, on func(Event)) Outcome {
	return drive(ctx, a, t, on)
}

// job prepares one run of the program.
func (a *ACP) job(t Turn, h header) (job, error) {
	h.Agent, h.Schema, h.Form = acpName, len(t.Schema) > 0, t.Schema
	if t.Role != Author && t.Role != Judge {
		return job{}, fmt.Errorf("start the agent: unknown role %q", t.Role)
	}
	env, err := a.setUp(t)
	if err != nil {
		return job{}, err
	}
	return job{
		header: h, argv: withModel(a.argv, t.Model), env: env, reader: newACPReader(h), talk: true,
		stop: []proc.Stop{{Signal: proc.Terminate, Wait: terminateWait}, {Signal: proc.Kill}},
	}, nil
}

func withModel(argv []string, model string) []string {
	out := slices.Clone(argv)
	for i, s := range out {
		out[i] = strings.ReplaceAll(s, ModelMark, model)
	}
	return out
}

// reminder asks a session for the answer that it ended without.
func (a *ACP) reminder(why string) string {
	return unansweredText + "What came was not taken: " + why + ". " +
		"Do no further work. Give the answer now, with what you know."
}

// explain makes the class of a run that never began more exact.
func (a *ACP) explain(out Outcome, res proc.Result) Outcome {
	return neverBegan(out, res, a.name, a.install)
}

// lost reports whether the session to be gone on with was not known.
func (a *ACP) lost(out Outcome, _ proc.Result) bool { return out.lostSession }

// howToAnswer says how an answer is given.
func howToAnswer(t Turn, tool bool) string {
	switch {
	case len(t.Schema) == 0:
		return ""
	case tool:
		return "\n\nWhen your work is done, hand in its structured answer: call the tool " + submit.ToolName + " of the MCP server " + submit.ServerName + " once. Without it your work does not count."
	default:
		return "\n\nWhen your work is done, end with its structured answer: one JSON object that fits this schema, and nothing else.\n" + string(t.Schema)
	}
}

// conversation is one run's talk with a program.
type conversation struct {
	turn    Turn
	session string // to go on with
	prompt  string
	conn    *acp.ClientSideConnection
	server  *submit.Server    // takes the answer; nil = none is asked for
	note    func(line []byte) // to the reader and the log
	began   chan struct{}     // closed when there is a session
	id      acp.SessionId     // of the session, once it has begun
}

// sent passes on what we say, which the log keeps too.
type sent struct {
	in   io.Writer
	note func([]byte)
}

// Write takes one message.
func (s sent) Write(p []byte) (int, error) {
	s.note(ourLine(acpLine{Jacquard: "sent", Message: bytes.TrimSpace(p)}))
	return s.in.Write(p)
}

// hold leads the conversation to its end. It returns when the agent is to end.
func (c *conversation) hold(ctx context.Context) {
	// What ends the talk is the end of the process, or of the prompt that is cancelled.
	ctx = context.WithoutCancel(ctx)
	hello, err := c.conn.Initialize(ctx, acp.InitializeRequest{
		ProtocolVersion: acp.ProtocolVersionNumber,
		ClientCapabilities: acp.ClientCapabilities{
			Fs: acp.FileSystemCapabilities{ReadTextFile: true, WriteTextFile: true},
		},
	})
	if err != nil {
		c.fail(err)
		return
	}
	tool := c.server != nil && hello.AgentCapabilities.McpCapabilities.Http
	mcpServers := []acp.McpServer{}
	if tool {
		mcpServers = append(mcpServers, acp.McpServer{Http: &acp.McpServerHttpInline{
			Type: "http", Name: submit.ServerName, Url: c.server.URL(),
			Headers: []acp.HttpHeader{{Name: "Authorization", Value: "Bearer " + c.server.Token()}},
		}})
	}
	if !c.open(ctx, hello, mcpServers) {
		return
	}
	close(c.began)
	res, err := c.conn.Prompt(ctx, acp.PromptRequest{
		SessionId: c.id, Prompt: []acp.ContentBlock{acp.TextBlock(c.prompt + howToAnswer(c.turn, tool))},
	})
	if err != nil {
		c.fail(err)
		return
	}
	class, message := classOfStop(res.StopReason)
	c.end(class, message)
}

// open begins a session, or goes on with one.
func (c *conversation) open(ctx context.Context, hello acp.InitializeResponse, servers []acp.McpServer) bool {
	if c.session != "" {
		c.id = acp.SessionId(c.session)
		var err error = &acp.RequestError{Message: "the agent cannot go on with sessions"}
		if hello.AgentCapabilities.LoadSession {
			_, err = c.conn.LoadSession(ctx, acp.LoadSessionRequest{SessionId: c.id, Cwd: c.turn.Dir, McpServers: servers})
		}
		if err != nil {
			if !c.gone() {
				c.note(ourLine(acpLine{Jacquard: "end", Class: Environment, Text: "go on with the session: " + words(err), Lost: true}))
			}
			return false
		}
	} else {
		res, err := c.conn.NewSession(ctx, acp.NewSessionRequest{Cwd: c.turn.Dir, McpServers: servers})
		if err != nil {
			c.fail(err)
			return false
		}
		c.id = res.SessionId
	}
	c.note(ourLine(acpLine{Jacquard: "begin", Session: string(c.id)}))
	return true
}

// cancel asks the agent to stop what it does in its session.
func (c *conversation) cancel(ctx context.Context) {
	select {
	case <-c.began:
		// When it cannot be told, it is ended.
		_ = c.conn.Cancel(ctx, acp.CancelNotification{SessionId: c.id})
	default:
	}
}

// gone reports whether the program has ended, which says more than any error.
func (c *conversation) gone() bool {
	select {
	case <-c.conn.Done():
		return true
	default:
		return false
	}
}

// fail ends the talk after an error.
func (c *conversation) fail(err error) {
	if c.gone() {
		return
	}
	class, message, until := classifyACP(err)
	c.note(ourLine(acpLine{Jacquard: "end", Class: class, Text: message, Until: until}))
}

// end notes how the talk ended; it is the result of the run.
func (c *conversation) end(class Class, message string) {
	c.note(ourLine(acpLine{Jacquard: "end", Class: class, Text: message}))
}

// classOfStop says what a reason to stop means.
func classOfStop(reason acp.StopReason) (Class, string) {
	switch reason {
	case acp.StopReasonEndTurn:
		return OK, ""
	case acp.StopReasonRefusal:
		return Refusal, "the model refused"
	case acp.StopReasonMaxTokens:
		return ContextLimit, "the answer of the model was too long"
	case acp.StopReasonMaxTurnRequests:
		return MaxTurns, "the agent reached its limit of model calls"
	case acp.StopReasonCancelled:
		return Cancelled, "the agent was interrupted"
	default:
		return Crashed, fmt.Sprintf("the agent stopped for an unknown reason, %q", reason)
	}
}

// authRequired is the code of the protocol for an agent that nobody has logged in to.
const authRequired = -32000

// classifyACP says how a turn ended from an error of the protocol, which has the
// words of the provider or of the gateway at best.
func classifyACP(err error) (Class, string, time.Time) {
	text := words(err)
	if e, ok := errors.AsType[*acp.RequestError](err); ok && e.Code == authRequired && !strings.Contains(text, refusalMark) {
		return AuthFailed, shorten(text, maxMessage), time.Time{}
	}
	return classifyWords(text)
}

// words are what an error of the protocol says to people.
func words(err error) string {
	e, ok := errors.AsType[*acp.RequestError](err)
	if !ok {
		return err.Error()
	}
	text := strings.TrimPrefix(e.Message, "Internal error: ")
	var more struct {
		Details string `json:"details"`
		Message string `json:"message"`
	}
	if data, merr := json.Marshal(e.Data); merr == nil && json.Unmarshal(data, &more) == nil && more.Details+more.Message != "" && !strings.Contains(text, more.Details+more.Message) {
		text += ": " + more.Details + more.Message
	}
	return text
}
