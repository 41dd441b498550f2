package check_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/conformance"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// The versions of what these tests install.
const (
	pnpmPackage  = "pnpm@12.21.0"
	yarnPackage  = "yarn@1.22.22"
	berryPackage = "@yarnpkg/cli-dist@4.18.1"
	bunPackage   = "bun@1.4.4"
	denoPackage  = "deno@2.9.6"
	// Packages of which no version is named are those of this day.
	packageDay = "2026-11-19"
)

// spanSample is a module that needs the package ms, so its code runs only where the packages of the lock file are installed.
func spanSample(runner string) sample {
	head, equal, throws := "import { describe, it } from 'node:test';\nimport assert from 'node:assert/strict';\n", "assert.equal(%s, %s)", "assert.throws(() => span(''))"
	if runner == "bun test" {
		head, equal, throws = "import { describe, it, expect } from 'bun:test';\n", "expect(%s).toBe(%s)", "expect(() => span('')).toThrow()"
	}
	eq := func(a, b string) string { return strings.Replace(strings.Replace(equal, "%s", a, 1), "%s", b, 1) }
	const right = "import ms from 'ms';\n\nexport function span(text) {\n  if (text === '') {\n    throw new Error('no text');\n  }\n  return ms(text);\n}\n"
	return sample{
		dir: "src/span",
		base: map[string]string{
			"package.json":       "{\"name\": \"lab\", \"version\": \"1.0.0\", \"private\": true, \"type\": \"module\", \"scripts\": {\"test\": \"" + runner + "\"}, \"dependencies\": {\"ms\": \"2.1.3\"}}\n",
			"src/other/index.js": "export const one = () => 1;\n",
		},
		exports: []step.Export{{Kind: "function", Name: "span", Signature: "span(text: string): number"}},
		test: map[string]string{"src/span/index.test.js": head + "import { span } from './index.js';\n\ndescribe('span', () => {\n  it('reads hours', () => { " + eq("span('2h')", "7200000") +
			"; });\n  describe('of nothing', () => {\n    it('throws', () => { " + throws + "; });\n  });\n});\n\nit('reads seconds', () => { " + eq("span('1s')", "1000") + "; });\n"},
		ids:   []string{"src/span/index.test.js::reads seconds", "src/span/index.test.js::span > of nothing > throws", "src/span/index.test.js::span > reads hours"},
		right: map[string]string{"src/span/index.js": right},
		wrong: map[string]string{"src/span/index.js": strings.Replace(right, "throw new Error('no text')", "return 0", 1)},
	}
}

const spanFails = "src/span/index.test.js::span > of nothing > throws"

// addMri adds a small package to a project of a package manager.
func addMri(t *testing.T, l *lab, base map[string]string, test string, changed ...string) {
	t.Helper()
	reaches(t, "", "npm", "view", "mri@1.2.0", "version")
	head := "import { test } from 'node:test';\nimport assert from 'node:assert/strict';\n"
	check := "assert.deepEqual(mri(['--x=1']).x, 1)"
	if strings.HasPrefix(test, "bun") {
		head, check = "import { test, expect } from 'bun:test';\n", "expect(mri(['--x=1']).x).toBe(1)"
	}
	proveAdd(t, l, base, toolchain.Dependency{Name: "mri", Version: "1.2.0"}, "99.0.0", changed,
		map[string]string{"src/mri.test.js": head + "import mri from 'mri';\n\ntest('reads', () => { " + check + "; });\n"})
}

// TestRowPnpm runs vitest and the type checker in the layout of links that pnpm installs.
func TestRowPnpm(t *testing.T) {
	t.Parallel()
	conformance.Only(t)
	needs(t, "npm")
	bin := npmTool(t, pnpmPackage)
	s := tsSample(t)
	files := map[string]string{"package.json": s.base["package.json"], "package-lock.json": s.base["package-lock.json"]}
	s.base["pnpm-lock.yaml"] = lock(t, bin, files, "pnpm-lock.yaml", "pnpm", "import")
	delete(s.base, "package-lock.json")
	s.wrong = map[string]string{"src/calc/index.ts": strings.Replace(s.right["src/calc/index.ts"], "throw new ZeroError", "throw new Error", 1)}
	l := newLab(t, tools(bin))
	proveRow(t, l, s, "pnpm vitest", "src/calc/index.test.ts::div > throws its own error")
}

func TestRowPnpmAdds(t *testing.T) {
	t.Parallel()
	conformance.Only(t)
	bin := npmTool(t, pnpmPackage)
	s := spanSample("node --test")
	s.base["pnpm-workspace.yaml"] = "packages:\n  - parts/*\n  - tools/*\n"
	s.base["parts/a/package.json"] = "{\"name\": \"a\", \"version\": \"1.0.0\"}\n"
	s.base["pnpm-lock.yaml"] = lock(t, bin, s.base, "pnpm-lock.yaml", "pnpm", "install", "--lockfile-only")
	l := newLab(t, tools(bin))
	addMri(t, l, s.base, "node", "package.json", "pnpm-lock.yaml")
}

func TestRowYarn(t *testing.T) {
	t.Parallel()
	conformance.Only(t)
	bin := npmTool(t, yarnPackage)
	s := spanSample("node --test")
	s.base["package.json"] = strings.Replace(s.base["package.json"], "\"type\"", "\"workspaces\": [\"parts/*\"], \"type\"", 1)
	s.base["parts/a/package.json"] = "{\"name\": \"a\", \"version\": \"1.0.0\"}\n"
	s.base["yarn.lock"] = lock(t, bin, s.base, "yarn.lock", "yarn", "install", "--non-interactive")
	l := newLab(t, tools(bin))
	proveRow(t, l, s, "yarn node", spanFails)
	addMri(t, l, s.base, "node", "package.json", "yarn.lock")
}

func TestRowYarnBerry(t *testing.T) {
	t.Parallel()
	conformance.Only(t)
	bin := npmTool(t, berryPackage)
	s := spanSample("node --test")
	s.base["yarn.lock"] = lock(t, bin, s.base, "yarn.lock", "yarn", "install", "--mode=update-lockfile")
	l := newLab(t, tools(bin))
	proveRow(t, l, s, "yarn-berry node", spanFails)
	addMri(t, l, s.base, "node", "package.json", "yarn.lock")
}

// TestRowYarnRelease has the release of Yarn in the project, which the yarn on the PATH, an older one, hands over to.
func TestRowYarnRelease(t *testing.T) {
	t.Parallel()
	conformance.Only(t)
	old, bin := npmTool(t, yarnPackage), npmTool(t, berryPackage)
	release, err := os.ReadFile(filepath.Join(bin, "..", "@yarnpkg", "cli-dist", "bin", "yarn.js"))
	if err != nil {
		t.Fatal(err)
	}
	s := spanSample("node --test")
	s.base["yarn.lock"] = lock(t, bin, s.base, "yarn.lock", "yarn", "install", "--mode=update-lockfile")
	s.base[".yarnrc.yml"] = "yarnPath: .yarn/releases/yarn-4.18.1.cjs\n"
	s.base[".yarn/releases/yarn-4.18.1.cjs"] = string(release)
	l := newLab(t, tools(old))
	proveRow(t, l, s, "yarn-berry node", spanFails)
}

// TestRowDeno has a package of npm, steps of tests, and files that cannot be loaded.
func TestRowDeno(t *testing.T) {
	t.Parallel()
	conformance.Only(t)
	bin := npmTool(t, denoPackage)
	const right = "import ms from \"ms\";\n\nexport function span(text: string): number {\n  if (text === \"\") {\n    throw new Error(\"no text\");\n  }\n  return ms(text);\n}\n"
	s := sample{
		dir:     "src/span",
		base:    map[string]string{"deno.jsonc": "{\n  // npm's\n  \"imports\": {\"ms\": \"npm:ms@2.1.3\"},\n}\n", "src/other/index.ts": "export const one = () => 1;\n"},
		exports: []step.Export{{Kind: "function", Name: "span", Signature: "span(text: string): number"}},
		test: map[string]string{"src/span/index_test.ts": "import assert from \"node:assert/strict\";\nimport { span } from \"./index.ts\";\n\nDeno.test(\"span\", async (t) => {\n  await t.step(\"reads hours\", () => {\n    assert.equal(span(\"2h\"), 7200000);\n  });\n});\n\n" +
			"Deno.test({ name: \"throws\", fn() {\n  assert.throws(() => span(\"\"));\n} });\n"},
		ids:   []string{"src/span/index_test.ts::span", "src/span/index_test.ts::span > reads hours", "src/span/index_test.ts::throws"},
		right: map[string]string{"src/span/index.ts": right},
		wrong: map[string]string{"src/span/index.ts": strings.Replace(right, "throw new Error(\"no text\")", "return 0", 1)},
	}
	s.base["deno.lock"] = lock(t, bin, s.base, "deno.lock", "deno", "install")
	l := newLab(t, tools(bin))
	proveRow(t, l, s, "deno deno", "src/span/index_test.ts::throws")
	proveAdd(t, l, s.base, toolchain.Dependency{Name: "mri", Version: "1.2.0"}, "99.0.0", []string{"deno.jsonc", "deno.lock"},
		map[string]string{"src/mri_test.ts": "import assert from \"node:assert/strict\";\nimport mri from \"mri\";\n\nDeno.test(\"reads\", () => {\n  assert.equal(mri([\"--x=1\"]).x, 1);\n});\n"})
}

func TestRowBun(t *testing.T) {
	t.Parallel()
	conformance.Only(t)
	bin := npmTool(t, bunPackage)
	s := spanSample("bun test")
	s.base["bun.lock"] = lock(t, bin, s.base, "bun.lock", "bun", "install", "--lockfile-only")
	l := newLab(t, tools(bin))
	proveRow(t, l, s, "bun bun", spanFails)
	addMri(t, l, s.base, "bun", "bun.lock", "package.json")

	// A file that cannot be loaded is no word in the report.
	base := l.tree("", s.base)
	m := l.module(base, s.dir, s.exports...)
	broken := strings.Replace(s.test["src/span/index.test.js"], "'./index.js'", "'./index.js';\nimport { x } from 'nowhere-at-all'", 1)
	p, err := l.checker.Red(t.Context(), m, base, l.tree(base, map[string]string{"src/span/index.test.js": broken}), nil)
	want(t, "a test that cannot be loaded", p, err, false, "red-unrelated-failure")
	if f := p.Findings[0]; !strings.Contains(f.Message, "nowhere-at-all") {
		t.Errorf("finding = %+v", f)
	}
}

// npmLock locks a project for npm with the packages of one day.
func npmLock(t *testing.T, base map[string]string) string {
	t.Helper()
	needs(t, "npm")
	return lock(t, "", map[string]string{"package.json": base["package.json"]}, "package-lock.json",
		"npm", "install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund", "--before="+packageDay)
}

// TestRowJest runs Jest on CommonJS, which it reads without being told. A test sees none of the arguments that Jest is run with.
func TestRowJest(t *testing.T) {
	t.Parallel()
	conformance.Only(t)
	s := nodeSample(t)
	s.base = map[string]string{
		"package.json":       "{\"name\": \"lab\", \"version\": \"1.0.0\", \"private\": true, \"scripts\": {\"test\": \"jest\"}, \"devDependencies\": {\"jest\": \"30.5.2\"}, \"overrides\": {\"unrs-resolver\": \"1.12.1\"}}\n",
		"src/other/index.js": "exports.one = () => 1;\n",
	}
	s.base["package-lock.json"] = npmLock(t, s.base)
	const right = "class ZeroError extends Error {}\n\nfunction div(a, b) {\n  if (b === 0) {\n    throw new ZeroError('zero');\n  }\n  return Math.floor(a / b);\n}\n\nmodule.exports = { ZeroError, div };\n"
	s.test = map[string]string{"src/calc/index.test.js": "const { div, ZeroError } = require('./index');\n\ndescribe('div', () => {\n  it('divides', () => {\n    expect([div(6, 3), ...process.argv.slice(2)]).toEqual([2]);\n  });\n" +
		"  it.each([1, 2])('%i by itself', (n) => {\n    expect(div(n, n)).toBe(1);\n  });\n  describe('by zero', () => {\n    it('throws its own error', () => {\n      expect(() => div(1, 0)).toThrow(ZeroError);\n    });\n  });\n});\n"}
	s.ids = []string{"src/calc/index.test.js::div > divides", "src/calc/index.test.js::div > %i by itself", "src/calc/index.test.js::div > by zero > throws its own error"}
	s.right = map[string]string{"src/calc/index.js": right}
	s.wrong = map[string]string{"src/calc/index.js": strings.Replace(right, "throw new ZeroError('zero')", "return 0", 1)}
	l := newLab(t)
	proveRow(t, l, s, "npm jest", "src/calc/index.test.js::div > by zero > throws its own error")
	base := l.tree("", s.base)
	m := l.module(base, s.dir, s.exports...)
	p, err := l.checker.Mutants(t.Context(), m, l.tree(base, s.test), l.tree(l.tree(base, s.test), s.right), frozenOf(t, l, l.tree(base, s.test), []step.File{{Path: "src/calc/index.test.js"}}))
	want(t, "strength", p, err, true, rules(p.Findings)...)
	if p.Tried == 0 || p.Killed == 0 {
		t.Errorf("mutants: %d of %d killed", p.Killed, p.Tried)
	}
}

// TestRowsNodeFormat has ESLint, Prettier and Biome in one project, each for files of its own.
func TestRowsNodeFormat(t *testing.T) {
	t.Parallel()
	conformance.Only(t)
	base := map[string]string{
		"package.json":     "{\"name\": \"lab\", \"version\": \"1.0.0\", \"private\": true, \"type\": \"module\", \"devDependencies\": {\"eslint\": \"10.15.0\", \"prettier\": \"3.10.1\", \"@biomejs/biome\": \"2.5.0\"}}\n",
		"eslint.config.js": "export default [{ files: ['src/eslint/**'], rules: { 'prefer-const': 'error', 'no-unused-vars': 'error', 'no-empty': 'warn' } }];\n",
		".prettierrc":      "{ \"singleQuote\": true }\n", ".prettierignore": "src/biome\nsrc/eslint\n",
		"biome.json": "{ \"files\": { \"includes\": [\"src/biome/**\"] }, \"linter\": { \"rules\": { \"correctness\": { \"noUnusedVariables\": \"error\" } } } }\n",
		"src/a.js":   "export const a = 1;\n",
	}
	base["package-lock.json"] = npmLock(t, base)
	l := newLab(t)
	tree := l.tree("", base)
	m := l.module(tree, "src")
	if got := slices.Sorted(slices.Values(m.Chain.Tools)); !slices.Equal(got, []string{"@biomejs/biome", "eslint", "prettier"}) {
		t.Fatalf("tools = %q", got)
	}
	ugly := l.tree(tree, map[string]string{
		"src/prettier/a.js": "export   const a = \"x\"\n", "src/prettier/kept.js": "export   const b = \"x\"\n",
		"src/eslint/a.js": "export function f() {\n  let one = 1;\n  let unused = 2;\n  return one;\n}\n",
		"src/biome/a.js":  "export function f() {\n      const unused = 2;\n  return 1\n}\n",
	})
	p, changed, err := l.checker.Format(t.Context(), m, ugly, []string{"src/prettier/a.js", "src/eslint/a.js", "src/biome/a.js"})
	want(t, "format", p, err, true, "lint")
	if slices.Sort(changed); !slices.Equal(changed, []string{"src/biome/a.js", "src/eslint/a.js", "src/prettier/a.js"}) {
		t.Errorf("changed = %q", changed)
	}
	reads(t, l, p.Tree, map[string]string{
		"src/prettier/a.js": "export const a = 'x';\n", "src/prettier/kept.js": "export   const b = \"x\"\n",
		"src/eslint/a.js": "export function f() {\n  const one = 1;\n  const unused = 2;\n  return one;\n}\n",
		"src/biome/a.js":  "export function f() {\n\tconst unused = 2;\n\treturn 1;\n}\n",
	})
	lints(t, p, "src/eslint/a.js:3 no-unused-vars", "src/biome/a.js:2 unused")

	// What a formatter cannot read is said and changes nothing.
	p, changed, err = l.checker.Format(t.Context(), m, l.tree(tree, map[string]string{"src/prettier/a.js": "export const = ;\n"}), []string{"src/prettier/a.js"})
	want(t, "a file that is no JavaScript", p, err, true, "format-failed")
	if len(changed) > 0 {
		t.Errorf("changed = %q", changed)
	}
}

// reads compares files of a tree.
func reads(t *testing.T, l *lab, tree string, files map[string]string) {
	t.Helper()
	entries, err := l.repo.ReadTree(t.Context(), tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, ok := files[e.Path]
		if !ok {
			continue
		}
		b, err := l.repo.ReadBlob(t.Context(), e.ID)
		if err != nil || string(b) != text {
			t.Errorf("%s = %q, want %q (%v)", e.Path, b, text, err)
		}
		delete(files, e.Path)
	}
	for name := range files {
		t.Errorf("%s is not in the tree", name)
	}
}

// lints compares the findings of linters with "path:line a word of the message".
func lints(t *testing.T, p check.Proof, wanted ...string) {
	t.Helper()
	if len(p.Findings) != len(wanted) {
		t.Errorf("%d findings, want %d: %+v", len(p.Findings), len(wanted), p.Findings)
		return
	}
	for i, f := range p.Findings {
		at, word, _ := strings.Cut(wanted[i], " ")
		file, line, _ := strings.Cut(at, ":")
		if f.Rule != "lint" || f.Severity != step.Fix || f.Path != file || line != strconv.Itoa(f.Line) || !strings.Contains(f.Message, word) {
			t.Errorf("finding = %+v, want %s", f, wanted[i])
		}
	}
}
