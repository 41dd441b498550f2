package toolchain

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

// packageList is a manifest that says what a folder needs, and nothing of itself.
const packageList = "requirements.txt"

func pythonRow() ecosystem {
	return ecosystem{
		name:      Python,
		languages: []string{LangPython},
		manifests: []string{"pyproject.toml", "setup.py", "setup.cfg", packageList, "Pipfile"},
		locks:     []lock{{"uv.lock", "uv"}, {"poetry.lock", "poetry"}},
		inspect:   inspectPython,
		setup:     pythonSetup,
		build: func(f Found, _ string) []Command {
			switch {
			case len(f.Own.Types) > 0:
				return f.allAsIs("build", f.Own.Types)
			case len(f.Own.Lint) > 0 && !f.Own.checks("mypy"): // its people check their code, and not so
				return nil
			case f.Uses("mypy scope"): // its configuration says what it looks at
				return optional(f.pythonCommand("build", ReportExit, "mypy"))
			case f.Uses("mypy"):
				return optional(f.pythonCommand("build", ReportExit, "mypy", "."))
			}
			return nil
		},
		test:     pythonTest,
		lint:     pythonLint,
		format:   pythonFormat,
		coverage: pythonCoverage,
		place:    placePython,
		stub:     stubPython,
		need:     Need{Tool: "python3", Install: "install Python 3.9 or newer from https://www.python.org/"},
	}
}

func inspectPython(f *Found, p *Project) {
	if d := path.Dir(f.Lock); f.Lock != "" && d != f.Root && !p.uvMember(d, f.Root) {
		f.Lock, f.Manager = "", "" // it is of another project, such as the one that this is an example of
	}
	if f.Manager == "" {
		f.Manager = "pip"
	}
	text := string(p.read(join(f.Root, "pyproject.toml")))
	project := readPyproject(text)
	f.Module = cmp.Or(project.Project.Name, project.Tool.Poetry.Name, f.Module)
	requires := project.requirements()
	if locked := locked(p.read(join(f.Root, "pdm.lock"))); len(locked) > 0 {
		requires = locked
	}
	for _, r := range requires {
		if plainName(r) == plainName(f.Module) {
			continue // one of its own extras: a registry's package of that name is another
		}
		f.Requires = addOnce(f.Requires, r)
		f.declare(requirementOf(r))
	}
	if f.Manager == "poetry" {
		f.Requires = locked(p.read(f.Lock))
	}
	if root := p.uvWhole(f); root != "" {
		f.inWorkspace(p, root)
	}
	f.Installs = append(f.Installs, p.match(f.Root, "pyproject.toml", "setup.py", "setup.cfg", "pdm.lock")...)
	for _, r := range p.match(f.Root, requirementFiles()...) {
		f.readRequirements(p, r)
	}
	f.Installs = addOnce(f.Installs, f.Lock)
	cfg := text + string(p.read(join(f.Root, "setup.cfg"))) + string(p.read(join(f.Root, "tox.ini")))
	f.Tools = pythonTools(f, p, cfg)
	f.Builds = project.BuildSystem != nil || f.Workspace != "" || f.Manager == "pip" && len(p.match(f.Root, "setup.py")) > 0
	if f.Builds {
		f.Compiles = []string{".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".pyx", ".pxd", ".pxi", ".rs", ".f", ".f90"}
		if strings.Contains(text+string(p.read(join(f.Root, "setup.py"))), "mypyc") {
			f.Compiles = append(f.Compiles, ".py")
		}
	}
	f.Runner = "unittest"
	if f.Has("pytest") || strings.Contains(cfg, "pytest") || len(p.match(f.Root, "pytest.ini", "conftest.py")) > 0 ||
		p.anyFile(f.Root, "conftest.py") || p.usesPytest(f.Root) {
		f.Runner = "pytest"
	}
	if f.Runner == "unittest" {
		f.Starts = p.unittestStarts(f.Root)
	}
	src := join(f.Root, "src")
	_, pkg := p.has(src, "__init__.py") // src is itself the package
	if !pkg && slices.ContainsFunc(p.files, func(file string) bool { return under(file, src) && strings.HasSuffix(file, ".py") }) {
		f.SourceDir = "src"
	}
}

func pythonTools(f *Found, p *Project, cfg string) []string {
	var out []string
	if strings.Contains(cfg, "[tool.ruff") || len(p.match(f.Root, "ruff.toml", ".ruff.toml")) > 0 {
		out = append(out, "ruff")
	}
	if strings.Contains(cfg, "[tool.black") {
		out = append(out, "black")
	}
	if strings.Contains(cfg, "[tool.mypy") || strings.Contains(cfg, "[mypy]") || len(p.match(f.Root, "mypy.ini")) > 0 {
		out = append(out, "mypy")
		if mypyScope().MatchString(cfg + string(p.read(join(f.Root, "mypy.ini")))) {
			out = append(out, "mypy scope")
		}
	}
	return out
}

// mypyScope is a setting with which mypy needs no argument (mypy.readthedocs.io, "The mypy configuration file").
var mypyScope = re.New(`(?m)^\[(?:tool\.)?mypy\][^\[]*^(?:files|packages|modules)\s*=`)

func (p *Project) anyFile(root, base string) bool {
	return slices.ContainsFunc(p.files, func(f string) bool { return path.Base(f) == base && under(f, root) })
}

// usesPytest reports whether a test of the project is written for pytest: it imports it, or has test functions
// outside classes. A project without any test yet gets pytest as well, because that is what people expect.
func (p *Project) usesPytest(root string) bool {
	tests := 0
	for _, f := range p.files {
		if !under(f, root) || !isPythonTest(f) || ignoredDir(f) {
			continue
		}
		tests++
		src := string(p.read(f))
		if strings.Contains(src, "import pytest") || strings.HasPrefix(src, "def test_") ||
			strings.Contains(src, "\ndef test_") {
			return true
		}
	}
	return tests == 0
}

// unittestStarts are the directories that unittest has to begin in to find all tests below a root: it looks into no directory without
// __init__.py. Those of other projects are left out.
func (p *Project) unittestStarts(root string) []string {
	var out []string
	for _, f := range p.files {
		if ok, err := path.Match("test*.py", path.Base(f)); !ok || err != nil || !under(f, root) || ignoredDir(f) {
			continue
		}
		start, other := path.Dir(f), false
		for _, there := p.has(start, "__init__.py"); there && start != root; _, there = p.has(start, "__init__.py") {
			start = path.Dir(start)
		}
		for d := start; d != root && d != "."; d = path.Dir(d) {
			_, is := p.has(d, "pyproject.toml", "setup.py")
			other = other || is
		}
		if !other && !slices.Contains(out, start) {
			out = append(out, start)
		}
	}
	return out
}

// pythonSetup makes a venv in {env} and installs into it. The environment may see the system's packages only when the
// project does not declare its runner itself, or installs some by conda.
func pythonSetup(f Found) []Command {
	venv := []string{"python3", "-m", "venv"}
	if f.Manager == "pip" && len(f.Declared)+len(f.Own.Checkers) == 0 && !f.Builds { // pip takes most of the time
		venv = append(venv, "--without-pip")
	}
	if f.Runner == "pytest" && !f.Has("pytest") || len(f.Own.Conda) > 0 { // the packages of an environment of conda that is active
		venv = append(venv, "--system-site-packages")
	}
	dir := cmp.Or(f.Workspace, f.Root) // one environment for all packages of it
	out := []Command{{Name: "setup", Argv: append(venv, "{env}"), Dir: dir, Report: ReportExit, Needs: []Need{f.Need()}}}
	add := func(install string, env []string, argv ...string) {
		c := Command{Name: "setup", Argv: argv, Dir: dir, Env: env, Report: ReportExit, Needs: []Need{{Tool: argv[0], Install: install}}}
		if argv[0] != "python" {
			c.Instead = [][]string{pip(argv[0]), argv}
		}
		out = append(out, c)
	}
	if len(f.Own.Checkers) > 0 {
		add(f.Need().Install, nil, pip(f.Own.Checkers...)...)
		out[1].Optional = true
	}
	switch f.Manager {
	case "uv":
		add("install uv: https://docs.astral.sh/uv/", slices.Concat(uvEnv(), scmEnv(), []string{"UV_PROJECT_ENVIRONMENT={env}"}),
			"uv", "sync", "--inexact", "--frozen", "--all-groups", "--all-extras")
		last := &out[len(out)-1]
		for _, group := range f.Own.Without {
			last.Argv = append(last.Argv, "--no-group", group)
		}
		without := "--no-install-project"
		if last.Argv = append(last.Argv, f.Own.Members...); f.Workspace != "" {
			last.Argv, without = append(last.Argv, "--all-packages"), "--no-install-workspace"
		}
		last.OrElse = append(slices.Clone(last.Argv), without)
	case "poetry":
		add("pipx install poetry", []string{"VIRTUAL_ENV={env}"}, "poetry", "install", "--no-root", "--no-interaction")
		if len(f.Requires) > 0 { // Poetry asks the index for what not every copy of it answers
			out[len(out)-1].OrElse = append(pip("--no-deps"), f.Requires...)
		}
	default:
		f.pipSetup(add)
		if last := &out[len(out)-1]; last.Argv[len(last.Argv)-1] == "." {
			last.Optional = true
		}
	}
	if f.Runner == "pytest" && !f.Has("pytest") { // people have it installed for all their projects
		add(f.Need().Install, nil, "python", "-c", "import pytest")
		last := &out[len(out)-1]
		last.OrElse, last.Optional = pip("pytest"), true
	}
	return out
}

// pip is a command of pip that installs.
func pip(args ...string) []string {
	return append([]string{"python", "-m", "pip", "install", "--quiet"}, args...)
}

// pipSetup installs what files of requirements and pyproject.toml name, and then the project itself, so that its metadata and
// its programs are there. Where only a setup.py knows what it needs, pip finds that out.
func (f Found) pipSetup(add func(install string, env []string, argv ...string)) {
	packages, some := slices.Clone(f.Own.Packages), len(f.Declared)+len(f.Own.Packages) > 0
	for _, file := range f.Installs {
		if some && path.Dir(file) == f.Root && isRequirements(path.Base(file)) {
			packages = append(packages, "-r", f.rel(file))
		}
	}
	if packages = append(packages, f.Requires...); len(packages) > 0 {
		add(f.Need().Install, scmEnv(), pip(packages...)...)
	}
	if f.Builds {
		argv := pip()
		if len(f.Requires) > 0 {
			argv = pip("--no-deps")
		}
		add(f.Need().Install, scmEnv(), append(argv, "-e", ".")...)
	}
}

// scmEnv gives a version to projects that take theirs from git, which an installation does not have (setuptools-scm.readthedocs.io,
// "Overrides", also of hatch-vcs; pbr; backend.pdm-project.org, "Metadata"; poetry- and uv-dynamic-versioning, "bypass").
func scmEnv() []string {
	var out []string
	for _, name := range []string{"SETUPTOOLS_SCM_PRETEND_VERSION", "PBR_VERSION", "PDM_BUILD_SCM_VERSION", "POETRY_DYNAMIC_VERSIONING_BYPASS", "UV_DYNAMIC_VERSIONING_BYPASS"} {
		out = append(out, name+"=0.0.1")
	}
	return out
}

func isRequirements(base string) bool {
	return slices.ContainsFunc(requirementFiles(), func(pattern string) bool { return Match(pattern, base) })
}

// uvEnv keeps uv to the Python that is there: one that it fetched itself would be gone with the home of the installation.
// And it makes it copy files out of its cache instead of linking them, so that what a check does to its environment cannot
// reach the cache (docs.astral.sh/uv, "Environment variables").
func uvEnv() []string { return []string{"UV_PYTHON_DOWNLOADS=never", "UV_LINK_MODE=copy"} }

func (f Found) pythonCommand(name string, r Report, module string, args ...string) Command {
	needs := []Need{f.Need()}
	if module != "unittest" {
		needs = append(needs, Need{Tool: "py:" + module, Install: f.addPython(module)})
	}
	return Command{
		Name: name, Argv: append([]string{"python", "-m", module}, args...), Dir: f.Root, Env: f.Env(), Report: r, Needs: needs,
	}
}

func (f Found) addPython(module string) string {
	switch f.Manager {
	case "uv":
		return "uv add --dev " + module
	case "poetry":
		return "poetry add --group dev " + module
	}
	return "python3 -m pip install " + module
}

// pythonSelect turns a selection into pytest's arguments.
func (f Found) pythonSelect(s Selection) []string {
	switch {
	case len(s.IDs) > 0:
		return f.rels(s.IDs)
	case len(s.Files) > 0:
		return f.rels(s.Files)
	case s.Dir != "":
		return []string{f.rel(cleanDir(s.Dir))}
	}
	return nil
}

// unittestScript runs unittest and prints one JSON object a test to the file it is given.
const unittestScript = `import json,os,sys,time,unittest
out,args=sys.argv[1],sys.argv[2:]
sys.path.insert(0,os.getcwd())
class R(unittest.TextTestResult):
    rows=[]
    def startTest(self,t):
        self.t0=time.monotonic(); super().startTest(t)
    def row(self,t,status,msg=""):
        i=t.id().split(".")
        mod=sys.modules.get(type(t).__module__)
        f=getattr(mod,"__file__","") or ""
        if type(t).__name__=="_FailedTest": f,i="",[failed.get(t._testMethodName,t._testMethodName)]
        elif type(t).__name__=="ModuleSkipped": f,i=os.path.abspath(t._testMethodName.replace(".",os.sep)+".py"),[""]
        elif type(t).__name__=="_SubTest": f,i=getattr(sys.modules.get(type(t.test_case).__module__),"__file__",""),t.test_case.id().split(".")
        self.rows.append({"file":f,"name":"::".join(i[-2:]),"status":status,"message":msg,"seconds":time.monotonic()-getattr(self,"t0",time.monotonic())})
    def addSuccess(self,t): self.row(t,"pass"); super().addSuccess(t)
    def addFailure(self,t,e): self.row(t,"fail",self._exc_info_to_string(e,t)); super().addFailure(t,e)
    def addError(self,t,e): self.row(t,"error",self._exc_info_to_string(e,t)); super().addError(t,e)
    def addSkip(self,t,r): self.row(t,"skip",r); super().addSkip(t,r)
    def addExpectedFailure(self,t,e): self.row(t,"skip","expected failure"); super().addExpectedFailure(t,e)
    def addUnexpectedSuccess(self,t): self.row(t,"fail","unexpected success"); super().addUnexpectedSuccess(t)
    def addSubTest(self,t,s,e):
        if e is not None: self.row(s,"fail",self._exc_info_to_string(e,t))
        super().addSubTest(t,s,e)
l=unittest.TestLoader()
failed,whole={},set()
def load(a):
    a,_,one=a.partition("::")
    if os.path.isdir(a): return l.discover(a,top_level_dir=".")
    m=os.path.splitext(a)[0].replace(os.sep,"/").replace("/",".")
    failed[m.split(".")[-1]]=m
    try:
        s=l.loadTestsFromName(m+"."+one.replace("::",".")) if one else None
        if s and type(next(iter(s),None)).__name__!="_FailedTest": return s
        if one: # of one that is made while its file is loaded: the file, once
            if m in whole: return unittest.TestSuite()
            whole.add(m)
        return l.loadTestsFromName(m)
    except unittest.SkipTest as e: return unittest.loader._make_skipped_test(m,e,unittest.TestSuite)
if args and (args[0]=="discover" or args[0].startswith("-")):
    import argparse
    p=argparse.ArgumentParser(argument_default=argparse.SUPPRESS)
    for n in ("start","pattern","top"): p.add_argument(n,nargs="?")
    for n in ("-s","--start-directory"): p.add_argument(n,dest="start")
    for n in ("-p","--pattern"): p.add_argument(n,dest="pattern")
    for n in ("-t","--top-level-directory"): p.add_argument(n,dest="top")
    o=argparse.Namespace(start=".",pattern="test*.py",top=None) # a position that is not given must not undo an option
    p.parse_known_args(args[1:] if args[0]=="discover" else args,o)
    s=l.discover(o.start,pattern=o.pattern,top_level_dir=o.top)
else: s=unittest.TestSuite([load(a) for a in args]) if args else l.discover(".")
r=unittest.TextTestRunner(resultclass=R,verbosity=0).run(s)
with open(out,"w",encoding="utf-8") as f:
    for x in R.rows: f.write(json.dumps(x)+"\n")
sys.exit(0 if r.wasSuccessful() else 1)
`

func pythonTest(f Found, s Selection) []Command {
	if f.Runner == "unittest" {
		c := f.pythonCommand("test", ReportUnittest, "unittest")
		c.Argv = []string{"python", "-c", unittestScript, "{report}"}
		c.Argv = append(c.Argv, f.pythonSelect(s)...)
		if !s.all() || len(f.Own.Test)+len(f.Starts) == 0 {
			return []Command{c}
		}
		if len(f.Own.Test) > 0 {
			c.Argv = append(c.Argv, f.Own.Test[0].Argv[unittestArgs(f.Own.Test[0].Argv):]...)
			return []Command{c}
		}
		var out []Command
		for _, start := range f.Starts {
			one := c
			if start != f.Root {
				one.Argv = append(slices.Clone(c.Argv), "discover", "-s", f.rel(start))
			}
			out = append(out, one)
		}
		return out
	}
	args := []string{"-o", "junit_family=xunit1", "--junitxml={report}", "-p", "no:cacheprovider", "--continue-on-collection-errors"}
	var out []Command
	for i := range max(1, len(f.Own.Test)) {
		flags, chosen, env, dir, from := f.ownTest(i)
		selected := f.within(dir).pythonSelect(s)
		if s.all() {
			selected = chosen
		} else if i > 0 {
			break // a test is run once
		}
		c := f.pythonCommand("test", ReportJUnit, "pytest", slices.Concat(flags, args, selected)...)
		if len(flags) == 0 {
			c.Argv = slices.Insert(c.Argv, 3, "-q")
		}
		c.Dir, c.Env, c.From = dir, append(c.Env, env...), from
		out = append(out, c)
	}
	return out
}

// collectScript has pytest list the tests that it would run, in the form of unittestScript.
const collectScript = `import json,os,sys,pytest
out,args=sys.argv[1],sys.argv[2:]
sys.argv=["pytest"]+args
rows=[]
class P:
    def pytest_collectreport(self,report):
        if report.failed: rows.append({"file":"","name":report.nodeid.split("::")[0].removesuffix(".py").replace("/","."),"status":"error","message":str(report.longrepr)})
    def pytest_collection_finish(self,session):
        for i in session.items: rows.append({"file":str(getattr(i,"path",None) or i.fspath),"name":i.nodeid.partition("::")[2],"status":"pass"})
code=int(pytest.main(args,plugins=[P()]))
if code in (0,1,2,5):
    with open(out,"w",encoding="utf-8") as f:
        for x in rows: f.write(json.dumps(x)+"\n")
sys.exit(code)
`

// Collect are the commands that list the tests which those for the whole project run, without running them: all of them pass in the report.
// It is empty for a runner that has to run them.
func (f Found) Collect() (out []Command) {
	if f.Ecosystem != Python || f.Runner != "pytest" || f.Override["test"] != "" {
		return nil
	}
	for _, c := range pythonTest(f, Selection{}) {
		c.Argv = slices.Concat([]string{"python", "-c", collectScript, "{report}", "--collect-only"}, slices.DeleteFunc(c.Argv[3:], func(a string) bool { return a == "--junitxml={report}" }))
		c.Report = ReportCollected
		out = append(out, c)
	}
	return out
}

// optional is a command that is left out, and said to be, where its program is not installed.
func optional(c Command) []Command {
	c.Optional = true
	return []Command{c}
}

// unittestArgs is where the arguments of unittest begin.
func unittestArgs(argv []string) int {
	return max(1, slices.Index(argv, "unittest")+1)
}

func pythonLint(f Found, files []string) []Command {
	if len(f.Own.Lint) > 0 {
		return f.allAsIs("lint", f.Own.Lint)
	}
	if !f.Uses("ruff") {
		return nil
	}
	args := []string{"check", "--no-fix", "--output-format=concise"} // a line each: path:line:column: what
	if len(files) > 0 {
		args = append(args, f.rels(files)...)
	} else {
		args = append(args, ".")
	}
	return optional(f.pythonCommand("lint", ReportExit, "ruff", args...))
}

func pythonFormat(f Found, files []string) []Command {
	switch {
	case len(files) == 0:
		return nil
	case f.Uses("black"):
		return []Command{f.pythonCommand("format", ReportExit, "black", append([]string{"--quiet"}, f.rels(files)...)...)}
	case f.Uses("ruff"):
		return []Command{
			f.pythonCommand("format", ReportExit, "ruff", append([]string{"check", "--fix", "--exit-zero", "--quiet"}, f.rels(files)...)...),
			f.pythonCommand("format", ReportExit, "ruff", append([]string{"format", "--quiet"}, f.rels(files)...)...),
		}
	}
	return nil
}

func pythonCoverage(f Found, s Selection) []Command {
	if f.Runner != "pytest" || !f.Has("pytest-cov") {
		return nil
	}
	args := append([]string{"-q", "-p", "no:cacheprovider", "--cov", "--cov-report=lcov:{report}"}, f.pythonSelect(s)...)
	return []Command{f.pythonCommand("coverage", ReportLCOV, "pytest", args...)}
}

func isPythonTest(p string) bool {
	base := path.Base(p)
	return strings.HasPrefix(base, "test_") || strings.HasSuffix(base, "_test.py") || base == "conftest.py" ||
		base == "tests.py" || p == "test.py" || inTestDir(p)
}
