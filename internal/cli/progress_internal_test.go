package cli

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"
)

// TestProgressInAPipe: who reads plain text is told now and then what runs, and nothing of what is soon over.
func TestProgressInAPipe(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var said bytes.Buffer
		a := &app{Streams: Streams{Err: &said}}
		a.progress("looking at the change").end()
		p := a.progress("looking at the change")
		time.Sleep(15 * time.Second)
		p.line("  runs go test\n")
		p.says("test: go test\n./...")
		time.Sleep(30 * time.Second)
		p.end()
		if want := "  … 5.0s  looking at the change\n  runs go test\n  … 35s  test: go test ./...\n"; said.String() != want {
			t.Errorf("it says\n%swant\n%s", said.String(), want)
		}
	})
}
