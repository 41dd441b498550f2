package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/proc"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/works"
)

// longestWait is the limit of a call: agents' programs give up after a minute.
const longestWait = 45 * time.Second

// spending is what the runs may cost that one session begins: together the budget that was configured when the session began, because its
// agent can write the configuration.
type spending struct {
	mu   sync.Mutex
	most step.Budget
	rest step.Budget
}

// take takes a part of what is left. back gives it back.
func (s *spending) take(p *project, part step.Budget) (back func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.most == (step.Budget{}) {
		if s.most, err = p.allowance(); err != nil {
			return nil, err
		}
		s.rest = s.most
	}
	if part.USD > s.rest.USD || part.Tokens > s.rest.Tokens {
		left := "nothing"
		if s.rest != (step.Budget{}) {
			left = budgetText(report.English, s.rest)
		}
		return nil, usage("the runs of a session get at most %s, as configured, and %s is left; only a person can give more: jacquard do --budget", budgetText(report.English, s.most), left)
	}
	s.rest.USD, s.rest.Tokens = s.rest.USD-part.USD, s.rest.Tokens-part.Tokens
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.rest.USD, s.rest.Tokens = min(s.rest.USD+part.USD, s.most.USD), min(s.rest.Tokens+part.Tokens, s.most.Tokens)
	}), nil
}

// begun is a command that was started and has not yet said which run it drives.
type begun struct {
	log   string // what it prints; the file beside it says which run
	ended <-chan struct{}
	none  func() // is called if there was nothing to drive
}

// onRun does something with a run of the project: the last one where name is "".
func (s *served) onRun(ctx context.Context, name string, do func(*project, keeper, flow.Run) (*mcp.CallToolResult, error)) (*mcp.CallToolResult, error) {
	p, err := s.quiet(io.Discard, io.Discard).open(ctx)
	if err != nil {
		return nil, err
	}
	var said *mcp.CallToolResult
	err = p.reading(ctx, func(rt keeper) error {
		r, err := find(ctx, rt, name)
		if err == nil {
			said, err = do(p, rt, r)
		}
		return err
	})
	return said, err
}

// start begins a run of its own process, which goes on when the session ends.
func (s *served) start(ctx context.Context, _ *mcp.CallToolRequest, in arguments) (*mcp.CallToolResult, error) {
	p, err := s.quiet(io.Discard, io.Discard).open(ctx)
	if err != nil {
		return nil, err
	}
	// Words of a request can be a command: go on with a run, take one back, ask nobody.
	if r := works.ParseRequest(in["request"]); r.Auto || r.Intent != works.Start && r.Intent != works.Chat {
		return nil, usage("%q is a command, not a request: the user runs it in a terminal", in["request"])
	}
	part, err := parseBudget(in["budget"])
	if err != nil {
		return nil, err
	}
	back, err := s.spending.take(p, part)
	if err != nil {
		return nil, err
	}
	argv := []string{"do", "--budget=" + in["budget"]}
	if in["style"] != "" {
		argv = append(argv, "--style="+in["style"])
	}
	return s.detached(ctx, p, append(argv, "--", in["request"]), back)
}

// detached runs a command that drives a run, and says which run it is once that is known. none is called where it came to no run.
func (s *served) detached(ctx context.Context, p *project, argv []string, none func()) (*mcp.CallToolResult, error) {
	b, err := s.launch(p, argv, none)
	if err != nil {
		none()
		return nil, err
	}
	return s.find(ctx, b)
}

// launch starts a command, unless one that was started before has not said yet which run it drives.
func (s *served) launch(p *project, argv []string, none func()) (*begun, error) {
	s.launching.Lock()
	defer s.launching.Unlock()
	if s.begun.Load() != nil {
		return nil, usage("another run is being prepared: call run_wait first")
	}
	self, err := os.Executable()
	if err != nil {
		return nil, words("find this program: %w", err)
	}
	log, err := os.CreateTemp(filepath.Join(p.cache, "tmp"), "run-*.log")
	if err != nil {
		return nil, environment("make a file for what a run says", err)
	}
	defer func() { _ = log.Close() }()
	b := &begun{log: log.Name(), none: none}
	b.ended, err = proc.Detach(append([]string{self, "--root", p.root}, argv...), p.root, append(s.env(), announced+"="+b.run()), log)
	if err != nil {
		return nil, errors.Join(err, os.Remove(b.log))
	}
	s.begun.Store(b)
	return b, nil
}

func (b *begun) run() string { return b.log + ".run" }

// find waits until the command that was started drives a run, or has ended.
func (s *served) find(ctx context.Context, b *begun) (*mcp.CallToolResult, error) {
	enough := time.After(longestWait)
	for over := false; ; {
		if id, err := os.ReadFile(b.run()); err == nil && (over || s.driven(ctx, string(id))) {
			if s.begun.CompareAndSwap(b, nil) {
				_ = errors.Join(os.Remove(b.log), os.Remove(b.run())) // the run goes on writing to the first
			}
			return s.told("run " + string(id) + " has begun. To follow it: run_wait"), nil
		}
		if over { // it could not begin, or had nothing to do
			raw, err := os.ReadFile(b.log)
			if s.begun.CompareAndSwap(b, nil) {
				b.none()
				_ = os.Remove(b.log)
			}
			out := s.told(string(raw))
			out.IsError = true
			return out, err
		}
		select {
		case <-time.After(redraw):
		case <-b.ended: // what it has said last is read once more
			over = true
		case <-enough:
			return s.told("the run is being prepared: the project's tests are tried. To go on waiting: run_wait"), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// driven reports whether a process has taken a run, or has left it again.
func (s *served) driven(ctx context.Context, run string) (yes bool) {
	_, _ = s.onRun(ctx, run, func(_ *project, _ keeper, r flow.Run) (*mcp.CallToolResult, error) {
		yes = r.ID == run && (r.Driver != "" || len(r.Gates) > 0 || r.State.Ended())
		return nil, nil
	})
	return yes
}

// still reports whether nothing of a run happens without a person, or any more.
func still(r flow.Run) bool { return r.State != flow.Running || r.Driver == "" }

// wait tells what has happened in a run since an event.
func (s *served) wait(ctx context.Context, _ *mcp.CallToolRequest, in arguments) (*mcp.CallToolResult, error) {
	if b := s.begun.Load(); in["run"] == "" && b != nil {
		return s.find(ctx, b)
	}
	after, _ := strconv.ParseInt(in["cursor"], 10, 64)
	return s.onRun(ctx, in["run"], func(p *project, rt keeper, r flow.Run) (*mcp.CallToolResult, error) {
		if after > 0 {
			if last, err := rt.Events(ctx, r.ID, after-1); err != nil || len(last) == 0 {
				return nil, cmp.Or(err, usage("cursor %d is beyond the end of run %s: give the number at the end of the last answer", after, r.ID))
			}
		}
		l := p.a.lang()
		var b strings.Builder
		enough := time.After(longestWait)
		asked := map[string]bool{} // since then
		for over := false; ; {
			events, err := rt.Events(ctx, r.ID, after)
			if err != nil {
				return nil, err
			}
			for _, e := range events {
				after = e.Seq
				asked[e.Key] = asked[e.Key] || e.Type == flow.EventGate
				if b.WriteString(line(l, r.Def, e, true)); b.Len() > mostAnswer/2 {
					over = true
					break
				}
			}
			if over {
				break
			}
			if r, err = find(ctx, rt, r.ID); err != nil {
				return nil, err
			}
			// What has come since is told before.
			over = still(r) || slices.ContainsFunc(r.Gates, func(g flow.Gate) bool { return asked[g.Key] })
			select {
			case <-time.After(redraw):
				continue
			case <-enough:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
			break
		}
		b.WriteString(p.questions(l, r.ID, r.Gates))
		if !r.State.Ended() && still(r) && len(r.Gates) == 0 {
			fmt.Fprintf(&b, l.T("the process of this run has ended; to continue, run: jacquard resume %s\n"), r.ID)
		}
		text := strings.TrimSpace(b.String())
		if most := mostAnswer - 200; len(text) > most { // the cursor has to be read
			text = strings.ToValidUTF8(text[:most], "") + "\n[cut: jacquard log shows all]"
		}
		return s.told(fmt.Sprintf("%s\n[run %s: %s, cursor=%d]", text, r.ID, r.State, after)), nil
	})
}

// answer has the person at the agent's program answer what a run asks. What a person has to approve stays with the terminal: nothing here
// shows that it is not the model who answers.
func (s *served) answer(ctx context.Context, req *mcp.CallToolRequest, in arguments) (*mcp.CallToolResult, error) {
	return s.onRun(ctx, in["run"], func(p *project, rt keeper, r flow.Run) (*mcp.CallToolResult, error) {
		if len(r.Gates) == 0 {
			return nil, noQuestion(r)
		}
		byHand := "The user answers this in a terminal:\n" + p.questions(p.a.lang(), r.ID, r.Gates)
		able := req.Session.InitializeParams()
		if able == nil || able.Capabilities == nil || able.Capabilities.Elicitation == nil ||
			slices.ContainsFunc(r.Gates, func(g flow.Gate) bool { return approval(g) || g.Question.Class != "" }) {
			return s.told(byHand), nil
		}
		if req.Params.InputResponses == nil {
			return &mcp.CallToolResult{InputRequests: forms(p.a.lang(), r.Gates)}, nil
		}
		var all []flow.Signal // all or none
		for _, g := range r.Gates {
			said, _ := req.Params.InputResponses[g.Key].(*mcp.ElicitResult)
			text := ""
			if said != nil && said.Action == "accept" {
				text, _ = said.Content[field].(string)
			}
			if text = strings.TrimSpace(text); text == "" {
				return s.told("The user gave no answer.\n" + byHand), nil
			}
			sig, err := meant(r, g, text)
			if err != nil {
				return nil, err
			}
			if decides(r, sig) {
				return s.told(byHand), nil
			}
			all = append(all, sig)
		}
		for _, sig := range all {
			if err := p.a.signalled(ctx, rt, r, sig); err != nil {
				return nil, err
			}
		}
		return s.detached(ctx, p, []string{"resume", r.ID}, func() {})
	})
}

// field is the only one of a form that asks a person.
const field = "answer"

// forms are questions of a run as an agent's program puts them to its person.
func forms(l report.Lang, gates []flow.Gate) mcp.InputRequestMap {
	out := mcp.InputRequestMap{}
	for _, g := range gates {
		text := map[string]any{"type": "string"}
		if len(g.Question.Options) > 0 {
			text["enum"] = g.Question.Options
		}
		out[g.Key] = &mcp.ElicitParams{Message: oneLine(question(l, g)), RequestedSchema: map[string]any{
			"type": "object", "properties": map[string]any{field: text}, "required": []string{field},
		}}
	}
	return out
}

// oneLine puts lines into one. Claude Code wraps such a message; of one with lines of its own it shows the first three, and cuts each.
func oneLine(text string) string {
	var all []string
	for line := range strings.Lines(text) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			all = append(all, line)
		}
	}
	return strings.Join(all, " · ")
}

// told is an answer without secrets.
func (s *served) told(text string) *mcp.CallToolResult {
	return told(part(s.masked(strings.TrimSpace(text)), 0), false)
}
