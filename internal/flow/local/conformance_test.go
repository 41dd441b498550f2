package local_test

import (
	"context"
	"os"
	"testing"

	"github.com/jacquard-build/jacquard/internal/flow/flowtest"
	"github.com/jacquard-build/jacquard/internal/flow/local"
)

func TestMain(m *testing.M) {
	if spec, ok := flowtest.IsChild(os.Args); ok {
		os.Exit(flowtest.Child(context.Background(), spec, open))
	}
	if len(os.Args) == 3 && os.Args[1] == "full-disk" {
		os.Exit(fullChild(os.Args[2]))
	}
	if len(os.Args) == 3 && os.Args[1] == "full-disk-freed" {
		os.Exit(freedChild(os.Args[2]))
	}
	os.Exit(m.Run())
}

func options(dir string, o flowtest.Options) local.Options {
	return local.Options{
		Dir: dir, Workflows: o.Workflows, Handlers: o.Handlers, Limits: o.Limits, Clock: o.Clock, Blobs: o.Blobs,
		Driver: o.Driver, Version: o.Version, Accept: o.Accept, MaxWait: o.MaxWait, Committed: o.Committed,
	}
}

func open(ctx context.Context, dir string, o flowtest.Options) (flowtest.Runtime, error) {
	return local.Open(ctx, options(dir, o))
}

func TestConformance(t *testing.T) {
	t.Parallel()
	flowtest.Exercise(t, open)
}

func TestKilledAtEveryAppend(t *testing.T) {
	t.Parallel()
	flowtest.Kills(t, open)
}
