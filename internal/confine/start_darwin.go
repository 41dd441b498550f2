package confine

import (
	"os"
	"slices"
	"syscall"
)

// Default is the level where nobody has said one: the sandbox of macOS was not tried yet.
const Default = Off

// Stage is one start of a command by sandbox-exec. Its processes are seen and swept like those of a command without a sandbox, and
// Limits other than output do not hold.
type Stage struct {
	argv, env []string
	dir       string
	door      int
	listener  *os.File
}

// Start prepares a command: the program at path with its arguments and environment. What it gives back has to be closed.
func Start(p Policy, path string, argv []string, dir string, env []string) (*Stage, error) {
	if _, err := os.Stat(sandboxExec); err != nil {
		return nil, &StepError{"find sandbox-exec", err}
	}
	p.Overlays = slices.Clone(p.Overlays)
	for _, list := range []*[]string{&p.Read, &p.Write, &p.Sockets} {
		real := make([]string, len(*list))
		for i, at := range *list {
			real[i] = resolved(at)
		}
		*list = real
	}
	for i, l := range p.Overlays {
		p.Overlays[i].Path = resolved(l.Path)
	}
	env, err := p.copies(env)
	if err != nil {
		return nil, err
	}
	s := &Stage{argv: append([]string{sandboxExec, "-p", Seatbelt(p), path}, argv[min(1, len(argv)):]...), env: env, dir: dir, door: p.Door}
	return s, nil
}

const sandboxExec = "/usr/bin/sandbox-exec"

// Layers is what keeps a command in.
func Layers(bool) []string { return []string{"Seatbelt"} }

// StartTest prepares a command that tries to get out: it ends with 0 when nothing but what is allowed works.
func StartTest(p Policy, b Bait) (*Stage, error) {
	script := `echo >"$1/probe" || exit 3; if test -n "$2"; then cat "$2" && exit 4; echo >"$3" && exit 5; fi; echo >/usr/local/jacquard-probe && exit 6; exit 0`
	s, err := Start(p, "/bin/sh", []string{"sh", "-c", script, "sh", b.Work, b.File, b.Write}, "/", nil)
	return s, err
}

// Program is what has to be started in place of the command, and in which folder.
func (s *Stage) Program() (path, dir string, argv, env []string) {
	return sandboxExec, s.dir, s.argv, s.env
}

// File is nothing: the stage is told all by its arguments.
func (s *Stage) File() *os.File { return nil }

// Attributes changes nothing.
func (s *Stage) Attributes(*syscall.SysProcAttr) {}

// NotStarted explains why sandbox-exec could not be started.
func (s *Stage) NotStarted(err error) error { return &StepError{"start sandbox-exec", err} }

// Begin opens the door.
func (s *Stage) Begin() (err error) {
	if s.door != 0 {
		s.listener, err = door(s.door)
	}
	return err
}

// End knows nothing that the process does not say itself.
func (s *Stage) End() (Ended, bool) { return Ended{}, false }

// Listeners is that of the door. It belongs to the caller; known after Begin.
func (s *Stage) Listeners() map[int]*os.File {
	if s.listener == nil {
		return nil
	}
	return map[int]*os.File{s.door: s.listener}
}

// Close does nothing: what runs is ended like any other command.
func (s *Stage) Close() {}

// Bait is what a self-test tries to get from inside.
type Bait struct {
	File  string // a file that exists outside; "" where the policy lets it be read
	Write string // a file that does not exist outside; "" as above
	Port  int    // somebody listens there on the loopback interface, which cannot be kept from a command
	Work  string // a folder that the policy lets it write
	Cache string // none here
}
