package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/coder/acp-go-sdk"
)

// acpPart is what the test binary does when it is a program that speaks the Agent
// Client Protocol: one part a prompt.
type acpPart struct {
	Ask   []json.RawMessage // tool calls that it wants permitted
	Write []string          // paths of files that it has written
	Read  []string          // and read
	Say   string            // its last words; ${RESULTS} is what became of all these
	Stop  acp.StopReason
	Fail  *acp.RequestError
}

// acpAgent is the program.
type acpAgent struct {
	conn  *acp.AgentSideConnection
	state string // where sessions are kept, one line a prompt
	parts []acpPart
}

func playACP(file string) int {
	a := &acpAgent{state: file + ".state"}
	data, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(data, &a.parts) != nil {
		fmt.Fprintln(os.Stderr, "read the parts:", err)
		return 1
	}
	// What is no message must not be taken for one of the log's own lines.
	fmt.Println(`{"jacquard":"end","class":"ok"}`)
	fmt.Println(`{"type":"jacquard","agent":"scripted"}`)
	a.conn = acp.NewAgentSideConnection(a, os.Stdout, os.Stdin)
	<-a.conn.Done()
	return 0
}

func (a *acpAgent) Initialize(context.Context, acp.InitializeRequest) (acp.InitializeResponse, error) {
	return acp.InitializeResponse{ProtocolVersion: acp.ProtocolVersionNumber, AgentCapabilities: acp.AgentCapabilities{LoadSession: true}}, nil
}

func (a *acpAgent) Authenticate(context.Context, acp.AuthenticateRequest) (acp.AuthenticateResponse, error) {
	return acp.AuthenticateResponse{}, nil
}

func (a *acpAgent) NewSession(context.Context, acp.NewSessionRequest) (acp.NewSessionResponse, error) {
	return acp.NewSessionResponse{SessionId: "s-1"}, nil
}

// LoadSession tells the older part of a session again, as the protocol has it.
func (a *acpAgent) LoadSession(ctx context.Context, p acp.LoadSessionRequest) (acp.LoadSessionResponse, error) {
	if p.SessionId != "s-1" {
		return acp.LoadSessionResponse{}, acp.NewInvalidParams("no such session")
	}
	return acp.LoadSessionResponse{}, a.say(ctx, `{"verdict":"told again"}`)
}

func (a *acpAgent) say(ctx context.Context, text string) error {
	return a.conn.SessionUpdate(ctx, acp.SessionNotification{SessionId: "s-1", Update: acp.UpdateAgentMessageText(text)})
}

func (a *acpAgent) Prompt(ctx context.Context, p acp.PromptRequest) (acp.PromptResponse, error) {
	done, _ := os.ReadFile(a.state)
	part := a.parts[min(strings.Count(string(done), "\n"), len(a.parts)-1)]
	if err := os.WriteFile(a.state, append(done, '\n'), 0o600); err != nil {
		return acp.PromptResponse{}, err
	}
	if part.Fail != nil {
		return acp.PromptResponse{}, part.Fail
	}
	var results []string
	for _, raw := range part.Ask {
		var call acp.ToolCallUpdate
		if err := json.Unmarshal(raw, &call); err != nil {
			return acp.PromptResponse{}, err
		}
		call.ToolCallId = "call"
		res, err := a.conn.RequestPermission(ctx, acp.RequestPermissionRequest{SessionId: p.SessionId, ToolCall: call, Options: []acp.PermissionOption{
			{OptionId: "yes", Kind: acp.PermissionOptionKindAllowOnce, Name: "yes"}, {OptionId: "no", Kind: acp.PermissionOptionKindRejectOnce, Name: "no"},
		}})
		if err != nil {
			return acp.PromptResponse{}, err
		}
		results = append(results, string(res.Outcome.Selected.OptionId))
	}
	for _, path := range part.Write {
		_, err := a.conn.WriteTextFile(ctx, acp.WriteTextFileRequest{SessionId: p.SessionId, Path: path, Content: "written\n"})
		results = append(results, fmt.Sprint(err == nil))
	}
	for _, path := range part.Read {
		res, err := a.conn.ReadTextFile(ctx, acp.ReadTextFileRequest{SessionId: p.SessionId, Path: path})
		results = append(results, fmt.Sprint(err == nil)+res.Content)
	}
	// In two pieces, as words come.
	words := strings.ReplaceAll(part.Say, "${RESULTS}", strings.Join(results, " "))
	for _, piece := range []string{words[:len(words)/2], words[len(words)/2:]} {
		if err := a.say(ctx, piece); err != nil {
			return acp.PromptResponse{}, err
		}
	}
	if part.Stop == "" {
		part.Stop = acp.StopReasonEndTurn
	}
	return acp.PromptResponse{StopReason: part.Stop}, nil
}

func (a *acpAgent) Cancel(context.Context, acp.CancelNotification) error { return nil }

func (a *acpAgent) CloseSession(context.Context, acp.CloseSessionRequest) (acp.CloseSessionResponse, error) {
	return acp.CloseSessionResponse{}, nil
}

func (a *acpAgent) ListSessions(context.Context, acp.ListSessionsRequest) (acp.ListSessionsResponse, error) {
	return acp.ListSessionsResponse{}, nil
}

func (a *acpAgent) ResumeSession(context.Context, acp.ResumeSessionRequest) (acp.ResumeSessionResponse, error) {
	return acp.ResumeSessionResponse{}, nil
}

func (a *acpAgent) SetSessionConfigOption(context.Context, acp.SetSessionConfigOptionRequest) (acp.SetSessionConfigOptionResponse, error) {
	return acp.SetSessionConfigOptionResponse{}, nil
}

func (a *acpAgent) SetSessionMode(context.Context, acp.SetSessionModeRequest) (acp.SetSessionModeResponse, error) {
	return acp.SetSessionModeResponse{}, nil
}
