package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"
)

// readerIdle is how long a reader lives that nobody asks.
const readerIdle = 5 * time.Second

// reader is one "git cat-file --batch" that answers one question after the other. It is
// started at the first question and ends when it is not asked any more, or when this
// process ends, because its input ends then.
type reader struct {
	mu   sync.Mutex
	in   *io.PipeWriter
	out  *bufio.Reader
	pipe *io.PipeReader
	done chan error
	idle *time.Timer
}

func (b *reader) get(r *Repo, id string, use func(kind string, size int64, body io.Reader) error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	head, err := b.ask(r, id)
	if err != nil { // for example one that somebody ended; a new one decides
		_ = b.close()
		head, err = b.ask(r, id)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("git cat-file: %w", err), b.close())
	}
	b.idle.Reset(readerIdle)
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
		return errors.Join(fmt.Errorf("git cat-file: unknown answer %q", head), b.close())
	}
	body := io.LimitReader(b.out, size)
	useErr := use(f[1], size, body)
	if _, err = io.Copy(io.Discard, body); err == nil {
		_, err = b.out.Discard(1) // a newline follows the bytes
	}
	if err != nil {
		err = errors.Join(fmt.Errorf("git cat-file: %w", err), b.close())
	}
	return errors.Join(useErr, err)
}

func (b *reader) ask(r *Repo, id string) (string, error) {
	if b.in == nil {
		b.start(r)
	}
	if _, err := io.WriteString(b.in, id+"\n"); err != nil {
		return "", err
	}
	return b.out.ReadString('\n')
}

func (b *reader) start(r *Repo) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan error, 1)
	go func() {
		_, err := r.in(context.Background(), call{args: []string{"cat-file", "--batch"}, in: inR, out: outW})
		if err == nil {
			err = io.EOF
		}
		_ = inR.CloseWithError(err)
		_ = outW.CloseWithError(err)
		done <- err
	}()
	b.in, b.out, b.pipe, b.done = inW, bufio.NewReaderSize(outR, 64<<10), outR, done
	if b.idle == nil {
		b.idle = time.AfterFunc(readerIdle, func() {
			b.mu.Lock()
			defer b.mu.Unlock()
			_ = b.close()
		})
	}
}

// Close ends what the repository keeps running to answer questions. It can be asked on.
func (r *Repo) Close() error {
	b := &r.store.reader
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.close()
}

// close ends the process and says why it ended, if not because of this.
func (b *reader) close() error {
	if b.in == nil {
		return nil
	}
	_ = b.in.Close()
	_ = b.pipe.Close()
	err := <-b.done
	b.in = nil
	var f *failure
	if errors.As(err, &f) {
		return err
	}
	return nil
}
