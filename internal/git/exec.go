package git

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/jacquard-build/jacquard/internal/proc"
)

// tool is the git program with the environment it gets.
type tool struct {
	bin string
	env []string
}

// call is one run of git.
type call struct {
	dir    string
	args   []string
	env    []string // beside the tool's
	in     io.Reader
	out    io.Writer // instead of the returned bytes
	line   func([]byte)
	magic  bool  // pathspecs are patterns
	remote bool  // talks to a remote: the user's log-in applies
	ok     []int // exit codes beside 0 that are answers
}

// failure is git saying no.
type failure struct {
	command string
	exit    int
	text    string
	class   error
	answer  bool // an exit code that the caller asked for
}

func (f *failure) Error() string {
	text := f.text
	if text == "" {
		text = fmt.Sprintf("exit %d", f.exit)
	}
	return "git " + f.command + ": " + text
}

func (f *failure) Unwrap() error { return f.class }

// null is how git names the empty file on every system.
const null = "/dev/null"

// quiet are the settings that keep git from running or asking anything, and that make
// its output independent of the user's taste. Objects and refs reach the disk before
// git says that they are written.
var quiet = []string{
	"core.hooksPath=" + null, "core.fsmonitor=false", "core.splitIndex=false", "core.quotePath=false",
	"core.fsync=objects,reference", "core.fsyncMethod=batch",
	"log.showSignature=false", "log.showRoot=true",
	"gc.auto=0", "maintenance.auto=false", "submodule.recurse=false", "credential.helper=",
	"i18n.commitEncoding=UTF-8", "i18n.logOutputEncoding=UTF-8", "trailer.separators=:",
	"color.ui=false", "merge.directoryRenames=false", "advice.addEmbeddedRepo=false",
}

// run carries out c and returns what git printed.
func (t tool) run(ctx context.Context, c call) ([]byte, error) {
	var buf bytes.Buffer
	args := make([]string, 0, 2*len(quiet)+2+len(c.args))
	args = append(args, t.bin)
	if !c.magic {
		args = append(args, "--literal-pathspecs")
	}
	for _, kv := range c.quietFor() {
		args = append(args, "-c", kv)
	}
	cmd := proc.Command{
		Argv: append(args, c.args...), Dir: c.dir, Env: slices.Concat(t.env, c.env),
		Stdin: c.in, Output: c.out, Line: c.line,
	}
	if c.out == nil && c.line == nil {
		cmd.Output = &buf
	}
	res, err := proc.Run(ctx, cmd)
	if err != nil {
		return nil, fmt.Errorf("git %s: %w", c.name(), err)
	}
	if res.Ended == proc.Cancelled {
		return nil, fmt.Errorf("git %s: %w", c.name(), context.Cause(ctx))
	}
	if res.Exit != 0 && !slices.Contains(c.ok, res.Exit) {
		text := strings.TrimSpace(res.Stderr.Text)
		return nil, &failure{command: c.name(), exit: res.Exit, text: text, class: cause(text)}
	}
	// update-index leaves out what it does not like and says so only here.
	if strings.Contains(res.Stderr.Text, "Ignoring path ") {
		return nil, &failure{command: c.name(), text: strings.TrimSpace(res.Stderr.Text), class: ErrPath}
	}
	if res.Exit != 0 {
		return buf.Bytes(), &failure{command: c.name(), exit: res.Exit, answer: true}
	}
	return buf.Bytes(), nil
}

// name is the git command of the call, after its settings.
func (c call) name() string {
	for i := 0; i < len(c.args); i++ {
		if c.args[i] == "-c" {
			i++
			continue
		}
		return c.args[i]
	}
	return ""
}

// cause recognises in git's words what the machine could not do.
func cause(text string) error {
	switch {
	case strings.Contains(text, "No space left on device"):
		return syscall.ENOSPC
	case strings.Contains(text, "Read-only file system"):
		return syscall.EROFS
	case strings.Contains(text, "ermission denied"), strings.Contains(text, "insufficient permission"):
		return fs.ErrPermission
	}
	return nil
}

// user runs git in the user's repository.
func (r *Repo) user(ctx context.Context, args ...string) ([]byte, error) {
	return r.in(ctx, call{args: args})
}

// in runs c in the user's repository. The repository is named and not looked for.
func (r *Repo) in(ctx context.Context, c call) ([]byte, error) {
	c.dir = r.top
	c.env = append(c.env, "GIT_DIR="+r.gitDir, "GIT_WORK_TREE="+r.top)
	return r.run(ctx, c)
}

// desk is a place of our own to work on trees: a git directory with our configuration,
// an index, and the repository's objects. Nothing of the user's or an agent's
// configuration, attributes or hooks applies there: every file is raw bytes.
type desk struct {
	tool
	dir  string
	work string // an empty work tree
	env  []string
}

// raw are attributes that win over every .gitattributes in a tree.
const raw = "* -text -filter -ident -working-tree-encoding !eol !diff !merge !export-ignore\n"

func (r *Repo) desk(exclude string) (*desk, error) {
	if r.temp == "" {
		return nil, fmt.Errorf("no temporary directory given: %w", fs.ErrInvalid)
	}
	dir, err := os.MkdirTemp(r.temp, "git-")
	if err != nil {
		return nil, err
	}
	gitDir := filepath.Join(dir, "git")
	d := &desk{tool: r.tool, dir: dir, work: filepath.Join(dir, "work")}
	if err = writeGitDir(gitDir, r.format, exclude); err == nil {
		err = os.Mkdir(d.work, 0o700)
	}
	if err != nil {
		d.close()
		return nil, err
	}
	d.env = append(alone(), "GIT_DIR="+gitDir, "GIT_WORK_TREE="+d.work,
		"GIT_INDEX_FILE="+filepath.Join(dir, "index"), "GIT_OBJECT_DIRECTORY="+filepath.Join(r.common, "objects"))
	return d, nil
}

// alone keeps the configuration of the user and the machine away.
func alone() []string {
	return []string{"GIT_CONFIG_GLOBAL=" + null, "GIT_CONFIG_NOSYSTEM=1", "GIT_ATTR_NOSYSTEM=1"}
}

func (d *desk) close() { _ = os.RemoveAll(d.dir) }

func (d *desk) in(ctx context.Context, c call) ([]byte, error) {
	c.dir = d.work
	c.env = append(c.env, d.env...)
	return d.run(ctx, c)
}

// writeGitDir makes a git directory without running git. HEAD is written last.
func writeGitDir(dir, format, exclude string) error {
	for _, sub := range []string{"objects/info", "objects/pack", "refs/heads", "info"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(sub)), 0o755); err != nil {
			return err
		}
	}
	for _, f := range gitDirFiles(format, exclude) {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(f.name)), []byte(f.text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

type textFile struct{ name, text string }

func gitDirFiles(format, exclude string) []textFile {
	version, extension := "0", ""
	if format != "sha1" {
		version, extension = "1", "[extensions]\n\tobjectformat = "+format+"\n"
	}
	return []textFile{
		{"config", "[core]\n\trepositoryformatversion = " + version + "\n\tbare = false\n\tlogallrefupdates = true\n" +
			"\tautocrlf = false\n\tcheckStat = minimal\n\ttrustctime = false\n[gc]\n\tauto = 0\n[user]\n\tname = agent\n\temail = agent@localhost\n" + extension},
		{"info/attributes", raw},
		{"info/exclude", exclude},
		{"HEAD", "ref: refs/heads/work\n"},
	}
}
