package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// talkIdle is how long a git lives that nobody asks.
const talkIdle = 5 * time.Second

// refsAge is how old a git gets that changes refs: it remembers what others may change, and the time of its first entry in a
// reflog is that of all.
const refsAge = time.Second

// talk is one git that answers one question after the other. It is started at the first question and ends when it is not
// asked any more, or when this process ends, because its input ends then. Who asks holds mu until the answer is read.
type talk struct {
	args []string

	mu   sync.Mutex
	in   *os.File
	out  *bufio.Reader
	pipe *io.PipeReader
	done chan error
	born time.Time
	idle *time.Timer
}

// ask puts a question and returns the first line of the answer.
func (t *talk) ask(r *Repo, question string) (string, error) {
	if t.in == nil {
		if err := t.start(r); err != nil {
			return "", err
		}
	}
	t.idle.Reset(talkIdle)
	if _, err := io.WriteString(t.in, question); err != nil {
		return "", err
	}
	return t.out.ReadString('\n')
}

func (t *talk) start(r *Repo) error {
	inR, inW, err := os.Pipe() // one that ends by itself is waited for, without a copy that waits for questions
	if err != nil {
		return err
	}
	outR, outW := io.Pipe()
	done := make(chan error, 1)
	go func() {
		_, err := r.in(context.Background(), call{args: t.args, in: inR, out: outW})
		if err == nil {
			err = io.EOF
		}
		_ = inR.Close()
		_ = outW.CloseWithError(err)
		done <- err
	}()
	t.born = time.Now() //nolint:forbidigo // the age of a process
	t.in, t.out, t.pipe, t.done = inW, bufio.NewReaderSize(outR, 64<<10), outR, done
	if t.idle == nil {
		t.idle = time.AfterFunc(talkIdle, func() {
			t.mu.Lock()
			defer t.mu.Unlock()
			_ = t.close()
		})
	}
	return nil
}

// close ends the process and says why it ended, if not because of this.
func (t *talk) close() error {
	if t.in == nil {
		return nil
	}
	_ = t.in.Close()
	_ = t.pipe.Close()
	err := <-t.done
	t.in = nil
	if _, ok := errors.AsType[*failure](err); ok {
		return err
	}
	return nil
}

// ask gives an object that is not a file of its own to use; see get.
func (r *Repo) ask(id string, use func(kind string, size int64, body io.Reader) error) error {
	t := &r.store.reader
	t.mu.Lock()
	defer t.mu.Unlock()
	head, err := t.ask(r, id+"\n")
	if err != nil { // for example one that somebody ended; a new one decides
		_ = t.close()
		head, err = t.ask(r, id+"\n")
	}
	if err != nil {
		return errors.Join(fmt.Errorf("git cat-file: %w", err), t.close())
	}
	f := strings.Fields(head)
	if len(f) == 2 && f[1] == "missing" {
		return fmt.Errorf("%s: %w", id, ErrMissing)
	}
	size := int64(-1)
	if len(f) == 3 {
		if n, numErr := strconv.ParseInt(f[2], 10, 64); numErr == nil {
			size = n
		}
	}
	if size < 0 {
		return errors.Join(fmt.Errorf("git cat-file: unknown answer %q", head), t.close())
	}
	body := io.LimitReader(t.out, size)
	useErr := use(f[1], size, body)
	if _, err = io.Copy(io.Discard, body); err == nil {
		_, err = t.out.Discard(1) // a newline follows the bytes
	}
	if err != nil {
		err = errors.Join(fmt.Errorf("git cat-file: %w", err), t.close())
	}
	return errors.Join(useErr, err)
}

// move carries out one command of "git update-ref --stdin -z" and reports whether git said that it was done. Where it did not,
// the ref has to be looked at.
func (r *Repo) move(command string) bool {
	t := &r.store.refs
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Since(t.born) > refsAge {
		_ = t.close()
	}
	begun, err := t.ask(r, "start\x00"+command+"commit\x00")
	done := ""
	if err == nil {
		done, err = t.out.ReadString('\n')
	}
	if err != nil || begun != "start: ok\n" || done != "commit: ok\n" {
		_ = t.close() // the one who says no has ended, too
		return false
	}
	return true
}
