package temporal_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/jacquard-build/jacquard/internal/flow/flowtest"
	"github.com/jacquard-build/jacquard/internal/flow/temporal"
	"github.com/jacquard-build/jacquard/internal/flow/temporal/temporaltest"
)

// addressName tells child processes where the server of these tests is.
const addressName = "JACQUARD_TEMPORAL_ADDRESS_OF_TEST"

func TestMain(m *testing.M) {
	// Every task of a workflow replays its history from the beginning: what
	// was not recorded shows at once.
	worker.SetStickyWorkflowCacheSize(0)
	if spec, ok := flowtest.IsChild(os.Args); ok {
		os.Exit(flowtest.Child(context.Background(), spec, open))
	}
	os.Exit(withServer(m))
}

// withServer runs the tests beside a server of their own.
func withServer(m *testing.M) int {
	s, err := temporaltest.Start(":memory:", 0)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if s != nil {
		defer s.Stop()
		_ = os.Setenv(addressName, s.Address)
	}
	return m.Run()
}

func server() string { return os.Getenv(addressName) }

// needServer says in one line why a test cannot run.
func needServer(t *testing.T) {
	t.Helper()
	if os.Getenv(addressName) == "" {
		t.Skip("JACQUARD_TEST_TEMPORAL names no server: make temporal builds it, make test sets it")
	}
}

func open(ctx context.Context, dir string, o flowtest.Options) (flowtest.Runtime, error) {
	sum := sha256.Sum256([]byte(dir))
	return temporal.Open(ctx, temporal.Options{
		Client: client.Options{HostPort: os.Getenv(addressName)}, Project: hex.EncodeToString(sum[:6]),
		Dir: dir, Workflows: o.Workflows, Handlers: o.Handlers, Limits: o.Limits, Clock: o.Clock, Blobs: o.Blobs,
		Driver: o.Driver, Version: o.Version, Accept: o.Accept, MaxWait: o.MaxWait, Committed: o.Committed,
		Beat: 2 * time.Second, Decision: time.Second,
	})
}

// TestConformance takes longer than ten seconds: its workflows wait for the clock of a service.
func TestConformance(t *testing.T) {
	t.Parallel()
	needServer(t)
	flowtest.Exercise(t, open)
}

func TestKilledAtEveryAppend(t *testing.T) {
	t.Parallel()
	needServer(t)
	flowtest.Kills(t, open)
}
