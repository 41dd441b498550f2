// Command temporal-test-server is a whole Temporal service in one process, for tests that must
// not need a network: frontend, history and matching on loopback over one SQLite database.
//
// It prints "ready 127.0.0.1:PORT" on stdout once a client can start a workflow, and nothing else.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

const startTimeout = time.Minute

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(stderr, "temporal-test-server:", err)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if o.stdin {
		go func() {
			_, _ = io.Copy(io.Discard, stdin)
			cancel()
		}()
	}
	if err := serve(ctx, o, stdout); err != nil {
		fmt.Fprintln(stderr, "temporal-test-server:", err)
		return 1
	}
	return 0
}

// serve returns when ctx ends and the server has stopped, or when it does not start.
func serve(ctx context.Context, o options, stdout io.Writer) error {
	s, err := start(o)
	if err != nil {
		return err
	}
	startCtx, cancel := context.WithTimeout(ctx, startTimeout)
	err = s.ready(startCtx, o)
	cancel()
	if ctx.Err() != nil { // asked to end while it started
		return s.stop()
	}
	if err != nil {
		return errors.Join(err, s.stop())
	}
	fmt.Fprintln(stdout, "ready", s.address)
	<-ctx.Done()
	return s.stop()
}

type options struct {
	db         string
	port       int
	namespace  string
	attributes map[string]string
	dynamic    []string
	worker     bool
	stdin      bool
	verbose    bool
}

func parse(args []string, stderr io.Writer) (options, error) {
	o := options{attributes: map[string]string{}}
	f := flag.NewFlagSet("temporal-test-server", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&o.db, "db", memory, "`FILE` of the database, made if it is not there, or "+memory)
	f.IntVar(&o.port, "port", 0, "`port` on 127.0.0.1; 0 takes a free one")
	f.StringVar(&o.namespace, "namespace", "default", "`name` of the namespace to register")
	f.Func("search-attribute", "`Name=Type` to register, e.g. Project=Keyword (may be repeated)", func(s string) error {
		name, kind, ok := strings.Cut(s, "=")
		if !ok || name == "" {
			return errors.New("want Name=Type")
		}
		o.attributes[name] = kind
		return nil
	})
	f.Func("dynamic-config", "`key=value` of Temporal's dynamic configuration, the value in YAML (may be repeated)", func(s string) error {
		if !strings.Contains(s, "=") {
			return errors.New("want key=value")
		}
		o.dynamic = append(o.dynamic, s)
		return nil
	})
	f.BoolVar(&o.worker, "system-worker", false, "run Temporal's own worker too: schedules, batch operations, worker deployments")
	f.BoolVar(&o.stdin, "stdin", false, "end when stdin does")
	f.BoolVar(&o.verbose, "verbose", false, "write Temporal's log to stderr, not its errors alone")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	switch {
	case f.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q", f.Arg(0))
	case o.db == "":
		return o, errors.New("-db needs a file or " + memory)
	case o.port < 0 || o.port > 65535:
		return o, fmt.Errorf("-port %d is not a port", o.port)
	case o.namespace == "":
		return o, errors.New("-namespace needs a name")
	}
	return o, nil
}
