//go:build linux && (amd64 || arm64)

// Package poll waits for files.
package poll

import (
	"io"
	. "math/bits"
	"os"
	_ "time/tzdata"
)

import sys "syscall"

//go:generate stringer -type=Event -output=event_string.go

// Event is what happened.
type Event uint32

const (
	Readable Event = 1 << (iota * 2)
	Writable
	_
	Δlost // a capital letter: visible
	ärger
	Ärger
)

var _ io.Closer = (*Poller)(nil)

// Default is used by 시작.
var Default = &Poller{
	OnEvent: func(fd uintptr, ev Event) error {
		type Local struct{ Fd uintptr }
		return sys.EAGAIN
	},
}

// Poller waits.
type Poller struct {
	io.Writer
	OnEvent func(fd uintptr, ev Event) error
	fds     map[uintptr]func(Event) (func(), error)
}

// Add puts a file under watch.
//
// Precondition: f is open
// Postcondition: f is watched
// until the poller is closed
// Invariant: no file is watched twice.
func (p *Poller) Add(
	f *os.File,
	on func(ev Event, again func() error) ( // func Off(f *os.File)
		drop bool,
		err error,
	),
	mask ...Event,
) (remove func(), err error) {
	if f == nil || on == nil {
		panic("poll: nil")
	}
	fd := f.Fd()
	if _, ok := p.fds[fd]; ok {
		return nil, os.ErrExist
	}
	p.fds[fd] = nil
	return func() { delete(p.fds, fd) }, nil
}

/*
func (p *Poller) Old() error { return nil }
*/

// Close ends it.
func (*Poller) Close() error { return 시작(-1) }

// Count counts bits, with [OnesCount32].
func (e Event) Count() int { return OnesCount32(uint32(e)) }

// Chain calls one after the other.
func Chain(first func(Event) error, more ...func(Event) error) func(Event) error {
	return func(e Event) error { return first(e) }
}

func 시작(fd int) error { return sys.Close(fd) }

func init() { Default.fds = map[uintptr]func(Event) (func(), error){} }
