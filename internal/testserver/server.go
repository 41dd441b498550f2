// Package testserver runs the servers of tests: programs of tools/ that say "ready ADDRESS" when they can be asked, and end when
// their input does.
package testserver

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

// Server is a running server on the loopback interface.
type Server struct {
	Address string
	process *os.Process
	feed    *os.File
}

// Program is a server that can be started.
type Program struct {
	Variable string   // environment variable that names it; make test sets it
	Target   string   // of the Makefile, which builds it
	Env      []string // beside that of this process
	Log      *os.File // for its standard error; nil = nowhere
}

// Start starts the program. It ends with this process, however that ends. Where the variable is not set the server is nil: the
// tests cannot run here, which is an error where all of them have to.
func (p Program) Start(args ...string) (*Server, error) {
	program := os.Getenv(p.Variable)
	if program == "" {
		if os.Getenv("JACQUARD_TEST_COMPLETE") != "" {
			return nil, fmt.Errorf("%s is not set: make %s builds what these tests start", p.Variable, p.Target)
		}
		return nil, nil
	}
	log := p.Log
	if log == nil {
		null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		defer func() { _ = null.Close() }()
		log = null
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
	process, err := os.StartProcess(program, append([]string{program}, args...), &os.ProcAttr{Files: []*os.File{in, said, log}, Env: append(os.Environ(), p.Env...)})
	if err != nil {
		return nil, err
	}
	_, _ = in.Close(), said.Close()
	s := &Server{process: process, feed: feed}
	line, err := bufio.NewReader(out).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "ready ")
	if err != nil || !ok {
		s.Kill()
		return nil, fmt.Errorf("%s said %q: %w", program, line, err)
	}
	s.Address = address
	return s, nil
}

// Stop ends it in good order, if it is not gone.
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
