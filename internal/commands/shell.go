package commands

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/jacquard-build/jacquard/internal/re"
)

// shell reads the programs that a text of shell runs, in order. What it cannot read it leaves out: a word that only the shell
// can tell is dropped, and so is a line that is no shell.
func (r *reader) shell(text string, where at) {
	if where.depth > deepest || strings.TrimSpace(text) == "" {
		return
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil || idle(file) {
		return
	}
	where.env = merged(where.env)
	w := &walker{r: r, at: where, own: map[string]string{}}
	for i, st := range file.Stmts {
		w.last = i == len(file.Stmts)-1
		w.stmt(st)
	}
}

// walker goes through one text of shell; it knows in which directory each command runs.
type walker struct {
	r    *reader
	at   at
	own  map[string]string // variables of the shell, which programs do not see
	last bool              // of the text: what the caller adds belongs there
}

func (w *walker) stmts(list []*syntax.Stmt) {
	for _, st := range list {
		w.stmt(st)
	}
}

func (w *walker) stmt(st *syntax.Stmt) {
	switch c := st.Cmd.(type) {
	case *syntax.CallExpr:
		w.call(c)
	case *syntax.BinaryCmd:
		if c.Op == syntax.Pipe || c.Op == syntax.PipeAll { // what a pipe is fed by
			w.stmt(c.X)
			return
		}
		last := w.last
		w.last = false
		w.stmt(c.X)
		if w.last = last; c.Op == syntax.AndStmt {
			w.stmt(c.Y)
		}
	case *syntax.Subshell:
		inner := *w
		inner.at.env = maps.Clone(w.at.env)
		inner.stmts(c.Stmts)
	case *syntax.Block:
		w.stmts(c.Stmts)
	case *syntax.IfClause:
		w.stmts(c.Then)
		if c.Else != nil && len(c.Then) == 0 {
			w.stmts(c.Else.Then)
		}
	case *syntax.TimeClause:
		if c.Stmt != nil {
			w.stmt(c.Stmt)
		}
	case *syntax.DeclClause:
		for _, a := range c.Args {
			if a.Name != nil && a.Value != nil {
				if v, ok := w.word(a.Value); ok {
					w.at.env[a.Name.Value] = v
				}
			}
		}
	}
}

// call is one simple command.
func (w *walker) call(c *syntax.CallExpr) {
	env := maps.Clone(w.at.env)
	for _, a := range c.Assigns {
		env[a.Name.Value] = ""
		if a.Value != nil {
			env[a.Name.Value], _ = w.word(a.Value)
		}
	}
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			w.own[a.Name.Value] = env[a.Name.Value]
		}
		return
	}
	var argv []string
	for _, word := range c.Args {
		argv = append(argv, w.words(word)...)
	}
	told := len(argv)
	argv = slices.DeleteFunc(argv, func(a string) bool { return strings.Contains(a, unknown) })
	if len(argv) == 0 {
		return
	}
	if argv[0] == "cd" || argv[0] == "pushd" {
		if len(argv) > 1 && !path.IsAbs(argv[1]) && !strings.Contains(argv[1], "{glob:") {
			w.at.dir = path.Join(w.at.dir, argv[1])
		}
		return
	}
	where := w.at
	where.env, where.partial = env, where.partial || len(argv) < told
	if !w.last {
		where.args = nil
	}
	if strings.HasPrefix(path.Clean(where.dir), "..") {
		return
	}
	w.r.run(argv, where)
}

// environ are the variables that the text has set.
func (w *walker) config() *expand.Config {
	return &expand.Config{Env: expand.FuncEnviron(func(name string) string { return cmp.Or(w.own[name], w.at.env[name]) }), CmdSubst: func(io.Writer, *syntax.CmdSubst) error { return nil }, ProcSubst: func(*syntax.ProcSubst) (string, error) { return "", errUnknown }}
}

// errUnknown says that only the shell can tell.
var errUnknown = errors.New("only the shell can tell")

func (w *walker) word(word *syntax.Word) (string, bool) {
	s, err := expand.Literal(w.config(), word)
	return s, err == nil
}

// words are the words that one of the text becomes: none where a variable is empty, several where it holds some. One that the
// shell replaces by names of files is kept as {glob:…}.
func (w *walker) words(word *syntax.Word) []string {
	if pattern, ok := globOf(word); ok {
		var out []string
		for p, err := range expand.BracesSeq(nil, pattern) {
			if err != nil {
				return nil
			}
			if s, ok := w.word(p); ok {
				out = append(out, globbed(s))
			}
		}
		return out
	}
	fields, err := expand.Fields(w.config(), word)
	if err != nil {
		return nil
	}
	return fields
}

func globbed(s string) string {
	if strings.ContainsAny(s, "*?[") {
		return "{glob:" + s + "}"
	}
	return s
}

// globOf reports whether the shell expands a word: it has a star or a brace that is not quoted.
func globOf(word *syntax.Word) (*syntax.Word, bool) {
	for _, part := range word.Parts {
		if lit, ok := part.(*syntax.Lit); ok && strings.ContainsAny(lit.Value, "*?{") {
			return word, !strings.Contains(lit.Value, "://")
		}
	}
	return nil, false
}

var version = re.New(`@[\w.^~-]+$`)

// run follows a command to the program that it runs in the end.
func (r *reader) run(argv []string, where at) {
	if where.depth > deepest || len(argv) == 0 {
		return
	}
	where.depth++
	rest := argv[1:]
	name := path.Base(argv[0])
	switch name {
	case "type", "which", "hash": // they look a program up
	case "command":
		if len(rest) > 0 && !strings.EqualFold(rest[0], "-v") {
			r.run(flagless(rest), where)
		}
	case "sudo", "time", "exec", "nice", "xvfb-run", "dbus-run-session", "retry", "corepack", "catchsegv", "stdbuf", "-", "@", "winpty":
		r.run(flagless(rest, "-s"), where)
	case "env", "cross-env", "cross-env-shell":
		r.prefixed(rest, where)
	case "timeout":
		if rest = flagless(rest, "-k", "-s"); len(rest) > 1 {
			r.run(rest[1:], where)
		}
	case "npx", "bunx", "pnpx":
		r.npx(flagless(rest, "-p", "--package", "-c"), where)
	case "dotenv", "env-cmd", "nyc", "c8", "with-server", "is-ci", "dotenvx":
		if i := slices.Index(rest, "--"); i >= 0 {
			rest = rest[i+1:]
		}
		r.run(flagless(rest, "-e", "-f", "--reporter", "-r", "-o", "--exclude", "-x", "--include", "-n", "--reports-dir", "--temp-directory", "--check-coverage"), where)
	case "concurrently", "run-s", "run-p", "npm-run-all", "npm-run-all2", "wsrun":
		r.several(name, rest, where)
	case "npm", "pnpm", "yarn", "bun", "lerna", "turbo", "nx", "rush":
		r.packageManager(name, rest, where)
	case "uv", "poetry", "pdm", "hatch", "pipenv", "rye", "pixi", "uvx", "pipx":
		r.pythonManager(name, rest, where)
	case "conda", "mamba", "micromamba":
		if len(rest) > 0 && rest[0] == "run" {
			r.run(flagless(rest[1:], "-n", "--name", "-p", "--prefix", "--cwd"), where)
		} else {
			r.add(argv, where)
		}
	case "coverage":
		if len(rest) > 0 && rest[0] == "run" {
			r.coverage(rest[1:], where)
		}
	case "tox":
		r.tox(rest, where)
	case "nox":
		r.nox(rest, where)
	case "pre-commit", "prek":
		if len(rest) > 0 && rest[0] == "run" {
			r.preCommit(where)
		}
	case "make", "gmake":
		r.make(rest, where)
	case "just":
		for _, recipe := range flagless(rest) {
			r.just(recipe, where)
			break
		}
	case "task", "go-task":
		for _, recipe := range flagless(rest) {
			r.taskfile(recipe, where)
			break
		}
	case "cargo", "cross":
		r.cargo(argv, where)
	case "deno":
		r.deno(argv, where)
	case "richgo":
		r.run(append([]string{"go"}, rest...), where)
	case "bundle":
		if Bundled(argv) && slices.Contains([]string{"make", "sh", "bash", "bundle"}, rest[1]) { // what it runs says more
			r.run(rest[1:], where)
			return
		}
		r.add(argv, where)
	case "composer":
		r.composer(rest, where)
	case "bash", "sh", "zsh":
		if i := slices.Index(rest, "-c"); i >= 0 && i+1 < len(rest) {
			r.shell(rest[i+1], where.in("sh"))
		} else if rest = flagless(rest); len(rest) > 0 {
			r.file(argv, rest[0], where)
		}
	default:
		switch {
		case name == "node":
			r.node(argv, where)
		case strings.HasPrefix(name, "python") || name == "py":
			r.python(argv, where)
		case (strings.HasPrefix(argv[0], "./") || strings.HasSuffix(name, ".sh")) && r.files[path.Join(where.dir, argv[0])] && name != "gradlew" && name != "mvnw":
			r.file(argv, argv[0], where)
		default:
			r.add(argv, where)
		}
	}
}

// file reads a script of the project, which argv runs. One that only builds, and moves files, is run as it is.
func (r *reader) file(argv []string, name string, where at) {
	text := r.text(path.Join(where.dir, name))
	if text == "" || strings.HasPrefix(text, "#!") && !strings.Contains(firstLine(text), "sh") {
		return
	}
	before, strange := len(r.out), r.strange
	r.shell(text, where.in(name))
	made := r.out[before:]
	if len(made) == 0 || r.strange > strange || slices.ContainsFunc(made, func(c Command) bool { return c.Purpose != Build }) {
		return
	}
	runs := made[0].Program()
	r.out = r.out[:before]
	if argv[0] == name { // by the shell that it names: the kernel would tell the script another name than its people do
		shell := strings.Fields(strings.TrimPrefix(firstLine(text), "#!"))
		if len(shell) > 1 && path.Base(shell[0]) == "env" {
			shell = flagless(shell[1:])
		}
		if !strings.HasPrefix(text, "#!") || len(shell) == 0 {
			shell = []string{"sh"}
		}
		shell[0] = path.Base(shell[0])
		argv = append(shell, argv...)
	}
	r.builder(argv, name, runs, where)
}

// builds is how scripts are called that build.
var builds = re.New(`(?:^|[:_-])(?:build|compile)`)

// nodeFile is the file of the project that node runs, behind options of its own, and where it stands; 0 where it runs none.
func (r *reader) nodeFile(argv []string, where at) (file string, i int) {
	words := flagless(argv[1:], "-r", "--require", "--import", "--loader")
	i = len(argv) - len(words)
	code := func(a string) bool { return a == "-e" || a == "--eval" || strings.HasPrefix(a, "--test") }
	if len(words) == 0 || slices.ContainsFunc(argv[:i], code) {
		return "", 0
	}
	for _, ext := range []string{"", ".js", ".mjs", ".cjs"} {
		if r.files[path.Join(where.dir, words[0]+ext)] {
			return words[0] + ext, i
		}
	}
	return "", 0
}

// node runs a file of the project: one that builds, or that sets up another program and runs it.
func (r *reader) node(argv []string, where at) {
	file, i := r.nodeFile(argv, where)
	rest := argv[i+1:]
	if i > 0 && (builds().MatchString(where.script) || builds().MatchString(path.Base(file))) {
		r.builder(argv, file, "", where)
	} else if purpose, _ := purposeOf(rest); i > 0 && purpose != "" {
		r.run(rest, where)
	} else {
		r.add(argv, where)
	}
}

// builder takes a script of the project as a build, and the program that it runs.
func (r *reader) builder(argv []string, name, runs string, where at) {
	before := len(r.out)
	r.command(Build, slices.Concat(argv, where.args), where)
	for i := range r.out[before:] {
		r.out[before+i].Script, r.out[before+i].Runs = path.Join(where.dir, name), runs
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// prefixed takes NAME=value off.
func (r *reader) prefixed(argv []string, where at) {
	where.env = merged(where.env)
	for i, a := range argv {
		if k, v, ok := strings.Cut(a, "="); ok && !strings.HasPrefix(k, "-") {
			where.env[k] = v
		} else if !strings.HasPrefix(a, "-") {
			r.run(argv[i:], where)
			return
		}
	}
}

// flagless takes the flags at the beginning off; those named have a value.
func flagless(argv []string, valued ...string) []string {
	for len(argv) > 0 && strings.HasPrefix(argv[0], "-") {
		if argv[0] == "--" {
			return argv[1:]
		}
		n := 1
		if slices.Contains(valued, argv[0]) {
			n = 2
		}
		argv = argv[min(n, len(argv)):]
	}
	return argv
}

// coverage is "coverage run": it measures what another program does.
func (r *reader) coverage(argv []string, where at) {
	for i := 0; i < len(argv); i++ {
		switch a := argv[i]; {
		case a == "-m" || a == "--module":
			if i+1 < len(argv) {
				r.python(append([]string{"python", "-m"}, argv[i+1:]...), where)
			}
			return
		case a == "--source" || a == "--omit" || a == "--include" || a == "--rcfile" || a == "--context":
			i++
		case !strings.HasPrefix(a, "-"):
			r.python(append([]string{"python"}, argv[i:]...), where)
			return
		}
	}
}

// python is python -m MODULE, or a script that is known.
func (r *reader) python(argv []string, where at) {
	rest := argv[1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0], "-") && rest[0] != "-m" {
		n := 1
		if rest[0] == "-W" || rest[0] == "-X" {
			n = 2
		}
		rest = rest[min(n, len(rest)):]
	}
	switch {
	case len(rest) > 1 && rest[0] == "-m":
		r.run(rest[1:], where)
	case len(rest) > 1 && rest[0] == "setup.py" && rest[1] == "test":
		r.add([]string{"unittest"}, where)
	case len(rest) > 1 && path.Base(rest[0]) == "manage.py" && rest[1] == "test":
		return
	}
}
