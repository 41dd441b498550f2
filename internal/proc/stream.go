package proc

import (
	"bytes"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// Once a command is over its pipes hold at most what fits into them. A process that
// escaped may still hold the other end: it gets this much silence and this many bytes.
const (
	drainWait  = time.Second
	drainBytes = 4 << 20
)

// meter counts what a command prints on both streams.
type meter struct {
	most int64
	used atomic.Int64
	full chan struct{} // closed when it is too much
	once sync.Once
}

// more says whether n more bytes may be kept.
func (m *meter) more(n int) bool {
	if used := m.used.Add(int64(n)); m.most <= 0 || used <= m.most {
		return true
	}
	m.once.Do(func() { close(m.full) })
	return false
}

// stream reads one pipe to its end and gives the bytes to everybody who wants them.
type stream struct {
	pipe  *os.File
	tail  *tail
	copy  io.Writer
	lines *lines
	touch func()
	meter *meter
	over  atomic.Bool
	done  chan struct{}
	err   error // the first error of copy; read after done
}

func newStream(pipe *os.File, keep int, dst io.Writer, line func([]byte), touch func(), m *meter) *stream {
	s := &stream{pipe: pipe, tail: &tail{keep: keep}, copy: dst, touch: touch, meter: m, done: make(chan struct{})}
	if line != nil {
		s.lines = &lines{give: line}
	}
	return s
}

// read runs until the pipe ends, or has nothing to say after drain.
func (s *stream) read() {
	defer close(s.done)
	defer s.pipe.Close() //nolint:errcheck // it was only read
	buf := make([]byte, 32<<10)
	var late int
	for {
		draining := s.over.Load()
		if draining {
			if late > drainBytes {
				break
			}
			_ = s.pipe.SetReadDeadline(time.Now().Add(drainWait))
		}
		n, err := s.pipe.Read(buf)
		if n > 0 {
			s.touch()
			s.take(buf[:n])
			if draining {
				late += n
			}
		}
		if err != nil && (draining || !errors.Is(err, os.ErrDeadlineExceeded)) {
			break
		}
	}
	if s.lines != nil {
		s.lines.end()
	}
}

func (s *stream) take(b []byte) {
	s.tail.write(b)
	if !s.meter.more(len(b)) {
		return
	}
	if s.copy != nil && s.err == nil {
		_, s.err = s.copy.Write(b)
	}
	if s.lines != nil {
		s.lines.write(b)
	}
}

// drain says that the command is over, and wakes a reader that waits.
func (s *stream) drain() {
	s.over.Store(true)
	_ = s.pipe.SetReadDeadline(time.Now().Add(drainWait))
}

// tail keeps the last bytes of a stream. It holds at most twice what it keeps.
type tail struct {
	keep  int
	buf   []byte
	total int64
}

func (t *tail) write(b []byte) {
	t.total += int64(len(b))
	if len(b) > t.keep {
		b = b[len(b)-t.keep:]
	}
	if len(t.buf)+len(b) > 2*t.keep {
		n := copy(t.buf, t.buf[len(t.buf)-(t.keep-len(b)):])
		t.buf = t.buf[:n]
	}
	t.buf = append(t.buf, b...)
}

func (t *tail) result() Tail {
	b := t.buf
	if len(b) > t.keep {
		b = b[len(b)-t.keep:]
	}
	cut := t.total > int64(len(b))
	for i := 0; cut && i < utf8.UTFMax && len(b) > 0 && !utf8.RuneStart(b[0]); i++ {
		b = b[1:] // the rest of a character that was cut
	}
	return Tail{Text: string(b), Total: t.total, Truncated: cut}
}

// lines cuts a stream into lines of at most MaxLine bytes.
type lines struct {
	give func([]byte)
	part []byte
	any  bool // whether the present line has begun
}

func (l *lines) write(b []byte) {
	for len(b) > 0 {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			l.add(b)
			return
		}
		if !l.any {
			l.give(b[:i])
		} else {
			l.add(b[:i])
			l.end()
		}
		b = b[i+1:]
	}
}

func (l *lines) add(b []byte) {
	l.any = true
	l.part = append(l.part, b[:min(len(b), MaxLine-len(l.part))]...)
}

// end gives the present line, if one has begun.
func (l *lines) end() {
	if !l.any {
		return
	}
	l.give(l.part)
	l.any = false
	if l.part = l.part[:0]; cap(l.part) > 1<<20 {
		l.part = nil // one huge line must not cost memory for the rest of the run
	}
}
