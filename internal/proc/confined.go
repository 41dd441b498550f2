package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/jacquard-build/jacquard/internal/confine"
)

// sandbox is the stage of a confined command; nil for one that is not confined.
type sandbox struct {
	stage *confine.Stage
	door  int // the port that serve is for
	serve func(net.Listener)
	doors []net.Listener
	wg    sync.WaitGroup
	once  sync.Once
}

// confined puts the stage into the place of the command.
func confined(cmd *exec.Cmd, p *confine.Policy) (*sandbox, error) {
	stage, err := confine.Start(*p, cmd.Path, cmd.Args, cmd.Dir, cmd.Env)
	if err != nil {
		return nil, err
	}
	return staged(cmd, stage), nil
}

func staged(cmd *exec.Cmd, stage *confine.Stage) *sandbox {
	cmd.Path, cmd.Dir, cmd.Args, cmd.Env = stage.Program()
	if f := stage.File(); f != nil {
		cmd.ExtraFiles = []*os.File{f}
	}
	stage.Attributes(cmd.SysProcAttr)
	return &sandbox{stage: stage}
}

// begin returns when the command runs, or with the step that failed.
func (s *sandbox) begin() error {
	if s == nil {
		return nil
	}
	if err := s.stage.Begin(); err != nil {
		return err
	}
	for port, f := range s.stage.Listeners() {
		l, err := net.FileListener(f)
		_ = f.Close()
		if err != nil {
			return fmt.Errorf("take a listener of the sandbox: %w", err)
		}
		s.doors = append(s.doors, l)
		s.wg.Go(func() {
			if s.serve != nil && port == s.door {
				s.serve(l)
				return
			}
			forward(l, port)
		})
	}
	return nil
}

// end says how the command itself ended, once its stage is over.
func (s *sandbox) end(res *Result) {
	if s == nil {
		return
	}
	if e, ok := s.stage.End(); ok {
		res.Exit, res.Signal, res.Limit, res.Left, res.Used = e.Exit, "", e.Limit, e.Left, e.Used
		if e.Signal != 0 {
			res.Signal = signalName(e.Signal)
		}
	}
	s.close()
}

// close ends the stage and everything that went through its doors.
func (s *sandbox) close() {
	if s == nil {
		return
	}
	s.once.Do(func() {
		for _, l := range s.doors {
			_ = l.Close()
		}
		s.stage.Close()
		s.wg.Wait()
	})
}

// forward carries connections that were made inside to the port of the same number outside.
func forward(l net.Listener, port int) {
	var wg sync.WaitGroup
	defer wg.Wait()
	for {
		in, err := l.Accept()
		if err != nil {
			return
		}
		wg.Go(func() {
			defer in.Close() //nolint:errcheck // what was not said by now is lost
			out, err := (&net.Dialer{Timeout: 10 * time.Second}).DialContext(context.Background(), "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
			if err != nil {
				return
			}
			defer out.Close() //nolint:errcheck // as above
			wg.Go(func() { pass(in, out) })
			pass(out, in)
		})
	}
}

// pass copies one direction. The end of it is told, and the other direction goes on.
func pass(from, to net.Conn) {
	_, err := io.Copy(to, from)
	if half, ok := to.(interface{ CloseWrite() error }); ok && err == nil {
		_ = half.CloseWrite()
		return
	}
	_, _ = from.Close(), to.Close()
}

// ProbeSandbox makes a sandbox of a policy and has it try to get out: read and write outside, reach a service, see processes, get
// rights. The error says which step cannot be done on this machine. dir is a folder for what it needs.
func ProbeSandbox(ctx context.Context, dir string, policy confine.Policy) error {
	work, err := os.MkdirTemp(dir, "sandbox-probe-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work) //nolint:errcheck // it is temporary
	at := func(name string) string { return filepath.Join(work, name) }
	bait := confine.Bait{File: at("bait"), Write: at("written"), Work: at("work")}
	err = os.WriteFile(bait.File, []byte("bait"), 0o600)
	for _, folder := range []string{bait.Work, at("cache"), at("changes")} {
		err = errors.Join(err, os.Mkdir(folder, 0o700))
	}
	if err != nil {
		return err
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer l.Close() //nolint:errcheck // nobody is to come
	if addr, ok := l.Addr().(*net.TCPAddr); ok {
		bait.Port = addr.Port
	}
	if policy.Names(work) { // a person lets it be read: nothing there is kept from it
		bait.File, bait.Write = "", ""
	}
	policy.Write = append(slices.Clone(policy.Write), bait.Work)
	if !policy.Copies() {
		bait.Cache = at("cache")
		policy.Overlays = append(slices.Clone(policy.Overlays), confine.Overlay{Path: bait.Cache, Upper: at("changes")})
	}
	if policy.Partial { // else all ports can be reached
		policy.Door = policy.FreeDoor()
	}
	stage, err := confine.StartTest(policy, bait)
	if err != nil {
		return err
	}
	cmd := &exec.Cmd{}
	configure(cmd)
	s := staged(cmd, stage)
	defer s.close()
	if err := begin("", func() (int, error) {
		if err := cmd.Start(); err != nil {
			return 0, stage.NotStarted(err)
		}
		return cmd.Process.Pid, nil
	}); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	defer stop()
	err = s.begin() //nolint:contextcheck // nothing is behind its door
	if failed := cmd.Wait(); err == nil && failed != nil {
		err = &confine.StepError{Step: "self-test", Err: failed}
	}
	over("", cmd.Process.Pid)
	for _, path := range []string{bait.Write, filepath.Join(at("cache"), confine.ProbeFile)} {
		if _, wrote := os.Lstat(path); err == nil && wrote == nil {
			return &confine.StepError{Step: "self-test: write a file outside", Err: errors.New("it worked")}
		}
	}
	return err
}
