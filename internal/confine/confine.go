// Package confine is the sandbox that commands run in: what of the machine a command sees, may change and can reach.
//
// The sandbox is made by this very program, which is started again as a stage: it becomes the first process of namespaces of
// its own, builds a file system of what the policy names, gives up every right that it has, and starts the command. No other
// program is needed, no privilege, and nothing has to be set up before. Linux only; elsewhere Start says Unsupported.
package confine

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Level says who keeps what is run from the rest of the machine.
type Level string

// The levels.
const (
	Full    Level = "full"    // this package does
	Partial Level = "partial" // this package does so for files, and for what agents reach
	Outside Level = "outside" // the user vouches for a container or a virtual machine around the whole program
	Off     Level = "off"     // nobody does
)

// Levels are all levels, the strongest first.
var Levels = []Level{Full, Partial, Outside, Off}

// ParseLevel reads a level as people write it.
func ParseLevel(s string) (Level, error) {
	for _, l := range Levels {
		if s == string(l) {
			return l, nil
		}
	}
	return "", fmt.Errorf("no sandbox level %q: it is full, partial, outside or off", s)
}

// Serves reports whether who wants a level is content with l: with the same and with full.
func (l Level) Serves(want Level) bool { return l == want || l == Full || want == Off }

// Policy says what a command may do. Everything that it does not name is not there for the command. All paths are absolute.
// What the system itself has (/usr, parts of /etc, /proc of its own processes, a few devices) is there to be read.
type Policy struct {
	// Partial is to do without namespaces. What the command then sees and shares of the machine besides: names and attributes of
	// files, command lines of processes, /dev/shm; without Door, the network. Unix sockets, terminals and /tmp are not there.
	// Of Limits only Output and File hold. It is not there for Sockets.
	Partial bool
	// Read are files and folders that can be read and executed. One that does not exist is left out.
	Read []string
	// Write are those that can be changed as well. They have to exist.
	Write []string
	// Overlays are folders that look changeable, while their changes are kept elsewhere.
	Overlays []Overlay
	// Network is whether the command has the network of the machine. Without it, it has a loopback interface of its own.
	Network bool
	// Ports are ports of this machine's loopback interface that can be reached without Network all the same, at the same address.
	Ports []int
	// Door is a port at which a listener waits inside that who starts the command serves by itself; 0 is none. Nothing outside
	// listens for it, so no other process of the machine can use it.
	Door int
	// Sockets are Unix sockets that can be connected to, by their paths. One that is not there is left out.
	Sockets []string
	// Limits bound what the command and all that it starts use together.
	Limits Limits
}

// Copies reports whether a command has copies in place of Overlays.
func (p *Policy) Copies() bool { return p != nil && (p.Partial || Default != Full) }

// Names reports whether a command may read path because it, or a folder that it is in, is in Read or Write.
func (p *Policy) Names(path string) bool {
	return slices.ContainsFunc(slices.Concat(p.Read, p.Write), func(dir string) bool { return within(resolved(dir), resolved(path)) })
}

// resolved is a path as the kernel knows it.
func resolved(at string) string {
	if real, err := filepath.EvalSymlinks(at); err == nil {
		return real
	}
	return at
}

// ProbeFile is what a self-test calls the files that it writes.
const ProbeFile = "sandbox-probe"

// Overlay is a folder of which the command sees a copy that costs nothing: what it changes is written to Upper.
type Overlay struct {
	Path string
	// Upper is an empty folder, or one that an earlier command with the same overlay has used, on a file system that may be
	// an upper layer. "" is memory, forgotten with the command.
	Upper string
	// Copy has the command find a copy below Upper, by the variables of its environment that name Path, where no overlay can be
	// had: new files can be made there, and others replaced. Without it the folder can only be read.
	Copy bool
}

// Limits bound a command; 0 means no limit, but for Temp.
type Limits struct {
	Memory    int64 // bytes that all processes use together, looked at ten times a second
	Disk      int64 // bytes of files that the command has written, looked at twice a second
	Output    int64 // bytes that the command prints; who starts it looks
	Processes int   // processes and threads; not less than 301 where only the kernel's own table can be bounded
	File      int64 // bytes of one file
	Temp      int64 // bytes of each of /tmp, /var/tmp and /dev/shm, which are memory; 0 = half of the machine's
}

// Over says that a command was ended by the limit of a name, in bytes or processes: the name, and what people read.
func Over(limit string, used, most int64) string {
	what := map[string]string{
		"memory": "of memory", "disk": "written to disk", "output": "of output", "file": "in one file", "temp": "of temporary files",
	}[limit]
	switch limit {
	case "pids":
		return fmt.Sprintf("%s: as many as %d processes and threads (%d)", limit, most, used)
	case "file", "temp": // which the kernel does not let it exceed
		return fmt.Sprintf("%s: more than %s %s", limit, size(most), what)
	}
	return fmt.Sprintf("%s: more than %s %s (%s)", limit, size(most), what, size(used))
}

// size is a number of bytes as people say it.
func size(n int64) string {
	for _, u := range []struct {
		name string
		of   int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if n >= u.of {
			return strings.TrimSuffix(strconv.FormatFloat(float64(n)/float64(u.of), 'f', 1, 64), ".0") + " " + u.name
		}
	}
	return strconv.FormatInt(n, 10) + " bytes"
}

// usualDoor lies below the ports that the kernel gives to who asks for any: what is tested may.
const usualDoor = 25_777

// Between these nobody is given a port by the kernel, so one that is free stays so for the moment until it is opened.
const (
	leastDoor = 20_000
	mostDoor  = 32_768
)

// FreeDoor is a port for a door beside Ports: one that is free on this machine where the command has no loopback interface of its own.
func (p Policy) FreeDoor() int {
	door := usualDoor
	taken := func() bool { return false }
	if p.Copies() { // nor namespaces: by somebody else
		door = leastDoor + rand.IntN(mostDoor-leastDoor) //nolint:gosec // two at a time should not try the same
		taken = func() bool {
			// A listener that tries would live on in a child that begins now, until that is executed.
			c, err := net.DialTimeout("tcp4", loopback(door).String(), 200*time.Millisecond) //nolint:noctx // it has its own limit
			if err == nil {
				_ = c.Close()
			}
			return err == nil
		}
	}
	for tries := 0; slices.Contains(p.Ports, door) || tries < 100 && taken(); tries++ {
		door++
	}
	return door
}

func loopback(port int) *net.TCPAddr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port} }

// door is what listens at a port of this machine's loopback interface, for a command that has none of its own.
func door(port int) (*os.File, error) {
	l, err := net.ListenTCP("tcp4", loopback(port))
	if err != nil {
		return nil, &StepError{"make a listener", err}
	}
	defer l.Close() //nolint:errcheck // its copy goes on
	f, err := l.File()
	if err != nil {
		return nil, &StepError{"make a listener", err}
	}
	return f, nil
}

// ErrUnsupported says that this system has no sandbox that this package can make.
var ErrUnsupported = errors.New("there is no sandbox for this system: only Linux on amd64 and arm64 has one")

// StepError says which step of making a sandbox has failed. Nothing of the command has run.
type StepError struct {
	Step string // what was being done, such as "mount /proc"
	Err  error
}

func (e *StepError) Error() string { return "sandbox: " + e.Step + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *StepError) Unwrap() error { return e.Err }

// Ended is how a confined command came to its end.
type Ended struct {
	Exit   int    // its exit code, -1 after a signal
	Signal int    // the number of the signal that ended it
	Limit  string // the limit of the policy that ended it, as Over says it; "" for none
	Left   int    // how many processes it left, which ended with it
	Used   Used
}

// Used is the most that a command has used at once, as far as it was seen: 0 for one that was over too soon.
type Used struct {
	Memory    int64 // bytes
	Processes int   // and threads
}

// Inside reports whether this very program runs in a sandbox that this package has made, on Linux.
func Inside() bool {
	first, err := os.ReadFile("/proc/1/cmdline")
	return err == nil && strings.TrimRight(string(first), "\x00") == stageName
}

// stageName is the name that the stage is started by. No program is called so.
const stageName = "jacquard: sandbox"

// AppArmorRule is where Ubuntu says that it lets only programs with a profile make user namespaces: 1.
const AppArmorRule = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns"

// AppArmorProfile is what lets the program at path make user namespaces under AppArmorRule, and changes nothing else for it.
func AppArmorProfile(path string) string {
	return "abi <abi/4.0>,\ninclude <tunables/global>\n\nprofile jacquard " + strconv.Quote(path) + " flags=(unconfined) {\n  userns,\n  include if exists <local/jacquard>\n}\n"
}
