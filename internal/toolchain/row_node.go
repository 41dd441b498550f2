package toolchain

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/commands"
)

func nodeRow() ecosystem {
	return ecosystem{
		name:      Node,
		languages: []string{LangTypeScript, LangJavaScript},
		manifests: append([]string{"package.json"}, commands.DenoConfigs...),
		locks: []lock{
			{"pnpm-lock.yaml", "pnpm"},
			{"yarn.lock", "yarn"},
			{"bun.lock", "bun"},
			{"bun.lockb", "bun"},
			{"package-lock.json", "npm"},
			{"npm-shrinkwrap.json", "npm"},
			{"deno.lock", deno},
		},
		inspect:  inspectNode,
		setup:    nodeSetup,
		build:    nodeBuild,
		test:     nodeTest,
		lint:     nodeLint,
		format:   nodeFormat,
		coverage: nodeCoverage,
		place:    placeNode,
		stub:     stubTypeScript,
		need:     Need{Tool: "node", Install: "install Node.js 20 or newer from https://nodejs.org/"},
	}
}

// Playwright is the package of the end-to-end tests that are known. A file that imports it is no test of the other runners.
const Playwright = "@playwright/test"

type packageJSON struct {
	Name                 string            `json:"name"`
	PackageManager       string            `json:"packageManager"`
	Scripts              map[string]string `json:"scripts"`
	Dependencies         map[string]string `json:"dependencies"`
	DevDependencies      map[string]string `json:"devDependencies"`
	PeerDependencies     map[string]string `json:"peerDependencies"`
	OptionalDependencies map[string]string `json:"optionalDependencies"`
	Jest                 json.RawMessage   `json:"jest"`
	ESLint               json.RawMessage   `json:"eslintConfig"`
	Prettier             json.RawMessage   `json:"prettier"`
	Workspaces           json.RawMessage   `json:"workspaces"`
	Engines              json.RawMessage   `json:"engines"`
}

// readPackage reads a package.json tolerantly: one that is not JSON counts as empty.
func readPackage(b []byte) packageJSON {
	var pk packageJSON
	if err := json.Unmarshal(b, &pk); err != nil {
		return packageJSON{}
	}
	return pk
}

func inspectNode(f *Found, p *Project) {
	pk := readPackage(p.read(f.Manifest))
	f.Module = pk.Name
	scripts := pk.Scripts["test"]
	for _, d := range parents(f.Root) {
		m, ok := p.has(d, "package.json")
		if !ok {
			continue
		}
		up := readPackage(p.read(m))
		for _, deps := range []map[string]string{
			up.Dependencies, up.DevDependencies, up.PeerDependencies, up.OptionalDependencies,
		} {
			for _, n := range sortedKeys(deps) {
				f.declare(n, deps[n])
			}
		}
		var engines map[string]string
		if err := json.Unmarshal(up.Engines, &engines); err == nil {
			f.Engine = cmp.Or(f.Engine, engines["node"])
		}
		pk.PackageManager = cmp.Or(pk.PackageManager, up.PackageManager)
		scripts = cmp.Or(scripts, up.Scripts["test"])
		nodeTools(f, p, d, up)
		f.Installs = addOnce(addOnce(f.Installs, m), p.nodeInstalls(d)...)
	}
	if f.Has(Playwright) && len(p.match(f.Root, "playwright.config.*")) > 0 {
		f.Tools = addOnce(f.Tools, Playwright)
	}
	f.Installs = addOnce(f.Installs, f.Lock)
	f.inspectDeno(p)
	f.Manager = nodeManager(f, p, pk.PackageManager)
	f.Runner = nodeRunner(f, p, scripts, len(pk.Jest) > 0)
	if f.guessed = f.Runner == ""; f.guessed {
		f.Runner = "node"
	}
}

// nodeInstalls are the files of directory d, besides manifests and locks, that package managers read when they install:
// settings, pnpm's hooks (the lock file has their checksum), patches of packages, and Yarn's own release and plugins.
func (p *Project) nodeInstalls(d string) []string {
	out := p.match(d, ".npmrc", ".yarnrc", ".yarnrc.yml", "pnpm-workspace.yaml", ".pnpmfile.cjs", ".pnpmfile.mjs", "bunfig.toml")
	out = append(out, p.match(join(d, "patches"), "*.patch")...)
	for _, sub := range []string{"patches", "plugins", "plugins/@yarnpkg", "releases"} {
		out = append(out, p.match(join(d, ".yarn/"+sub), "*.cjs", "*.js", "*.patch")...)
	}
	return out
}

// nodeTools notes the tools that directory d configures.
func nodeTools(f *Found, p *Project, d string, pk packageJSON) {
	note := func(tool string, inPackage bool, patterns ...string) {
		if f.Has(tool) && (inPackage || len(p.match(d, patterns...)) > 0) {
			f.Tools = addOnce(f.Tools, tool)
		}
	}
	note("eslint", len(pk.ESLint) > 0, "eslint.config.*", ".eslintrc", ".eslintrc.*")
	note("prettier", len(pk.Prettier) > 0, ".prettierrc", ".prettierrc.*", "prettier.config.*")
	note("@biomejs/biome", false, "biome.json", "biome.jsonc")
	note("typescript", false, "tsconfig.json")
}

func nodeManager(f *Found, p *Project, declared string) string {
	name, version, _ := strings.Cut(declared, "@")
	version, _, _ = strings.Cut(version, "+") // a checksum
	f.ManagerVersion = version
	f.Manager = cmp.Or(f.Manager, name)
	switch f.Manager {
	case "yarn":
		lock := string(p.read(f.Lock))
		_, rc := p.has(f.Root, ".yarnrc.yml")
		old := strings.HasPrefix(version, "0.") || strings.HasPrefix(version, "1.")
		if strings.Contains(lock, "__metadata:") || rc || name == "yarn" && version != "" && !old {
			return "yarn-berry"
		}
		return "yarn"
	case "pnpm", "bun", "npm", deno:
		return f.Manager
	}
	return "npm"
}

// nodeRunner is the runner that scripts, dependencies, settings or tests name, "" where nothing does.
func nodeRunner(f *Found, p *Project, script string, jestConfig bool) string {
	for _, x := range [][2]string{{"vitest", "vitest"}, {"jest", "jest"}, {"node --test", "node"}, {"bun test", "bun"}, {"deno test", deno}, {"mocha", "mocha"}} {
		if strings.Contains(script, x[0]) {
			return x[1]
		}
	}
	switch {
	case f.Has("vitest"):
		return "vitest"
	case f.Has("jest"), jestConfig, len(p.match(f.Root, "jest.config.*")) > 0:
		return "jest"
	case len(p.match(f.Root, "vitest.config.*")) > 0:
		return "vitest"
	case f.Has("mocha"):
		return "mocha"
	case f.Has("ava"):
		return "ava"
	case f.Manager == "bun", f.Manager == deno:
		return f.Manager
	case slices.ContainsFunc(p.files, func(file string) bool {
		return under(file, f.Root) && IsTest(file) && bytes.Contains(p.read(file), []byte("node:test"))
	}):
		return "node"
	}
	return ""
}

func nodeSetup(f Found) []Command {
	if f.Manager == deno {
		return f.denoSetup()
	}
	if f.Manifest == "" || len(f.Declared) == 0 {
		return nil
	}
	dir, locked := f.Root, f.Lock != ""
	if locked {
		dir = path.Dir(f.Lock)
	}
	var argv, env []string
	install := "npm install --global " + f.Manager
	switch f.Manager {
	case "pnpm":
		argv = []string{"pnpm", "install", "--frozen-lockfile"}
	case "yarn":
		argv = []string{"yarn", "install", "--frozen-lockfile", "--non-interactive"}
	case "yarn-berry":
		argv, install, env = []string{"yarn", "install", "--immutable"}, "corepack enable", berryEnv()
	case "bun":
		argv = []string{"bun", "install", "--frozen-lockfile"}
	default:
		argv, install = []string{"npm", "ci", "--no-audit", "--no-fund"}, f.Need().Install
	}
	if !locked {
		switch f.Manager {
		case "npm":
			argv = []string{"npm", "install", "--no-audit", "--no-fund", "--no-package-lock"}
		case "yarn-berry":
			argv = []string{"yarn", "install"}
		case "yarn":
			argv = []string{"yarn", "install", "--no-lockfile", "--non-interactive"}
		default:
			argv = argv[:2]
		}
	}
	if f.Manager == "npm" {
		argv = append(argv, f.Own.Peers...)
	}
	c := Command{Name: "setup", Argv: argv, Dir: dir, Env: append(env, withoutBrowsers()...), Report: ReportExit, Needs: []Need{{Tool: argv[0], Install: install}}}
	if name := f.Manager; argv[0] != "npm" {
		if name == "yarn-berry" {
			name = "@yarnpkg/cli-dist"
		}
		if f.ManagerVersion != "" {
			name += "@" + f.ManagerVersion
		} else if f.Manager == "yarn" {
			name += "@1"
		}
		fetched := func(name string) []string {
			return slices.Concat([]string{"npx", "--yes", "--package=" + name, argv[0]}, argv[1:])
		}
		c.Instead = [][]string{fetched(name)}
		if strings.HasPrefix(name, "pnpm@11.") { // it wants Node 22; its locks are those of 10
			c.OrElse = append(fetched("pnpm@10"), "--config.manage-package-manager-versions=false")
		}
	}
	return []Command{c}
}

// WithoutScripts is a package.json of the project as installers get it: without what npm runs when it has installed, which
// wants the sources. What patches packages stays.
func WithoutScripts(manifest []byte) []byte {
	var m map[string]json.RawMessage
	var scripts map[string]string
	if json.Unmarshal(manifest, &m) != nil || json.Unmarshal(m["scripts"], &scripts) != nil {
		return manifest
	}
	changed := false
	for _, name := range []string{"preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare", "prepublish", "dependencies"} {
		if s, ok := scripts[name]; ok && !strings.Contains(s, "patch-package") {
			delete(scripts, name)
			changed = true
		}
	}
	if !changed {
		return manifest
	}
	var err error
	if m["scripts"], err = json.Marshal(scripts); err != nil {
		return manifest
	}
	out, err := json.Marshal(m)
	if err != nil {
		return manifest
	}
	return out
}

// withoutBrowsers keeps packages from fetching browsers and other large programs when they are installed: they lie on servers that are no
// registries, and an installation that cannot reach them fails as a whole (the names are those of the tools' own documentation).
func withoutBrowsers() []string {
	return []string{"PUPPETEER_SKIP_DOWNLOAD=1", "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1", "CYPRESS_INSTALL_BINARY=0", "ELECTRON_SKIP_BINARY_DOWNLOAD=1"}
}

// berryEnv makes Yarn 2 and newer install into node_modules, where everything else looks for packages. Without it they stay
// in archives of a cache that only Yarn's own loader reads. Each setting has such a variable (yarnpkg.com, "Configuration").
func berryEnv() []string { return []string{"YARN_NODE_LINKER=node-modules", "YARN_ENABLE_TELEMETRY=0"} }

func (f Found) nodeCommand(name string, r Report, pkg string, args ...string) Command {
	bin := "{bin:" + pkg + "}"
	mod, _, _ := strings.Cut(pkg, "#")
	return Command{
		Name: name, Argv: append([]string{"node", bin}, args...), Dir: f.Root, Report: r,
		Env:   f.Env(),
		Needs: []Need{f.Need(), {Tool: "npm:" + mod, Install: f.addPackage(mod)}},
	}
}

// Bins are the files that a package.json makes programs of, by the names of these; the only one may have the name "". A text that is no
// JSON is an error.
func Bins(manifest []byte) (map[string]string, error) {
	var m struct {
		Bin json.RawMessage `json:"bin"`
	}
	if err := json.Unmarshal(manifest, &m); err != nil {
		return nil, err
	}
	var one string
	if json.Unmarshal(m.Bin, &one) == nil {
		return map[string]string{"": one}, nil
	}
	var many map[string]string
	_ = json.Unmarshal(m.Bin, &many) // what has another form names none
	return many, nil
}

// JestProgram is what runs jest for {jest}: it takes its arguments out of process.argv. With one worker jest runs tests in the process that
// it was started in, and a test of a program that reads process.argv would see --json.
const JestProgram = `const [, bin, ...args] = process.argv.splice(1);
process.argv.push(bin);
process.env.NODE_ENV = process.env.NODE_ENV || "test";
require(require.resolve("jest", { paths: [bin] })).run(args);
`

func (f Found) jestCommand(name string, r Report, args ...string) Command {
	c := f.nodeCommand(name, r, "jest", args...)
	c.Argv = slices.Insert(c.Argv, 1, "{jest}")
	return c
}

// packaged are packages of programs that have another name.
var packaged = map[string]string{
	"tsc": "typescript", "biome": "@biomejs/biome", "playwright": "@playwright/test", "run-s": "npm-run-all", "run-p": "npm-run-all", "attw": "@arethetypeswrong/cli", "depcruise": "dependency-cruiser",
}

func (f Found) addPackage(name string) string {
	name = cmp.Or(packaged[name], name)
	switch f.Manager {
	case "pnpm":
		return "pnpm add --save-dev " + name
	case "yarn", "yarn-berry":
		return "yarn add --dev " + name
	case "bun":
		return "bun add --dev " + name
	case deno:
		return "deno add --dev npm:" + name
	}
	return "npm install --save-dev " + name
}

func nodeBuild(f Found, _ string) []Command {
	if len(f.Own.Types) > 0 {
		return f.allAsIs("build", f.Own.Types)
	}
	part := func(arg string) bool { return arg == "-p" || arg == "--project" || strings.HasSuffix(arg, ".ts") } // of the project
	if slices.ContainsFunc(f.Own.Before, func(c commands.Command) bool {
		return c.Program() == "tsc" && !slices.ContainsFunc(c.Argv, part)
	}) { // it checks types, in the order of references
		return nil
	}
	return f.tsc()
}

// tsc checks the types of the whole project.
func (f Found) tsc() []Command {
	if f.Runner == deno {
		return []Command{f.denoCommand("build", ReportExit, "check", ".")}
	}
	if !f.Uses("typescript") {
		return nil
	}
	return []Command{f.nodeCommand("build", ReportExit, "typescript#tsc", "--noEmit", "--pretty", "false")}
}

func (f Found) nodeFiles(s Selection) []string {
	switch files := s.files(); {
	case len(files) > 0:
		return f.rels(files)
	case s.Dir != "" && f.rel(cleanDir(s.Dir)) != ".":
		return []string{f.rel(cleanDir(s.Dir)) + "/"}
	}
	return nil
}

// nodeReporter makes node's own runner print one JSON object a test. It is given as an argument and not as a file, so
// that nothing has to be written next to the project.
const nodeReporter = `export default async function* (source) {
  const stderr = {};
  for await (const { type, data: d } of source) {
    if (type === "test:stderr") stderr[d.file] = ((stderr[d.file] || "") + d.message).slice(-4000);
    if (type !== "test:pass" && type !== "test:fail") continue;
    const x = d.details || {};
    const cause = x.error ? x.error.cause || x.error : null;
    let error = cause ? String(cause.stack || cause.message || cause) : undefined;
    if (error && d.nesting === 0 && d.name === d.file) error += "\n" + (stderr[d.file] || "");
    const set = (v) => v !== undefined && v !== false;
    yield JSON.stringify({
      event: type.slice(5), name: d.name, nesting: d.nesting, file: d.file, skip: set(d.skip), todo: set(d.todo),
      ms: x.duration_ms, kind: x.type, error,
    }) + "\n";
  }
}
`

func nodeTest(f Found, s Selection) []Command {
	if f.Own.Elsewhere {
		return nil
	}
	var out []Command
	for i := range max(1, len(f.Own.Test)) {
		flags, chosen, env, dir, from := f.ownTest(i)
		at := f.within(dir)
		files := at.nodeFiles(s)
		if !s.all() && i > 0 {
			break // a test is run once
		}
		if s.all() || f.Own.Built { // sources cannot be run
			files = chosen
		}
		c := at.nodeRun(i, s, flags, files)
		c.Env, c.From = append(c.Env, env...), from
		out = append(out, c)
	}
	return out
}

// nodeRun is a run of some files by the project's command at i, with its flags.
func (f Found) nodeRun(i int, s Selection, flags, files []string) Command {
	exact := len(s.IDs)+len(s.Files) > 0 && !f.Own.Built
	with := func(args ...string) []string { return slices.Concat(args, flags, files) }
	switch f.Runner {
	case "vitest":
		return f.nodeCommand("test", ReportJest, "vitest", with("run", "--reporter=json", "--outputFile={report}", "--retry=0", "--bail=0")...)
	case "jest":
		args := with("--ci", "--json", "--outputFile={report}", "--bail=0")
		if exact {
			args = slices.Insert(args, len(args)-len(files), "--runTestsByPath")
		}
		return f.jestCommand("test", ReportJest, args...)
	case "bun":
		return Command{
			Name: "test", Argv: slices.Concat([]string{"bun", "test", "--reporter=junit", "--reporter-outfile={report}"}, flags, dottedAll(files)), Dir: f.Root, Report: ReportBun, Env: f.Env(),
			Needs: []Need{{Tool: "bun", Install: "npm install --global bun"}},
		}
	case deno:
		return f.denoTest(flags, files)
	case "mocha": // before version 6 the option has the plural only
		return f.nodeCommand("test", ReportMocha, "mocha", with("--reporter=json", "--reporter-options=output={report}")...)
	case "ava":
		return f.nodeCommand("test", ReportTAP, f.Runner, with("--tap")...)
	case "tap", "borp":
		return f.nodeCommand("test", ReportTAP, f.Runner, with("--reporter=tap")...)
	case "tape":
		return f.nodeCommand("test", ReportTAP, f.Runner, with()...)
	case "uvu", "jasmine", "lab":
		return f.asIs("test", f.Own.Test[i])
	}
	argv := []string{"node"}
	tsx := f.Has("tsx")
	if len(f.Own.Test) > 0 {
		tsx = path.Base(f.Own.Test[0].Argv[0]) == "tsx"
	}
	if tsx {
		argv = append(argv, "--import", "tsx")
	}
	argv = append(append(argv, flags...), "--test", "--test-reporter=data:text/javascript;base64,"+base64.StdEncoding.EncodeToString([]byte(nodeReporter)), "--test-reporter-destination={report}")
	return Command{Name: "test", Argv: append(argv, files...), Dir: f.Root, Report: ReportNode, Env: f.Env(), Needs: []Need{f.Need()}}
}

func dottedAll(files []string) []string {
	out := make([]string, len(files))
	for i, f := range files {
		out[i] = "./" + f
	}
	return out
}

func nodeLint(f Found, files []string) []Command {
	if len(f.Own.Lint) > 0 {
		return f.allAsIs("lint", f.Own.Lint)
	}
	args := f.rels(files)
	if len(args) == 0 {
		args = []string{"."}
	}
	var out []Command
	if f.Uses("eslint") {
		out = append(out, f.nodeCommand("lint", ReportExit, "eslint", args...))
	}
	if f.Uses("@biomejs/biome") {
		out = append(out, f.nodeCommand("lint", ReportExit, "@biomejs/biome#biome", append([]string{"lint", "--reporter=github"}, args...)...))
	}
	return out
}

func nodeFormat(f Found, files []string) []Command {
	if len(files) == 0 {
		return nil
	}
	var out []Command
	args := f.rels(files)
	if slices.ContainsFunc(f.Own.Lint, func(c commands.Command) bool { return c.Program() == deno && slices.Contains(c.Argv, "fmt") }) {
		out = append(out, f.denoCommand("format", ReportExit, append([]string{"fmt", "--quiet"}, args...)...))
	}
	if f.Uses("prettier") {
		out = append(out, f.nodeCommand("format", ReportExit, "prettier", append([]string{"--write"}, args...)...))
	}
	if f.Uses("@biomejs/biome") {
		out = append(out, f.nodeCommand("format", ReportExit, "@biomejs/biome#biome", append([]string{"format", "--write"}, args...)...))
	}
	if f.Uses("eslint") {
		c := f.nodeCommand("format", ReportExit, "eslint", append([]string{"--fix"}, args...)...)
		c.Complains = 1 // problems are left that it cannot mend; 2 is a failure (eslint.org, "Exit Codes")
		out = append(out, c)
	}
	return out
}

// nodeCoverage writes lcov.info into the directory of {report}.
func nodeCoverage(f Found, s Selection) []Command {
	files := f.nodeFiles(s)
	switch {
	case f.Runner == "vitest" && (f.Has("@vitest/coverage-v8") || f.Has("@vitest/coverage-istanbul")):
		args := []string{
			"run", "--coverage.enabled", "--coverage.reporter=lcovonly", "--coverage.reportsDirectory={report}",
			"--coverage.reportOnFailure",
		}
		return []Command{f.nodeCommand("coverage", ReportLCOV, "vitest", append(args, files...)...)}
	case f.Runner == "jest":
		args := []string{"--ci", "--coverage", "--coverageReporters=lcovonly", "--coverageDirectory={report}"}
		if len(s.IDs)+len(s.Files) > 0 {
			args = append(args, "--runTestsByPath")
		}
		return []Command{f.jestCommand("coverage", ReportLCOV, append(args, files...)...)}
	}
	return nil
}

func isNodeTest(p string) bool {
	base := path.Base(p)
	stem := strings.TrimSuffix(base, path.Ext(base))
	if strings.HasSuffix(stem, ".test") || strings.HasSuffix(stem, ".spec") || strings.HasSuffix(stem, "_test") ||
		strings.HasSuffix(stem, ".test-d") {
		return true
	}
	if top := path.Dir(p); (stem == "test" || strings.HasPrefix(stem, "test-")) && (top == "." || path.Dir(top) == "packages") { // elsewhere it may be code
		return true
	}
	for part := range strings.SplitSeq(path.Dir(p), "/") {
		if part == "__tests__" || part == "__mocks__" {
			return true
		}
	}
	return inTestDir(p)
}

// inTestDir reports whether one of the directories of p is named for tests only.
func inTestDir(p string) bool {
	for part := range strings.SplitSeq(path.Dir(p), "/") {
		switch part {
		case "test", "tests", "spec", "specs", "e2e":
			return true
		}
	}
	return false
}
