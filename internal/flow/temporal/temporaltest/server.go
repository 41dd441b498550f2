// Package temporaltest starts the Temporal service of tests.
package temporaltest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
)

// ProgramName is the environment variable that names the service's program;
// make temporal builds it, make test sets the variable.
const ProgramName = "JACQUARD_TEST_TEMPORAL"

// Server is a running service on the loopback interface.
type Server struct {
	Address string
	process *os.Process
	feed    *os.File
}

// Start starts the service with a database in a file, or ":memory:", on a port
// (0 is a free one); options are further ones of the program. It ends with this
// process, however that ends. Where ProgramName is not set it returns nil: the
// tests cannot run here.
func Start(db string, port int, options ...string) (*Server, error) {
	program := os.Getenv(ProgramName)
	if program == "" {
		if os.Getenv("JACQUARD_TEST_COMPLETE") != "" {
			return nil, errors.New(ProgramName + " is not set: make temporal builds the service of these tests")
		}
		return nil, nil
	}
	in, feed, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, said, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer func() { _ = out.Close() }()
	p, err := os.StartProcess(program, append([]string{program, "--db", db, "--port", fmt.Sprint(port), "--stdin"}, options...), &os.ProcAttr{Files: []*os.File{in, said, os.Stderr}})
	if err != nil {
		return nil, err
	}
	_, _ = in.Close(), said.Close()
	s := &Server{process: p, feed: feed}
	line, err := bufio.NewReader(out).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "ready ")
	if err != nil || !ok {
		s.Stop()
		return nil, fmt.Errorf("the service said %q: %w", line, err)
	}
	s.Address = address
	return s, nil
}

// Runs counts the workflows that the service has seen.
func (s *Server) Runs(t *testing.T) int {
	t.Helper()
	ctx := context.Background() // t.Context() has ended when a test cleans up
	c, err := client.DialContext(ctx, client.Options{HostPort: s.Address, Logger: log.NewStructuredLogger(slog.New(slog.DiscardHandler))})
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

// Stop ends the service in good order, if it is not gone.
func (s *Server) Stop() {
	_ = s.feed.Close()
	_, _ = s.process.Wait()
}

// Kill ends it as kill -9 does.
func (s *Server) Kill() {
	_ = s.process.Kill()
	_, _ = s.process.Wait()
	_ = s.feed.Close()
}
