//go:build unix

package proc_test

import (
	"os"
	"testing"

	"github.com/jacquard-build/jacquard/internal/proc"
)

// TestUnread shows that who writes learns that the other end of its pipe is closed, and takes no file for one.
func TestUnread(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	if proc.Unread(w) {
		t.Error("a pipe that is read counts as unread")
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if !proc.Unread(w) {
		t.Error("a pipe that nobody reads counts as read")
	}
	file, err := os.Create(t.TempDir() + "/out")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if proc.Unread(file) {
		t.Error("a file counts as unread")
	}
}
