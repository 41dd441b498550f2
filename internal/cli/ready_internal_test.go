package cli

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestBeside: what takes longer than one waits goes on, until it is ended and is gone.
func TestBeside(t *testing.T) {
	t.Parallel()
	wrong := errors.New("wrong")
	end, done, err := beside(t.Context(), time.Hour, func(context.Context) error { return wrong })
	if end(); !done || !errors.Is(err, wrong) {
		t.Errorf("done %t, %v", done, err)
	}
	began, gone := make(chan struct{}), false
	end, done, err = beside(t.Context(), time.Nanosecond, func(ctx context.Context) error {
		close(began)
		<-ctx.Done()
		gone = true
		return ctx.Err()
	})
	if done || err != nil {
		t.Fatalf("done %t, %v", done, err)
	}
	<-began
	if end(); !gone {
		t.Error("it goes on after its end")
	}
}
