package cli_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/coder/acp-go-sdk"

	"github.com/jacquard-build/jacquard/internal/scenario"
)

// acpPlayer is a program that speaks the Agent Client Protocol and does what a scenario says: acp-agent SCENARIO [MODEL]. It
// knows nothing of this program but the protocol and the marker of a turn.
type acpPlayer struct {
	conn *acp.AgentSideConnection
	play scenario.Scenario
	dir  string
}

func playACP() {
	raw, err := os.ReadFile(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	s, problems := scenario.Parse(raw)
	if len(problems) > 0 {
		fmt.Fprintln(os.Stderr, problems)
		os.Exit(1)
	}
	fmt.Printf("model %q key %q home %q other %q\n", os.Args[2:], os.Getenv("PLAYER_KEY"), os.Getenv("HOME"), os.Getenv("OTHER_KEY"))
	p := &acpPlayer{play: s}
	p.conn = acp.NewAgentSideConnection(p, os.Stdout, os.Stdin)
	<-p.conn.Done()
	os.Exit(0)
}

func (p *acpPlayer) Initialize(context.Context, acp.InitializeRequest) (acp.InitializeResponse, error) {
	return acp.InitializeResponse{ProtocolVersion: acp.ProtocolVersionNumber}, nil
}

func (p *acpPlayer) NewSession(_ context.Context, r acp.NewSessionRequest) (acp.NewSessionResponse, error) {
	p.dir = r.Cwd
	return acp.NewSessionResponse{SessionId: "one"}, nil
}

func (p *acpPlayer) Prompt(ctx context.Context, r acp.PromptRequest) (acp.PromptResponse, error) {
	mark, ok := scenario.FindMarker(r.Prompt[0].Text.Text)
	if !ok {
		return acp.PromptResponse{}, acp.NewInvalidParams("no turn")
	}
	steps, err := p.play.Steps(mark, p.dir)
	if err != nil {
		return acp.PromptResponse{}, err
	}
	for _, s := range steps {
		switch s.Verb {
		case scenario.Write:
			if _, err := p.conn.WriteTextFile(ctx, acp.WriteTextFileRequest{SessionId: "one", Path: filepath.Join(p.dir, s.Path), Content: string(s.Data)}); err != nil {
				return acp.PromptResponse{}, err
			}
		case scenario.Answer:
			if err := p.conn.SessionUpdate(ctx, acp.SessionNotification{SessionId: "one", Update: acp.UpdateAgentMessageText(string(s.Data))}); err != nil {
				return acp.PromptResponse{}, err
			}
		default:
			return acp.PromptResponse{}, acp.NewInvalidParams("a player only writes and answers")
		}
	}
	return acp.PromptResponse{StopReason: acp.StopReasonEndTurn}, nil
}

func (p *acpPlayer) Authenticate(context.Context, acp.AuthenticateRequest) (acp.AuthenticateResponse, error) {
	return acp.AuthenticateResponse{}, nil
}

func (p *acpPlayer) Cancel(context.Context, acp.CancelNotification) error { return nil }

func (p *acpPlayer) CloseSession(context.Context, acp.CloseSessionRequest) (acp.CloseSessionResponse, error) {
	return acp.CloseSessionResponse{}, nil
}

func (p *acpPlayer) ListSessions(context.Context, acp.ListSessionsRequest) (acp.ListSessionsResponse, error) {
	return acp.ListSessionsResponse{}, nil
}

func (p *acpPlayer) ResumeSession(context.Context, acp.ResumeSessionRequest) (acp.ResumeSessionResponse, error) {
	return acp.ResumeSessionResponse{}, nil
}

func (p *acpPlayer) SetSessionConfigOption(context.Context, acp.SetSessionConfigOptionRequest) (acp.SetSessionConfigOptionResponse, error) {
	return acp.SetSessionConfigOptionResponse{}, nil
}

func (p *acpPlayer) SetSessionMode(context.Context, acp.SetSessionModeRequest) (acp.SetSessionModeResponse, error) {
	return acp.SetSessionModeResponse{}, nil
}
