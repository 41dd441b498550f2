//go:build !darwin && (!linux || !(amd64 || arm64))

package confine

import (
	"os"
	"syscall"
)

// Default is the level where nobody has said one: no other can be had.
const Default = Off

// Stage is one start of a confined command; there is none on this system.
type Stage struct{}

// Start says that this system has no sandbox.
func Start(Policy, string, []string, string, []string) (*Stage, error) { return nil, ErrUnsupported }

// Layers are none.
func Layers(bool) []string { return nil }

// StartTest says that this system has no sandbox.
func StartTest(Policy, Bait) (*Stage, error) { return nil, ErrUnsupported }

// Program gives nothing.
func (*Stage) Program() (path, dir string, argv, env []string) { return "", "", nil, nil }

// File gives nothing.
func (*Stage) File() *os.File { return nil }

// Attributes changes nothing.
func (*Stage) Attributes(*syscall.SysProcAttr) {}

// NotStarted returns the error.
func (*Stage) NotStarted(err error) error { return err }

// Begin says that this system has no sandbox.
func (*Stage) Begin() error { return ErrUnsupported }

// End knows nothing.
func (*Stage) End() (Ended, bool) { return Ended{}, false }

// Listeners gives none.
func (*Stage) Listeners() map[int]*os.File { return nil }

// Close does nothing.
func (*Stage) Close() {}

// Bait is what a self-test tries to get from inside.
type Bait struct {
	File, Write, Work, Cache string
	Port                     int
}
