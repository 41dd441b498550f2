// Package submit takes the structured answer of one turn from an agent that can
// call tools of MCP servers.
//
// A Server is on the loopback interface for as long as the turn lasts, knows its
// caller by a token, and has one tool, whose argument is the answer. What does not
// have the form of the schema is refused with the reason, which the model reads
// and mends.
package submit

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/jacquard-build/jacquard/internal/step"
)

// The names under which an agent finds the tool.
const (
	ServerName = "jacquard"
	ToolName   = "submit"
)

// MaxTries is how often an answer may not fit.
const MaxTries = 5

const (
	path          = "/mcp"
	headerTimeout = 30 * time.Second
	maxBody       = 8 << 20
)

// Server is a running MCP server for one turn.
type Server struct {
	schema   json.RawMessage
	took     func(answer json.RawMessage, misfit string)
	token    string
	hash     [sha256.Size]byte
	listener net.Listener
	server   *http.Server
	served   chan struct{}

	mu    sync.Mutex
	tries int
}

// Start serves the tool on a free loopback port until Close. took is called with
// each answer that fits, and with the reason for each that does not, by one
// goroutine at a time and before the agent knows.
func Start(ctx context.Context, schema json.RawMessage, took func(answer json.RawMessage, misfit string)) (*Server, error) {
	var secret [24]byte
	if _, err := rand.Read(secret[:]); err != nil {
		return nil, fmt.Errorf("make a token for answers: %w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for answers: %w", err)
	}
	s := &Server{schema: schema, took: took, token: "jacquard-answer-" + hex.EncodeToString(secret[:]), listener: listener, served: make(chan struct{})}
	s.hash = sha256.Sum256([]byte(s.token))
	server := mcp.NewServer(&mcp.Implementation{Name: ServerName, Version: "1"}, &mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{}})
	server.AddTool(&mcp.Tool{
		Name: ToolName, InputSchema: schema,
		Description: "Hand in the structured answer of this task. Call it once, when all work is done.",
	}, s.call)
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxBody,
	})
	s.server = &http.Server{
		ReadHeaderTimeout: headerTimeout,
		ErrorLog:          log.New(io.Discard, "", 0), // what goes wrong is answered, not logged
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			bearer := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
			// Hashes are compared so that the time taken says nothing about the token.
			if hash := sha256.Sum256([]byte(bearer)); subtle.ConstantTimeCompare(hash[:], s.hash[:]) != 1 {
				http.Error(w, "jacquard: the token is not of this turn", http.StatusForbidden)
				return
			}
			handler.ServeHTTP(w, r)
		}),
	}
	go func() {
		defer close(s.served)
		// It returns when the listener is closed, which only Close does.
		_ = s.server.Serve(listener)
	}()
	return s, nil
}

// URL is where the agent finds the server.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() + path }

// Port is the port of URL.
func (s *Server) Port() int {
	if a, ok := s.listener.Addr().(*net.TCPAddr); ok {
		return a.Port
	}
	return 0
}

// Token is what the agent sends as bearer token.
func (s *Server) Token() string { return s.token }

// Close ends the server and what it is being asked.
func (s *Server) Close() error {
	err := s.server.Close()
	<-s.served
	if err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("close the server for answers: %w", err)
	}
	return nil
}

// call takes one answer.
func (s *Server) call(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tries >= MaxTries {
		return failure("no more answers are accepted; end your turn"), nil
	}
	why, err := step.Misfit(s.schema, req.Params.Arguments)
	if err != nil {
		return nil, err
	}
	if why != "" {
		s.tries++
		s.took(nil, why)
		return failure("the answer does not fit its schema: " + why + "; fix it and call this tool again"), nil
	}
	s.took(req.Params.Arguments, "")
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "taken; your work is done, end your turn without another word"}}}, nil
}

func failure(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}
