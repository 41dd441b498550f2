//go:build linux && (amd64 || arm64)

package confine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// order is what the stage is told: through a socket, so that nobody reads it in the table of processes.
type order struct {
	Partial  bool
	Argv     []string
	Path     string
	Dir      string
	Env      []string
	Binds    []bind
	Links    map[string]string // symbolic links, by the place where they are
	Overlays []Overlay
	Network  bool
	Ports    []int
	Limits   Limits
	Test     *selfTest
}

// report is what the stage says: first whether the command runs, then how it ended.
type report struct {
	Step  string // that failed; "" = the command runs
	Errno int    // of it
	Text  string // of it, where there is no number
	Exec  bool   // the program itself could not be started
	Ended *Ended
}

// Stage is one start of a confined command.
type Stage struct {
	order   order
	ours    *os.File
	theirs  *os.File
	rest    []byte
	sockets []int
	door    int // of a partial sandbox, which is ours
	opened  *os.File
}

// Start prepares a command: the program at path with its arguments, folder and environment. What it gives back has to be closed.
func Start(p Policy, path string, argv []string, dir string, env []string) (*Stage, error) {
	var err error
	if p.Partial {
		if env, err = p.copies(env); err != nil {
			return nil, err
		}
	}
	o, err := p.order()
	if err != nil {
		return nil, err
	}
	o.Path, o.Argv, o.Dir, o.Env = path, argv, dir, env
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, &StepError{"make a socket for the stage", err}
	}
	if err := unix.SetNonblock(pair[0], true); err != nil { // reads of it wait in the runtime, not in a thread
		return nil, &StepError{"make a socket for the stage", err}
	}
	return &Stage{order: o, door: p.Door, ours: os.NewFile(uintptr(pair[0]), "sandbox"), theirs: os.NewFile(uintptr(pair[1]), "sandbox")}, nil
}

// Program is what has to be started in place of the command, and in which folder, with File as its only further descriptor.
func (s *Stage) Program() (path, dir string, argv, env []string) {
	name := stageName
	if s.order.Partial {
		name = partialName
	}
	return "/proc/self/exe", "/", []string{name}, []string{"GOGC=off", "GOTRACEBACK=none"}
}

// File is the stage's end of its socket. It becomes descriptor 3.
func (s *Stage) File() *os.File { return s.theirs }

// Attributes adds to those of a process what gives it namespaces of its own.
func (s *Stage) Attributes(a *syscall.SysProcAttr) {
	if s.order.Partial {
		return
	}
	a.Cloneflags |= unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP
	if !s.order.Network {
		a.Cloneflags |= unix.CLONE_NEWNET
	}
	// Ids are the same inside and outside, and there are no others.
	a.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
	a.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
	a.GidMappingsEnableSetgroups = false
	// Without these a user other than root would lose them when the stage is executed. They hold in the new namespaces only.
	a.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_DAC_OVERRIDE, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP, unix.CAP_SYS_RESOURCE}
}

// NotStarted explains why the stage could not even be started.
func (s *Stage) NotStarted(err error) error {
	step := "make namespaces"
	if strings.Contains(err.Error(), "_map") {
		step = "write uid_map of a new user namespace"
	}
	return &StepError{step, err}
}

// Begin tells the stage its order and returns when the command runs. The error is a StepError, or that of starting the program.
func (s *Stage) Begin() (err error) {
	_ = s.theirs.Close()
	if s.order.Partial && s.door != 0 {
		if s.opened, err = door(s.door); err != nil {
			return err
		}
	}
	b, err := json.Marshal(s.order)
	if err != nil {
		return &StepError{"describe the sandbox", err}
	}
	if _, err := s.ours.Write(append(b, '\n')); err != nil {
		return &StepError{"start the stage", err}
	}
	r, err := s.next()
	if err == nil && r.Step == "" && s.order.Partial && s.order.Test == nil { // the command takes the place of the stage, which then says no more
		if r, err = s.next(); errors.Is(err, io.EOF) {
			return nil
		}
	}
	switch {
	case err != nil:
		return &StepError{"start the stage", err}
	case r.Step == "":
		return nil
	case r.Exec:
		return s.notRun(syscall.Errno(r.Errno)) //nolint:gosec // an errno is small
	case r.Errno != 0:
		return &StepError{r.Step, syscall.Errno(r.Errno)} //nolint:gosec // an errno is small
	}
	return &StepError{r.Step, errors.New(r.Text)}
}

// notRun explains why the program did not start. One that is there for us and not for the command is no missing program.
func (s *Stage) notRun(err syscall.Errno) error {
	if _, missing := os.Stat(s.order.Path); (err == syscall.ENOENT || s.order.Partial && err == syscall.EACCES) && missing == nil && !s.order.sees(s.order.Path) {
		return &StepError{"start " + s.order.Path, errors.New("the program is not in the sandbox; name its folder under `sandbox: {read: […]}`")}
	}
	return &os.PathError{Op: "fork/exec", Path: s.order.Path, Err: err}
}

// End waits until the command is over and says how it ended. The stage that was killed itself says nothing: ok is false.
func (s *Stage) End() (e Ended, ok bool) {
	r, err := s.next()
	if err != nil || r.Ended == nil {
		return Ended{}, false
	}
	return *r.Ended, true
}

// Listeners are the sockets that listen inside, by their ports. They belong to the caller; known after Begin.
func (s *Stage) Listeners() map[int]*os.File {
	out := map[int]*os.File{}
	if s.opened != nil {
		out[s.door], s.opened = s.opened, nil
	}
	for i, fd := range s.sockets {
		_ = unix.SetNonblock(fd, true)
		out[s.order.Ports[i]] = os.NewFile(uintptr(fd), fmt.Sprintf("port %d", s.order.Ports[i])) //nolint:gosec // a descriptor
	}
	s.sockets = nil
	return out
}

// Close ends the stage, if it still runs, and everything in its sandbox.
func (s *Stage) Close() {
	_, _ = s.ours.Close(), s.theirs.Close()
	if s.opened != nil {
		_ = s.opened.Close()
	}
	for _, fd := range s.sockets {
		_ = unix.Close(fd)
	}
	runtime.KeepAlive(s)
}

// next reads one line of the stage, and keeps the sockets that come with it.
func (s *Stage) next() (report, error) {
	for {
		for i, c := range s.rest {
			if c == '\n' {
				var r report
				err := json.Unmarshal(s.rest[:i], &r)
				s.rest = s.rest[i+1:]
				return r, err
			}
		}
		if err := s.more(); err != nil {
			return report{}, err
		}
	}
}

func (s *Stage) more() error {
	conn, err := s.ours.SyscallConn()
	if err != nil {
		return err
	}
	buf, oob := make([]byte, 4096), make([]byte, unix.CmsgSpace(4*maxPorts))
	var n, rights int
	var failed error
	if err := conn.Read(func(fd uintptr) bool {
		n, rights, _, _, failed = unix.Recvmsg(int(fd), buf, oob, unix.MSG_CMSG_CLOEXEC) //nolint:gosec // a descriptor
		return !errors.Is(failed, unix.EAGAIN)
	}); err != nil {
		return err
	}
	if failed != nil {
		return failed
	}
	messages, err := unix.ParseSocketControlMessage(oob[:rights])
	for _, m := range messages {
		if fds, err := unix.ParseUnixRights(&m); err == nil {
			s.sockets = append(s.sockets, fds...)
		}
	}
	if n == 0 {
		return io.EOF
	}
	s.rest = append(s.rest, buf[:n]...)
	return err
}
