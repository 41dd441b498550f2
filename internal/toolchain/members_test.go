package toolchain_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// TestAffected: a change in a member of a workspace matters to what is built with it, however far away, and to nothing else.
func TestAffected(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		files   map[string]string
		changed string
		want    string
	}{
		{
			"npm: app is built with ui, ui with core", map[string]string{
				"package.json": `{"private":true,"workspaces":["packages/*"]}`, "tools.js": "",
				"packages/core/package.json": `{"name":"@x/core"}`, "packages/core/core.js": "",
				"packages/ui/package.json": `{"name":"@x/ui","peerDependencies":{"@x/core":"workspace:*"}}`, "packages/ui/ui.js": "",
				"packages/app/package.json": `{"name":"app","dependencies":{"@x/ui":"*","left-pad":"1.0.0"}}`, "packages/app/app.js": "",
				"packages/alone/package.json": `{"name":"alone"}`, "packages/alone/alone.js": "",
			}, "packages/core/core.js", ". packages/app packages/core packages/ui",
		},
		{
			"npm: the one on top alone", map[string]string{
				"packages/core/package.json": `{"name":"core"}`, "packages/core/core.js": "",
				"packages/app/package.json": `{"name":"app","dependencies":{"core":"*"}}`, "packages/app/app.js": "",
			}, "packages/app/app.js", "packages/app",
		},
		{
			"go: a module behind a replace directive, and one that takes what is published", map[string]string{
				"go.mod": "module example.com/lib\n", "lib.go": "package lib\n",
				"near/go.mod": "module example.com/near\n\nrequire example.com/lib v1.0.0\n\nreplace example.com/lib => ../\n", "near/near.go": "package near\n",
				"far/go.mod": "module example.com/far\n\nrequire example.com/lib v1.0.0\n", "far/far.go": "package far\n",
			}, "lib.go", ". near",
		},
		{
			"go: go.work", map[string]string{
				"go.work":  "go 1.26\n\nuse (\n\t./a\n\t./b\n)\n",
				"a/go.mod": "module example.com/a\n", "a/a.go": "package a\n",
				"b/go.mod": "module example.com/b\n\nrequire example.com/a v1.0.0\n", "b/b.go": "package b\n",
			}, "a/a.go", "a b",
		},
		{
			"go: sources of another language below the root are not the root's", map[string]string{
				"go.mod": "module example.com/lib\n", "lib.go": "package lib\n", "web/package.json": `{"name":"web"}`, "web/a.js": "",
				"near/go.mod": "module example.com/near\n\nrequire example.com/lib v1.0.0\n\nreplace example.com/lib => ../\n", "near/near.go": "package near\n",
			}, "web/a.js", ". web",
		},
		{
			"cargo: a library has another name than its package", map[string]string{
				"Cargo.toml":                 "[workspace]\nmembers = [\"crates/*\"]\n",
				"crates/the-core/Cargo.toml": "[package]\nname = \"the-core\"\n", "crates/the-core/src/lib.rs": "",
				"crates/app/Cargo.toml": "[package]\nname = \"app\"\n\n[dependencies]\nthe-core = { path = \"../the-core\" }\n", "crates/app/src/lib.rs": "",
			}, "crates/the-core/src/lib.rs", ". crates/app crates/the-core",
		},
		{
			"maven: all modules are tested at once", map[string]string{
				"pom.xml":      "<project><artifactId>all</artifactId><modules><module>core</module><module>app</module></modules></project>",
				"core/pom.xml": "<project><artifactId>core</artifactId></project>", "core/src/main/java/A.java": "",
				"app/pom.xml": "<project><artifactId>app</artifactId><dependencies><dependency><groupId>g</groupId><artifactId>core</artifactId></dependency></dependencies></project>", "app/src/main/java/B.java": "",
			}, "core/src/main/java/A.java", ".",
		},
		{
			"python: names differ in separators", map[string]string{
				"core/pyproject.toml": "[project]\nname = \"my_core\"\n", "core/core.py": "",
				"app/pyproject.toml": "[project]\nname = \"app\"\ndependencies = [\"my-core\"]\n", "app/app.py": "",
			}, "core/core.py", "app core",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := toolchain.NewProject(slices.Sorted(maps.Keys(c.files)), func(f string) []byte { return []byte(c.files[f]) })
			var roots []string
			for _, f := range toolchain.Affected(p.All(), []string{c.changed}) {
				roots = append(roots, f.Root)
			}
			slices.Sort(roots)
			if got := strings.Join(roots, " "); got != c.want {
				t.Errorf("affected are %s, want %s", got, c.want)
			}
		})
	}
}

// TestElsewhere: a package that names no runner, beside one that is tested, is an example; and the root may test its members,
// where its runner's settings say so, unless CI tests one by itself.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"package.json":              `{"private":true,"workspaces":["packages/*","examples/*"]}`,
		"packages/lib/package.json": `{"name":"lib","scripts":{"test":"vitest run"}}`, "packages/lib/lib.ts": "", "packages/lib/lib.test.ts": "",
		"examples/counter/package.json": `{"name":"counter"}`, "examples/counter/counter.test.tsx": "", "examples/counter/counter.ts": "",
		"examples/tested/package.json": `{"name":"tested"}`, "examples/tested/a.js": "", "examples/tested/a.test.js": "import test from 'node:test';\n",
	}
	p := toolchain.NewProject(slices.Sorted(maps.Keys(files)), func(f string) []byte { return []byte(files[f]) })
	for _, f := range p.All() {
		if want := f.Root != "packages/lib" && f.Root != "examples/tested"; f.Own.Elsewhere != want {
			t.Errorf("%s: tested elsewhere %t, want %t", f.Root, f.Own.Elsewhere, want)
		}
	}
	files = map[string]string{
		"package.json": `{"scripts":{"test":"vitest run"}}`, "vitest.config.ts": "export default { test: { projects: ['packages/*'] } }", "play.ts": "",
		"packages/a/package.json": `{"name":"a","scripts":{"test":"vitest run"}}`, "packages/a/a.ts": "",
		"packages/b/package.json": `{"name":"b","scripts":{"test":"node --test"}}`, "packages/b/b.ts": "",
		"backend/go.mod": "module example.com/backend\n", "backend/b.go": "package backend\n",
		".github/workflows/ci.yml": "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n    - run: npm test\n    - run: npm test\n      working-directory: packages/b\n",
	}
	p = toolchain.NewProject(slices.Sorted(maps.Keys(files)), func(f string) []byte { return []byte(files[f]) })
	for _, f := range p.All() {
		if want := f.Root == "packages/a"; f.Own.Elsewhere != want {
			t.Errorf("%s: its tests are those of another one: %t, want %t", f.Root, f.Own.Elsewhere, want)
		}
	}
	built, _ := toolchain.NewProject([]string{"package.json", "packages/a/package.json", "x.js"}, func(f string) []byte {
		return []byte(map[string]string{
			"package.json":            `{"workspaces":["packages/*"],"scripts":{"test":"npm run build --workspace=packages/a && vitest run"}}`,
			"packages/a/package.json": `{"name":"a","scripts":{"build":"tsup"}}`,
		}[f])
	}).Detect(".")
	if len(built.Own.Before) != 1 || built.Own.Before[0].Dir != "packages/a" {
		t.Errorf("before the tests of the root: %+v", built.Own.Before)
	}
	alone, _ := toolchain.NewProject([]string{"package.json", "a.js"}, func(string) []byte { return []byte(`{"name":"alone"}`) }).Detect(".")
	if alone.Own.Elsewhere || alone.Runner != "node" {
		t.Errorf("a package alone: %+v", alone)
	}
}

// TestGoWorkLeavesOut: a module that go.work does not use is built by itself, as it cannot be built otherwise.
func TestGoWorkLeavesOut(t *testing.T) {
	t.Parallel()
	for _, work := range []string{"go 1.26\n\nuse (\n\t. // the root\n\t\"./a\"\n)\nreplace (\n\t./b => ./c\n)\n", "use .\nuse a\n"} {
		files := map[string]string{"go.work": work, "go.mod": "module x\n", "a/go.mod": "module x/a\n", "b/go.mod": "module x/b\n"}
		p := toolchain.NewProject(slices.Sorted(maps.Keys(files)), func(p string) []byte { return []byte(files[p]) })
		for root, apart := range map[string]bool{".": false, "a": false, "b": true} {
			f, ok := p.Detect(root)
			if !ok || slices.Contains(f.Env(), "GOWORK=off") != apart || (f.Workspace == "") != apart {
				t.Errorf("%q: %s is run with %q in the workspace %q", work, root, f.Env(), f.Workspace)
			}
		}
	}
}

// TestDataOfOthers: sources without a manifest beside a project that the table has no row for are its data, and no toolchain.
func TestDataOfOthers(t *testing.T) {
	t.Parallel()
	files := map[string]string{"Rakefile": "task default: :test\n", ".github/workflows/ci.yml": "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n    - run: rake test\n", "lib/a.rb": "", "test/site/test.js": "", "test/site/app.js": ""}
	all := toolchain.NewProject(slices.Sorted(maps.Keys(files)), func(p string) []byte { return []byte(files[p]) }).All()
	if len(all) != 1 || all[0].Ecosystem != toolchain.Unknown {
		t.Errorf("a project of Ruby has the toolchains %+v", all)
	}
	delete(files, ".github/workflows/ci.yml") // nothing says how it is tested
	if all = toolchain.NewProject(slices.Sorted(maps.Keys(files)), func(p string) []byte { return []byte(files[p]) }).All(); len(all) == 0 || all[0].Ecosystem != toolchain.Node {
		t.Errorf("scripts of Node alone have the toolchains %+v", all)
	}
}

// TestLockOfAnother: a lock file of Python is that of the folder's own project, or of the workspace of uv that it is a member of.
func TestLockOfAnother(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"uv.lock": "", "pyproject.toml": "[tool.uv.workspace]\nmembers = ['packages/*']\nexclude = ['packages/old']\n", "a.py": "",
		"packages/new/pyproject.toml": "", "packages/new/a.py": "", "packages/old/pyproject.toml": "", "packages/old/a.py": "",
		"examples/one/pyproject.toml": "[project]\nname = 'one'\n", "examples/one/a.py": "",
	}
	p := toolchain.NewProject(slices.Sorted(maps.Keys(files)), func(p string) []byte { return []byte(files[p]) })
	for dir, want := range map[string]string{".": "uv", "packages/new": "uv", "packages/old": "pip", "examples/one": "pip"} {
		if f, _ := p.Detect(dir); f.Manager != want || (f.Lock != "") != (want == "uv") {
			t.Errorf("%s is installed by %s with the lock %q, want %s", dir, f.Manager, f.Lock, want)
		}
	}
}

// What tests read is no part of a project, and what has no tests is said to have none. Those of Rust stand in its sources.
func TestUntested(t *testing.T) {
	t.Parallel()
	list, read := project(map[string]string{
		"go.mod": "module m\n", "a.go": "package a\n", "a_test.go": "package a\n",
		"testdata/p/pyproject.toml": "[project]\nname='p'\n", "testdata/p/p.py": "", "web/fixtures/x/package.json": "{}", "web/fixtures/x/x.js": "",
		"services/vendor/go.mod": "module v\n", "services/vendor/v.go": "package v\n", "services/fixtures/go.mod": "module f\n", "services/fixtures/f_test.go": "package f\n",
		"vendor/modules.txt": "", "vendor/x/go.mod": "module x\n", "vendor/x/x.go": "package x\n",
		"examples/pyproject.toml": "[project]\nname='e'\n", "examples/e.py": "",
		"fast/Cargo.toml": "[package]\nname='fast'\n", "fast/src/lib.rs": "pub fn a() {}\n\n#[cfg(test)]\nmod tests {}\n",
		"slow/Cargo.toml": "[package]\nname='slow'\n", "slow/src/lib.rs": "pub fn b() {}\n",
	})
	var got []string
	for _, f := range toolchain.NewProject(list, read).All() {
		got = append(got, fmt.Sprintf("%s %s %t", f.Ecosystem, f.Root, f.Untested))
	}
	if want := []string{"go . false", "python examples true", "rust fast false", "go services/fixtures false", "go services/vendor true", "rust slow true"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestWorkspaceOfRustFetches: Cargo reads all packages of a workspace, so what one of them depends on is fetched for the others and for all as well.
func TestWorkspaceOfRustFetches(t *testing.T) {
	t.Parallel()
	list, read := project(map[string]string{
		"Cargo.toml": "[workspace]\nmembers = ['crates/*']\n", "crates/a/Cargo.toml": "[package]\nname='a'\n[dependencies]\nitoa = '1'\n", "crates/a/src/lib.rs": "", "crates/b/Cargo.toml": "[package]\nname='b'\n", "crates/b/src/lib.rs": "",
		"alone/Cargo.toml": "[package]\nname='alone'\n[workspace]\n", "alone/src/lib.rs": "", "alone/testdata/x/Cargo.toml": "[dependencies]\nitoa = '1'\n",
	})
	for dir, want := range map[string]bool{".": true, "crates/a": true, "crates/b": true, "alone": false} {
		f, _ := toolchain.NewProject(list, read).Detect(dir)
		test := f.Test(toolchain.Selection{})[0]
		if got := len(f.Setup()) > 0; got != want || slices.Contains(test.Env, "CARGO_HOME={env}") != want {
			t.Errorf("%s: setup %v, %q", dir, f.Setup(), test.Env)
		}
	}
}

// TestWorkspaceOfUv: packages of a workspace have the environment that the project's people test them in: that of all, or each its own. A change
// of one is a matter of those that depend on it.
func TestWorkspaceOfUv(t *testing.T) {
	t.Parallel()
	const workspace = "[tool.uv.workspace]\nmembers = ['packages/*']\n[dependency-groups]\ndev = ['pytest', 'pytest-mock']\n"
	const synced = "uv sync --inexact --frozen --all-groups --all-extras"
	for name, c := range map[string]struct{ root, ci, atRoot, ofMember string }{
		"a root that is no project":     {workspace, "uv run pytest", ".: " + synced + " --all-packages", ".: " + synced + " --all-packages"},
		"a project beside its packages": {"[project]\nname = 'shop'\n" + workspace, "uv run pytest", ".: " + synced, "packages/app: " + synced},
		"all of them":                   {"[project]\nname = 'shop'\n" + workspace, "uv sync --all-packages && uv run pytest", ".: " + synced + " --all-packages", ".: " + synced + " --all-packages"},
		"those that are named":          {workspace, "uv sync --package=app && uv run pytest packages/app", ".: " + synced + " --package app", "packages/app: " + synced},
		"one, in its directory":         {workspace, "cd packages/app && uv sync && uv run pytest", ".: " + synced, "packages/app: " + synced},
	} {
		list, read := project(map[string]string{
			"pyproject.toml": c.root, "uv.lock": "", ".github/workflows/ci.yml": "on: push\njobs: {t: {runs-on: ubuntu-latest, steps: [{run: '" + c.ci + "'}]}}\n",
			"packages/core/pyproject.toml": "[project]\nname = 'core'\n", "packages/core/core.py": "", "packages/core/test_core.py": "",
			"packages/app/pyproject.toml": "[project]\nname = 'app'\ndependencies = ['Core']\n[tool.uv.sources]\nCore = {workspace = true}\n", "packages/app/app.py": "", "packages/app/test_app.py": "",
			"packages/old/pyproject.toml": "[project]\nname = 'old'\n", "packages/old/old.py": "", "packages/old/test_old.py": "",
		})
		p := toolchain.NewProject(list, read)
		for dir, want := range map[string]string{".": c.atRoot, "packages/app": c.ofMember} {
			f, _ := p.Detect(dir)
			setup := f.Setup()
			i := slices.IndexFunc(setup, func(c toolchain.Command) bool { return c.Argv[0] == "uv" })
			if got := setup[i].Dir + ": " + strings.Join(setup[i].Argv, " "); got != want {
				t.Errorf("%s: %s is installed by %q, want %q", name, dir, got, want)
			}
			if whole := strings.HasSuffix(want, "--all-packages"); whole && (!f.Has("pytest-mock") || !slices.Contains(f.Installs, "packages/core/pyproject.toml") || setup[0].Dir != ".") {
				t.Errorf("%s: %s declares %q and is installed by %q", name, dir, f.Declared, f.Installs)
			}
		}
		var got []string
		for _, f := range toolchain.Affected(p.All(), []string{"packages/core/core.py"}) {
			got = append(got, f.Root)
		}
		if !slices.Contains(got, "packages/app") || !slices.Contains(got, "packages/core") || slices.Contains(got, "packages/old") {
			t.Errorf("%s: a change of core is a matter of %q", name, got)
		}
	}
}

func TestNearestFirst(t *testing.T) {
	t.Parallel()
	all := []toolchain.Found{{Root: "."}, {Root: "aa"}, {Root: "bb"}, {Root: "bb/deep"}}
	var got []string
	for _, f := range toolchain.NearestFirst(all, func(f toolchain.Found) bool { return strings.HasPrefix("bb/deep/x.py", f.Root+"/") }) {
		got = append(got, f.Root)
	}
	if want := []string{"bb/deep", "bb", ".", "aa"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestOtherTestsAtTheRoot: a manifest at the root, with tests of its own or without, does not hide tests in a language that no row is for.
func TestOtherTestsAtTheRoot(t *testing.T) {
	t.Parallel()
	for name, is := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"RSpec, tools in JavaScript": {map[string]string{"package.json": `{"name":"tools"}`, "build.js": "", ".rspec": "", "lib/a.rb": "", "spec/a_spec.rb": ""}, []string{"node -", "unknown rspec"}},
		"RSpec and Jest":             {map[string]string{"package.json": `{"scripts":{"test":"jest"},"devDependencies":{"jest":"29"}}`, "a.test.js": "", ".rspec": "", "lib/a.rb": "", "spec/a_spec.rb": ""}, []string{"node jest", "unknown rspec"}},
		"Make, tools in JavaScript":  {map[string]string{"package.json": `{"name":"tools"}`, "build.js": "", "Makefile": "test:\n\t./check.sh\n", "check.sh": ""}, []string{"node -", "unknown make"}},
		"Jest, and Make beside it":   {map[string]string{"package.json": `{"scripts":{"test":"jest"},"devDependencies":{"jest":"29"}}`, "a.test.js": "", "Makefile": "test:\n\t./check.sh\n", "check.sh": ""}, []string{"node jest"}},
		"no sources of Ruby":         {map[string]string{"package.json": `{"scripts":{"test":"jest"},"devDependencies":{"jest":"29"}}`, "a.test.js": "", ".rspec": ""}, []string{"node jest"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, f := range toolchain.NewProject(slices.Sorted(maps.Keys(is.files)), func(p string) []byte { return []byte(is.files[p]) }).All() {
				program := "-"
				if len(f.Own.Test) > 0 {
					program = f.Own.Test[0].Program()
				}
				got = append(got, f.Ecosystem+" "+program)
			}
			if !slices.Equal(got, is.want) {
				t.Errorf("%q, want %q", got, is.want)
			}
		})
	}
}
