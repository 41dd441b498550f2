// Package s3test starts the S3-compatible store of tests.
package s3test

import (
	"strconv"

	"github.com/jacquard-build/jacquard/internal/testserver"
)

// ProgramName is the environment variable that names the store's program;
// make s3 builds it, make test sets the variable.
const ProgramName = "JACQUARD_TEST_S3"

// Bucket is the bucket that the store has.
const Bucket = "bucket"

const (
	key    = "test"
	secret = "only-for-tests"
)

// Server is a running store on the loopback interface. What it has answered is
// in its folder, however it ends.
type Server struct{ *testserver.Server }

// Start starts the store with what it has in a folder, on a port (0 is a free
// one). Where ProgramName is not set it returns nil; see testserver.
func Start(dir string, port int) (*Server, error) {
	p := testserver.Program{Variable: ProgramName, Target: "s3", Env: []string{"AWS_ACCESS_KEY_ID=" + key, "AWS_SECRET_ACCESS_KEY=" + secret}}
	s, err := p.Start("--dir", dir, "--port", strconv.Itoa(port), "--bucket", Bucket)
	if s == nil {
		return nil, err
	}
	return &Server{s}, nil
}

// Env is how programs of AWS are told of the store and of who they are there.
func (s *Server) Env() map[string]string {
	return map[string]string{
		"AWS_ENDPOINT_URL_S3": "http://" + s.Address, "AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": secret, "AWS_REGION": "us-east-1",
	}
}
