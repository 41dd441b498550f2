// Command s3-test-server is an S3-compatible store in one process, for tests that must not need a network: Versity's gateway
// before a folder. It checks signatures and honours conditional puts.
//
// It prints "ready 127.0.0.1:PORT" on stdout once it answers, and nothing else.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"
)

const (
	startTimeout = 30 * time.Second
	health       = "/ready"
)

func main() {
	dir := flag.String("dir", "", "`folder` to keep everything in; a second start with it goes on")
	port := flag.Int("port", 0, "`port` on 127.0.0.1; 0 takes a free one")
	bucket := flag.String("bucket", "bucket", "`name` of the bucket to make")
	flag.Parse()
	said := os.Stdout
	os.Stdout = os.Stderr // the gateway talks
	if err := run(said, *dir, *port, *bucket); err != nil {
		fmt.Fprintln(os.Stderr, "s3-test-server:", err)
		os.Exit(1)
	}
}

// run returns when stdin has ended, so that nothing outlives the test that holds the other end.
func run(said io.Writer, dir string, port int, bucket string) error {
	key, secret := os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY")
	if dir == "" || key == "" || secret == "" {
		return errors.New("-dir, and AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of the one account, have to be set")
	}
	if err := os.MkdirAll(filepath.Join(dir, bucket), 0o755); err != nil {
		return err
	}
	// Attributes in files beside the objects would do on any file system, but then two puts at once are not told apart.
	if err := (meta.XattrMeta{}).Test(dir); err != nil {
		return err
	}
	be, err := posix.New(dir, meta.XattrMeta{}, posix.PosixOpts{Concurrency: 100})
	if err != nil {
		return err
	}
	defer be.Shutdown()
	if port == 0 {
		if port, err = free(); err != nil {
			return err
		}
	}
	address := fmt.Sprintf("127.0.0.1:%d", port)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		ended <- embedgw.RunVersityGW(ctx, be, &embedgw.Config{
			RootUserAccess: key, RootUserSecret: secret, Ports: []string{address}, HealthPath: health, Quiet: true, KeepAlive: true,
			MaxConnections: 1000, MaxRequests: 1000, MultipartMaxParts: 10000,
		})
	}()
	if err := ready(address, ended); err != nil {
		return err
	}
	fmt.Fprintln(said, "ready", address)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0) // all that was answered is in the folder
	}()
	return <-ended
}

func free() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// ready waits until the gateway answers.
func ready(address string, ended <-chan error) error {
	for end := time.Now().Add(startTimeout); ; {
		if r, err := http.Get("http://" + address + health); err == nil {
			_ = r.Body.Close()
			return nil
		}
		select {
		case err := <-ended:
			return fmt.Errorf("it has ended: %w", err)
		case <-time.After(10 * time.Millisecond):
		}
		if time.Now().After(end) {
			return errors.New("it does not answer")
		}
	}
}
