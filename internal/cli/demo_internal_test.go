package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestDemoInterrupted: a demo that a person stops does not go on to say what comes next.
func TestDemoInterrupted(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("it needs the shell of Unix")
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := &stopper{at: "started", stop: cancel}
	self := filepath.Join(t.TempDir(), "jacquard")
	if err := os.WriteFile(self, []byte("#!/bin/sh\necho started\nsleep 60\n"), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	d := &demo{a: &app{Streams: Streams{Out: out}}, self: self, dir: t.TempDir(), env: os.Environ()}
	if err := d.first(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with %v, want %v", err, context.Canceled)
	}
	if said := out.said.String(); strings.Contains(said, "killed (kill -9)") {
		t.Errorf("it says\n%s", said)
	}
}

// stopper is a screen whose person stops the program at a word.
type stopper struct {
	said bytes.Buffer
	at   string
	stop func()
}

func (s *stopper) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte(s.at)) {
		s.stop()
	}
	return s.said.Write(b)
}
