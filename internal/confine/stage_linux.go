//go:build linux && (amd64 || arm64)

package confine

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// control is the stage's descriptor of its socket.
const control = 3

// init is the stage. It acts before the packages of the program are there, which would cost more than the sandbox, and in every
// program that can start processes, tests too. What it must never do is return.
func init() { //nolint:gochecknoinits // the stage has to act before main
	if len(os.Args) != 1 || (os.Args[0] != stageName || os.Getpid() != 1) && os.Args[0] != partialName {
		return
	}
	// What is given up is given up by this thread, and the command is forked from it. A program with C libraries could not do
	// so for all threads.
	runtime.LockOSThread()
	stage()
}

// failure is a step that did not work.
type failure struct {
	step string
	err  error
	exec bool
}

func (f failure) Error() string { return f.step }

// must ends the stage unless err is nil.
func must(step string, err error) {
	if err != nil {
		panic(failure{step: step, err: err})
	}
}

func stage() {
	defer func() {
		f, ok := recover().(failure)
		if !ok {
			f = failure{step: "make the sandbox", err: errors.New("the stage broke")}
		}
		r := report{Step: f.step, Text: f.err.Error(), Exec: f.exec}
		var no syscall.Errno
		if errors.As(f.err, &no) {
			r.Errno = int(no)
		}
		tell(r)
		unix.Exit(125)
	}()
	unix.CloseOnExec(control)
	o := hear()
	if o.Partial {
		partial(o)
	}
	// Signals are meant for the command, which has the same group.
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2)
	files := &view{o: o}
	files.make()
	if !o.Network {
		must("bring the loopback interface up", loopbackUp())
	}
	passListeners(o.Ports)
	must("go to "+o.Dir, os.Chdir(o.Dir))
	makeThreads() // before there may be few
	limit(o.Limits)
	dropRights()
	must("forbid reading the stage", unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0))
	landlock(grants{read: []string{"/"}, write: files.writable()})
	must("filter system calls", filter(rules()))
	if o.Test != nil {
		o.Test.run(false)
		tell(report{})
		tell(report{Ended: &Ended{}})
		unix.Exit(0)
	}
	began := now().Add(-10 * time.Millisecond) // clocks of file systems are coarse
	pid, err := syscall.ForkExec(o.Path, o.Argv, &syscall.ProcAttr{Env: o.Env, Files: []uintptr{0, 1, 2}})
	if err != nil {
		panic(failure{step: "start " + o.Path, err: err, exec: true})
	}
	// The command alone holds its streams: who reads them sees them end with it.
	for fd := range 3 {
		_ = unix.Close(fd)
	}
	tell(report{})
	ended := make(chan string, 2)
	go whenDriverDies()
	w := &watcher{limits: o.Limits, places: watched(o), began: began, ended: ended}
	go w.watch()
	wait(pid, w, ended)
}

// makeThreads has the runtime make more threads than the stage ever needs at once. They stay: when the command has used up all processes
// no other can be made, and the runtime gives up where it wants one.
func makeThreads() {
	const enough = 8
	var made sync.WaitGroup
	made.Add(enough)
	enter := make(chan struct{})
	for range enough {
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			made.Done()
			<-enter
		}()
	}
	made.Wait()
	close(enter)
}

// wait collects the children that end here, and ends the sandbox with the command.
func wait(command int, w *watcher, ended chan string) {
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, 0, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		must("wait for the command", err)
		if pid != command {
			continue
		}
		e := Ended{Exit: status.ExitStatus(), Left: others()}
		if status.Signaled() {
			e.Exit, e.Signal = -1, int(status.Signal())
		}
		select {
		case e.Limit = <-ended:
		default:
			switch {
			case e.Exit == 0:
			case w.limits.File > 0 && (e.Signal == int(unix.SIGXFSZ) || e.Exit == 128+int(unix.SIGXFSZ)): // also as a shell tells it
				e.Limit = Over("file", w.limits.File, w.limits.File)
			default: // what it was refused may have been the end of it
				e.Limit = w.full()
			}
		}
		e.Used = w.used()
		tell(report{Ended: &e})
		unix.Exit(0) // the kernel ends everything that is left
	}
}

// whenDriverDies ends the sandbox when nobody holds the other end of the socket any more.
func whenDriverDies() {
	var b [1]byte
	for {
		n, err := unix.Read(control, b[:])
		if n == 0 && err == nil || err != nil && !errors.Is(err, unix.EINTR) {
			unix.Exit(124)
		}
	}
}

// hear reads the order.
func hear() order {
	var all []byte
	buf := make([]byte, 64<<10)
	for !bytes.HasSuffix(all, []byte("\n")) {
		n, err := unix.Read(control, buf)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if n <= 0 || err != nil {
			unix.Exit(124) // nobody is there to be told
		}
		all = append(all, buf[:n]...)
	}
	var o order
	must("read the order", json.Unmarshal(all, &o))
	return o
}

func tell(r report) {
	b, err := json.Marshal(r)
	if err != nil {
		unix.Exit(125)
	}
	for b = append(b, '\n'); len(b) > 0; {
		n, err := unix.Write(control, b)
		if err != nil && !errors.Is(err, unix.EINTR) {
			unix.Exit(124)
		}
		b = b[max(n, 0):]
	}
}

// loopbackUp gives the command a network of its own with nothing but itself.
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd) //nolint:errcheck // nothing was written
	req, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	req.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, req)
}

// passListeners makes sockets that listen inside and gives them to the driver: there is no bridge that others could use.
func passListeners(ports []int) {
	if len(ports) == 0 {
		return
	}
	var fds []int
	for _, port := range ports {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		must("make a listener", err)
		must("make a listener", unix.Bind(fd, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}))
		must("make a listener", unix.Listen(fd, 128))
		fds = append(fds, fd)
	}
	// A space is no part of a report and none of it gets lost.
	must("pass listeners", unix.Sendmsg(control, []byte(" "), unix.UnixRights(fds...), nil, 0))
	for _, fd := range fds {
		_ = unix.Close(fd)
	}
}
