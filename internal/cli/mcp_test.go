package cli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"
)

// callMCP calls tools of the real server, as an agent's program does: mcp tools lists them, mcp TOOL [JSON] calls one. With a third argument
// its person can be asked, and says that.
func callMCP(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 3 {
		ts.Fatalf("usage: mcp tools, mcp TOOL [JSON [ANSWER]]")
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
