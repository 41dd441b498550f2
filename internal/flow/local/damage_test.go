package local_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/flow/flowtest"
	"github.com/jacquard-build/jacquard/internal/flow/local"
)

func drive(t *testing.T, dir string, o flowtest.Options) (flow.Status, error) {
	t.Helper()
	rt, err := open(t.Context(), dir, o)
	if err != nil {
		return flow.Status{}, err
	}
	defer rt.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute) // it judges no speed
	defer cancel()
	return rt.Drive(ctx, "r1")
}

func copyTree(t *testing.T, from string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return to
}

// resumed drives a damaged copy to its end. The gate may have to be answered
// again, since the last transactions may be lost.
func resumed(t *testing.T, dir string, o flowtest.Options, want string) {
	t.Helper()
	st, err := drive(t, dir, o)
	if err == nil && st.State == flow.Waiting {
		rt, e := open(t.Context(), dir, o)
		if e != nil {
			t.Fatal(e)
		}
		defer rt.Close()
		if e := rt.Signal(t.Context(), "r1", flow.Signal{Verb: flow.Approve, Gate: "release", Tree: "t1"}); e != nil {
			t.Fatal(e)
		}
		st, err = drive(t, dir, o)
	}
	if err != nil || st.State != flow.Done || string(st.Out) != want {
		t.Fatalf("status = %s %s, %v, want done %s", st.State, st.Out, err, want)
	}
}

// TestTornWAL cuts and spoils the end of the write-ahead log of a killed
// driver, as a power cut may: the journal opens and the run goes on.
func TestTornWAL(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	want := flowtest.Weave(t, open, dir, 9)
	wal := filepath.Join(dir, "journal.db-wal")
	st, err := os.Stat(wal)
	if err != nil || st.Size() < 3*4096 {
		t.Fatalf("the killed driver left no log: %v %v", st, err)
	}
	const frame = 4096 + 24
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range 24 {
		cut := rnd.Int64N(min(st.Size()-32, 6*frame)) // bytes from the end
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			cp := copyTree(t, dir)
			path := filepath.Join(cp, "journal.db-wal")
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			at := len(raw) - int(cut) - 1
			if i%2 == 0 {
				raw = raw[:at]
			} else {
				for j := at; j < min(at+64, len(raw)); j++ {
					raw[j] ^= 0xa5
				}
			}
			if err := os.WriteFile(path, raw, 0o644); err != nil {
				t.Fatal(err)
			}
			o := flowtest.WeaveOptions(cp)
			resumed(t, cp, o, want)
		})
	}
}

func TestDamagedJournal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	flowtest.Weave(t, open, dir, 9)
	for name, spoil := range map[string]func(raw []byte) []byte{
		"not a database": func(raw []byte) []byte { return append([]byte("hello, world\n"), raw[13:]...) },
		"header": func(raw []byte) []byte {
			copy(raw[16:100], strings.Repeat("\xff", 84))
			return raw
		},
		"pages": func(raw []byte) []byte {
			for i := 100; i < len(raw); i++ {
				raw[i] = 0x5a
			}
			return raw
		},
		"half":  func(raw []byte) []byte { return raw[:len(raw)/2] },
		"empty": func([]byte) []byte { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cp := copyTree(t, dir)
			o := flowtest.WeaveOptions(cp)
			// An open and a close move everything from the log to the file.
			rt, err := open(t.Context(), cp, o)
			if err != nil {
				t.Fatal(err)
			}
			if err = rt.Close(); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(cp, "journal.db")
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, spoil(raw), 0o644); err != nil {
				t.Fatal(err)
			}
			if st, err := drive(t, cp, o); !errors.Is(err, flow.ErrDamaged) {
				t.Errorf("drive = %+v, %v, want ErrDamaged", st, err)
			}
		})
	}
}

// TestFence lets a second driver in by taking the lock file away: the first
// one writes nothing any more.
func TestFence(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	step := flow.Step[string, string]{Name: "x"}
	w := flow.Workflow[any, string]{Name: "w", Fn: func(c *flow.Ctx, _ any) (string, error) { return flow.Do(c, "a", step, "a") }}
	atWork, release := make(chan struct{}), make(chan struct{})
	slow := flow.Handle(step, func(_ context.Context, _ flow.Job, _ string) (string, error) {
		close(atWork)
		<-release
		return "by the first", nil
	})
	quick := flow.Handle(step, func(context.Context, flow.Job, string) (string, error) { return "by the second", nil })
	first, err := local.Open(t.Context(), local.Options{Dir: dir, Workflows: []flow.Runnable{w}, Handlers: []flow.Handler{slow}})
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if err = first.Start(t.Context(), flow.NewRun{ID: "r1", Def: "w"}); err != nil {
		t.Fatal(err)
	}
	lost := make(chan error, 1)
	go func() {
		_, e := first.Drive(t.Context(), "r1")
		lost <- e
	}()
	<-atWork
	if err = os.Remove(filepath.Join(dir, "runs", "r1.lock")); err != nil {
		t.Fatal(err)
	}
	second, err := local.Open(t.Context(), local.Options{Dir: dir, Workflows: []flow.Runnable{w}, Handlers: []flow.Handler{quick}})
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	st, err := second.Drive(t.Context(), "r1")
	if err != nil || string(st.Out) != `"by the second"` {
		t.Errorf("second driver: %s, %v", st.Out, err)
	}
	close(release)
	var driven *flow.DrivenError
	if err = <-lost; !errors.As(err, &driven) {
		t.Errorf("first driver: %v, want DrivenError", err)
	}
	rows, err := second.Steps(t.Context(), "r1")
	if err != nil || len(rows) != 1 || string(rows[0].Out) != `"by the second"` {
		t.Errorf("steps = %+v, %v", rows, err)
	}
}

// TestFolders opens journals in folders whose names mean something in a URI,
// by several at once.
func TestFolders(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"plain", "with space", "50%41 off?#x", "[b]&c=d", "요구사항"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), name)
			var wg sync.WaitGroup
			for i := range 4 {
				wg.Go(func() {
					rt, err := local.Open(t.Context(), local.Options{Dir: dir})
					if err != nil {
						t.Errorf("open %d: %v", i, err)
						return
					}
					if _, err := rt.Runs(t.Context()); err != nil {
						t.Errorf("runs: %v", err)
					}
					if err := rt.Close(); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			var got []string
			err := fs.WalkDir(os.DirFS(filepath.Dir(dir)), ".", func(p string, d fs.DirEntry, err error) error {
				// Who closes last removes its log, unless all close at once.
				if err == nil && !d.IsDir() && p != name+"/journal.db-wal" && p != name+"/journal.db-shm" {
					got = append(got, p)
				}
				return err
			})
			if err != nil || len(got) != 1 || got[0] != name+"/journal.db" {
				t.Errorf("files = %q, %v", got, err)
			}
		})
	}
}

func TestNewerJournal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rt, err := local.Open(t.Context(), local.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err = rt.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "journal.db")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	raw[63] = 99 // user_version, big endian, at offset 60
	if err = os.WriteFile(path, raw, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = local.Open(t.Context(), local.Options{Dir: dir})
	if flow.ClassOf(err) != flow.Environment || !strings.Contains(err.Error(), "newer version") {
		t.Errorf("open = %v, want environment: newer version", err)
	}
}
