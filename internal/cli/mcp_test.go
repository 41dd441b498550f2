package cli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"
)

// callMCP calls tools of the real server, as an agent's program does: mcp tools lists them, mcp TOOL [JSON] calls one. With a third argument
// its person can be asked, and says that. mcp cancel TOOL calls one and wants no answer any more.
func callMCP(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 3 {
		ts.Fatalf("usage: mcp tools, mcp cancel TOOL, mcp TOOL [JSON [ANSWER]]")
	}
	var person *mcp.ClientOptions
	if len(args) == 3 {
		person = &mcp.ClientOptions{ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			if args[2] == "decline" {
				return &mcp.ElicitResult{Action: "decline"}, nil
			}
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": args[2]}}, nil
		}}
	}
	ctx := context.Background()
	cmd := exec.CommandContext(ctx, "sh", "-c", "exec jacquard mcp")
	cmd.Dir = ts.MkAbs(".")
	for _, k := range []string{"PATH", "HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "GOCACHE", "GOMODCACHE", "SHOP_TOKEN", "JACQUARD_SANDBOX", "TMPDIR"} {
		cmd.Env = append(cmd.Env, k+"="+ts.Getenv(k))
	}
	if args[0] == "cancel" {
		ts.Check(cancelled(ctx, ts.Stdout(), &mcp.CommandTransport{Command: cmd}, args[1]))
		return
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "story", Version: "1"}, person).Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	ts.Check(err)
	defer func() { _ = session.Close() }()
	if args[0] == "tools" {
		list, err := session.ListTools(ctx, nil)
		ts.Check(err)
		for _, t := range list.Tools {
			fmt.Fprintf(ts.Stdout(), "%s %v\n", t.Name, t.Annotations != nil && t.Annotations.ReadOnlyHint)
		}
		return
	}
	params := &mcp.CallToolParams{Name: args[0], Arguments: map[string]any{}}
	if len(args) > 1 {
		ts.Check(json.Unmarshal([]byte(args[1]), &params.Arguments))
	}
	res, err := session.CallTool(ctx, params)
	ts.Check(err)
	if res.IsError {
		fmt.Fprintln(ts.Stderr(), "failed")
	}
	for _, c := range res.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			fmt.Fprintln(ts.Stdout(), strings.TrimSpace(t.Text))
			fmt.Fprintf(ts.Stderr(), "%d bytes\n", len(t.Text))
		}
	}
}

// atOnce is how long a call that is cancelled may take to end, on a slow machine. One that is not takes 45 seconds.
const atOnce = 10 * time.Second

// cancelled calls a tool, tells the server that nobody waits for its answer once it is at it, and writes what it then says. A client of the
// library would let go by itself.
func cancelled(ctx context.Context, out io.Writer, to mcp.Transport, tool string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	conn, err := to.Connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	said := func(id int64) (json.RawMessage, error) {
		for {
			m, err := conn.Read(ctx)
			if err != nil {
				return nil, err
			}
			r, ok := m.(*jsonrpc.Response)
			switch {
			case !ok: // a note
			case r.ID.Raw() == id:
				return r.Result, r.Error
			default:
				return nil, fmt.Errorf("an answer to %v before that to %d", r.ID.Raw(), id)
			}
		}
	}
	tell := func(lines ...string) error {
		for _, line := range lines {
			m, err := jsonrpc.DecodeMessage([]byte(line))
			if err == nil {
				err = conn.Write(ctx, m)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	if err := tell(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"story","version":"1"}}}`); err != nil {
		return err
	}
	if _, err := said(1); err != nil {
		return err
	}
	err = tell(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,"arguments":{}}}`, tool), `{"jsonrpc":"2.0","id":3,"method":"ping"}`)
	if err != nil {
		return err
	}
	if _, err := said(3); err != nil {
		return err
	}
	begun := time.Now()
	if err := tell(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`); err != nil {
		return err
	}
	raw, err := said(2)
	if took := time.Since(begun); took > atOnce {
		return fmt.Errorf("%s was cancelled and answered after %s", tool, took)
	}
	var answer struct {
		Content []struct{ Text string }
	}
	if err == nil {
		err = json.Unmarshal(raw, &answer)
	}
	for _, c := range answer.Content {
		fmt.Fprintln(out, c.Text)
	}
	return err
}
