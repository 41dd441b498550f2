// Package s3test starts the S3-compatible store of tests.
package s3test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"
)

// ProgramName is the environment variable that names the store's program;
// make s3 builds it, make test sets the variable.
const ProgramName = "JACQUARD_TEST_S3"

// Bucket is the bucket that the store has.
const Bucket = "bucket"

// Server is a running store on the loopback interface.
type Server struct {
	Address string
	process *os.Process
	feed    *os.File
}

// Start starts the store with what it has in a folder, on a port (0 is a free
// one). It ends with this process, however that ends. Where ProgramName is not
// set it returns nil: the tests cannot run here.
func Start(dir string, port int) (*Server, error) {
	program := os.Getenv(ProgramName)
	if program == "" {
		if os.Getenv("JACQUARD_TEST_COMPLETE") != "" {
			return nil, errors.New(ProgramName + " is not set: make s3 builds the store of these tests")
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
	log, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	p, err := os.StartProcess(program, []string{program, "--dir", dir, "--port", fmt.Sprint(port), "--bucket", Bucket}, &os.ProcAttr{
		Files: []*os.File{in, said, log}, Env: append(os.Environ(), "AWS_ACCESS_KEY_ID="+key, "AWS_SECRET_ACCESS_KEY="+secret),
	})
	if err != nil {
		return nil, err
	}
	_, _ = in.Close(), said.Close()
	s := &Server{process: p, feed: feed}
	line, err := bufio.NewReader(out).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "ready ")
	if err != nil || !ok {
		s.Kill()
		return nil, fmt.Errorf("the store said %q: %w", line, err)
	}
	s.Address = address
	return s, nil
}

const (
	key    = "test"
	secret = "only-for-tests"
)

// Env is how programs of AWS are told of the store and of who they are there.
func (s *Server) Env() map[string]string {
	return map[string]string{
		"AWS_ENDPOINT_URL_S3": "http://" + s.Address, "AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": secret, "AWS_REGION": "us-east-1",
	}
}

// Kill ends it as kill -9 does; what was answered is in its folder.
func (s *Server) Kill() {
	_ = s.process.Kill()
	_, _ = s.process.Wait()
	_ = s.feed.Close()
}
