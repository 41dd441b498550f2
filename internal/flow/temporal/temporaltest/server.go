// Package temporaltest starts the Temporal service of tests.
package temporaltest

import (
	"context"
	"log/slog"
	"os"
	"strconv"
	"testing"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"

	"github.com/jacquard-build/jacquard/internal/testserver"
)

// ProgramName is the environment variable that names the service's program;
// make temporal builds it, make test sets the variable.
const ProgramName = "JACQUARD_TEST_TEMPORAL"

// Server is a running service on the loopback interface.
type Server struct{ *testserver.Server }

// Start starts the service with a database in a file, or ":memory:", on a port
// (0 is a free one); options are further ones of the program. Where ProgramName
// is not set it returns nil; see testserver.
func Start(db string, port int, options ...string) (*Server, error) {
	p := testserver.Program{Variable: ProgramName, Target: "temporal", Log: os.Stderr}
	s, err := p.Start(append([]string{"--db", db, "--port", strconv.Itoa(port), "--stdin"}, options...)...)
	if s == nil {
		return nil, err
	}
	return &Server{s}, nil
}

// Dial connects to the service; the caller closes the connection.
func (s *Server) Dial(ctx context.Context) (client.Client, error) {
	return client.DialContext(ctx, client.Options{HostPort: s.Address, Logger: log.NewStructuredLogger(slog.New(slog.DiscardHandler))})
}

// Runs counts the workflows that the service has seen.
func (s *Server) Runs(t *testing.T) int {
	t.Helper()
	ctx := context.Background() // t.Context() has ended when a test cleans up
	c, err := s.Dial(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	n, err := c.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	return int(n.GetCount())
}
