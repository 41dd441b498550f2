package inspect_test

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/inspect"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// roundTrip decompiles a project and compares the specs with the code.
func roundTrip(t *testing.T, files map[string][]byte) (specs map[string]string) {
	t.Helper()
	list := func() []string {
		var out []string
		for f := range files {
			out = append(out, f)
		}
		return out
	}
	read := func(f string) []byte { return files[f] }
	specs = map[string]string{}
	for _, d := range inspect.New("/p", list(), read).Decompile(".") {
		if d.Skipped != "" {
			continue
		}
		files[d.Spec], files[d.Implements] = d.Text, d.ImplementsText
		specs[d.Dir] = string(d.Text)
		doc, ps := spec.Parse(d.Spec, d.Text)
		for _, pr := range append(ps, spec.Check(doc)...) {
			// Code that says nothing of its types gives a spec that says nothing of them.
			if strings.Contains(pr.Text, "purpose is not described") || pr.Severity == spec.Warning && strings.Contains(pr.Text, "missing parameter types") {
				continue
			}
			t.Errorf("%s\n%s", pr, d.Text)
		}
		if len(doc.Exports) != d.Exports {
			t.Errorf("%s: %d exports are read, %d were written:\n%s", d.Spec, len(doc.Exports), d.Exports, d.Text)
		}
	}
	x := inspect.New("/p", list(), read)
	for _, m := range x.Validate(".").Modules {
		if m.Status != "good" {
			t.Errorf("%s: %s, %d %%: %+v %+v\n%s", m.Directory, m.Status, m.Coverage, m.Issues, m.Facts, specs[m.Directory])
		}
	}
	for _, again := range x.Decompile(".") {
		if again.Skipped == "" {
			t.Errorf("%s was decompiled twice", again.Dir)
		}
	}
	return specs
}

func TestDecompiledSpecsAgreeWithTheCode(t *testing.T) {
	t.Parallel()
	specs := roundTrip(t, map[string][]byte{
		"go.mod":                 []byte("module example.com/lab\n\ngo 1.24\n"),
		"money/money.go":         []byte("// Package money counts cents.\n//\n// More.\npackage money\n\nimport \"io\"\n\n// Money is cents.\ntype Money struct{ Cents, Scale int }\n\nfunc (m *Money) Add(o Money) Money { return Money{} }\n\ntype Reader interface{ Read(b []byte) (int, error) }\n\ntype Kind int\n\nconst (\n\tCash Kind = iota\n\tCard\n)\n\nvar ErrNone = io.EOF\n\nfunc Parse[T any](w io.Writer, xs ...T) (n int, err error) { return }\n"),
		"money/money_test.go":    []byte("package money\n\nfunc TestX() {}\n"),
		"shop/shop.go":           []byte("package shop\n\nimport \"example.com/lab/money\"\n\nfunc Total() money.Money { return money.Money{} }\n"),
		"cmd/lab/main.go":        []byte("package main\n\nfunc Main() {}\n\nfunc main() {}\n"),
		"web/index.ts":           []byte("import { z } from './z';\nexport interface C { id: string; n?: number }\nexport type U = 'a' | 'b';\nexport enum St { Open, Closed = 2 }\nexport class K<T> extends Base { constructor(private x: number, y = 2) { super(); } m(a: T): void {} }\nexport const f = async <T>(a: T, b: () => void): Promise<T> => a;\nexport function g(a: string): string;\nexport function g(a: any) { return a; }\nexport const MAX = 3;\nexport default function main() {}\n"),
		"web/z.ts":               []byte("export const z = 1;\n"),
		"tool/__init__.py":       []byte("\"\"\"Reads tools.\n\nMore.\n\"\"\"\nfrom tool.inner import q\nfrom enum import Enum\n\nMAX = 3\n\n\nclass St(Enum):\n    OPEN = 1\n\n\nclass K(Base):\n    def __init__(self, x: int, y=2):\n        pass\n\n    def m(self, a):\n        pass\n\n\nasync def f(a: int, *args, b: str = 'x', **kw) -> dict[str, int]:\n    pass\n"),
		"tool/inner/__init__.py": []byte("def q():\n    return 1\n"),
	})
	for dir, want := range map[string][]string{
		"money": {"Money counts cents", "- `Parse[T any](w io.Writer, xs ...T) (n int, err error)`", "- `Money.Add(o Money) Money`", "Cash"},
		"shop":  {"- `money/CLAUDE.md`", spec.Placeholder, "- `Total() money.Money`"},
		"web":   {"- `f<T>(a: T, b: () => void): Promise<T>`", "- `g(a: string): string`", "- `St: Open | Closed = 2`", "K("},
		"tool":  {"Reads tools.", "- `tool/inner/CLAUDE.md`", "K(x: int, y=2)"},
	} {
		for _, w := range want {
			if w == "Money counts cents" {
				w = "Package money counts cents."
			}
			if !strings.Contains(specs[dir], w) {
				t.Errorf("%s lacks %q:\n%s", dir, w, specs[dir])
			}
		}
	}
	if strings.Contains(specs["cmd/lab"], "Main") {
		t.Error("a program exports nothing")
	}
}

// TestDecompileTheCorpus takes hard code of six languages: what is written of it is valid, agrees with it, and says what
// the code says of contracts and states.
// It takes longer than ten seconds: it reads each file of six languages several times.
func TestDecompileTheCorpus(t *testing.T) {
	t.Parallel()
	corpus := filepath.Join("..", "source", "testdata", "corpus")
	files := map[string][]byte{"go.mod": []byte("module example.com/corpus\n\ngo 1.24\n")}
	list, err := filepath.Glob(filepath.Join(corpus, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		if strings.HasSuffix(f, ".json") || strings.HasSuffix(f, ".md") {
			continue
		}
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		base := filepath.Base(f)
		name, _, _ := strings.Cut(base, ".")
		files[path.Join(filepath.Base(filepath.Dir(f)), name, base)] = b
	}
	specs := roundTrip(t, files)
	for dir, want := range map[string][]string{
		"go/ratelimit":           {"### New", "- burst > 0", "- ErrBurst when burst <= 0"},
		"ts/payment":             {"States: `Pending` | `Authorized`", "- `Pending` + `authorize()` → `Authorized`"},
		"python/task_queue":      {"1. `open()`", "- QueueClosed when not self._open"},
		"rust/lru_cache":         {"- `LruCache.get<Q>(&mut self, key: &Q) -> Option<&V>", "- `DEFAULT_CAPACITY: usize = ", "Bounded cache with least-recently-used eviction."},
		"java/PaymentGateway":    {"- `PaymentGateway.charge(String card, long cents): R`", "- `PaymentGateway.MAX_ATTEMPTS: int = "},
		"kotlin/RetryClient":     {"- `RetryClient(transport: Transport<Q, A>", "- RetryException.Exhausted after the last attempt"},
		"kotlin/DownloadManager": {"States: "},
	} {
		for _, w := range want {
			if !strings.Contains(specs[dir], w) {
				t.Errorf("%s lacks %q:\n%s", dir, w, specs[dir])
			}
		}
	}
}

// TestPackagesOfferWhatTheyExportAgain: barrels of TypeScript and packages of Python.
func TestPackagesOfferWhatTheyExportAgain(t *testing.T) {
	t.Parallel()
	specs := roundTrip(t, map[string][]byte{
		"tsconfig.json":       []byte("{\"compilerOptions\": {\"baseUrl\": \".\", \"paths\": {\"@lib/*\": [\"lib/*\"]}}} // comment\n"),
		"ui/index.ts":         []byte("export * from './button';\nexport { make as build } from './make';\nexport { Far } from '@lib/far';\nexport { useState } from 'react';\n"),
		"ui/button.ts":        []byte("export class Button { constructor(label: string) {} press(): void {} }\nexport default 1;\nexport type Id = string | number;\n"),
		"ui/make.ts":          []byte("export const make = (n: number): string => '';\nexport function hidden() {}\n"),
		"lib/far.ts":          []byte("export interface Far { x: number }\n"),
		"pkg/__init__.py":     []byte("from ._api import get, _private\nfrom ._star import *\nimport os\n"),
		"pkg/_api.py":         []byte("def get(url: str) -> int:\n    return 1\n\n\ndef _private():\n    pass\n"),
		"pkg/_star.py":        []byte("__all__ = ['Star']\n\n\nclass Star:\n    if True:\n        def shine(self) -> None: ...\n\n\ndef dim():\n    pass\n"),
		"plain/__init__.py":   []byte(""),
		"plain/tool.py":       []byte("def run(x: int) -> int:\n    return x\n"),
		"go.mod":              []byte("module x\n"),
		"src/lib.rs":          []byte("pub struct Number { n: u8 }\npub struct W { pub value: Number }\nstruct Hidden;\nimpl Hidden { pub fn no(&self) {} }\nimpl W { pub fn yes(&self) -> Number { todo!() } }\n"),
		"jvm/CacheSpec.java":  []byte("package jvm;\npublic class CacheSpec { public Number size() { return 1; } }\n"),
		"jvm/LedgerTest.java": []byte("package jvm;\nclass LedgerTest { }\n"),
	})
	for dir, want := range map[string][]string{
		"ui":    {"- `build(n: number): string`", "- `Button(label: string)`", "- `Far { x: number }`", "- `Id = string | number`", "useState"},
		"pkg":   {"- `get(url: str) -> int`", "- `Star()`"},
		"plain": {"- `run(x: int) -> int`"},
		"src":   {"- `W.yes(&self) -> Number`", "- `W { value: Number }`"},
		"jvm":   {"- `CacheSpec.size(): Number`"},
	} {
		for _, w := range want {
			if !strings.Contains(specs[dir], w) {
				t.Errorf("%s lacks %q:\n%s", dir, w, specs[dir])
			}
		}
	}
	for dir, no := range map[string]string{"ui": "hidden", "pkg": "dim", "src": "Hidden.no"} {
		if strings.Contains(specs[dir], no) {
			t.Errorf("%s has %q:\n%s", dir, no, specs[dir])
		}
	}
}

// TestDecompileTheStandardLibrary takes code that was written for something else.
// It takes longer than ten seconds: it reads all of the standard library.
func TestDecompileTheStandardLibrary(t *testing.T) {
	t.Parallel()
	src := library(t)
	files := map[string][]byte{"go.mod": []byte("module std\n\ngo 1.24\n")}
	for _, dir := range []string{"net/http", "encoding/json", "strings", "sync", "time", "go/ast", "text/template", "database/sql"} {
		list, err := filepath.Glob(filepath.Join(src, filepath.FromSlash(dir), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range list {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			files[path.Join(dir, filepath.Base(f))] = b
		}
	}
	specs := roundTrip(t, files)
	if n := strings.Count(specs["net/http"], "\n- `"); n < 250 {
		t.Errorf("%d exports of net/http, want all", n)
	}
	for _, want := range []string{"- `ListenAndServe(addr string, handler Handler) error`", "- `Client.Do(req *Request) (*Response, error)`"} {
		if !strings.Contains(specs["net/http"], want) {
			t.Errorf("net/http lacks %s", want)
		}
	}
	if want := "\n- `Cut(s, sep string) (before, after string, found bool)`: Cut slices s around the first instance of sep, returning the text before and after sep.\n"; !strings.Contains(specs["strings"], want) {
		t.Errorf("strings:\n%s", specs["strings"])
	}
}

// TestDecompileWithoutTypes: code that says nothing of its types has parameters all the same.
func TestDecompileWithoutTypes(t *testing.T) {
	t.Parallel()
	files := map[string]string{"m/__init__.py": "def bare(a, b=2, *rest, key=None, **kw):\n    pass\n\n\ndef idle():\n    pass\n\n\ndef half(a: int, b):\n    pass\n"}
	d := project(files).Decompile(".")
	if len(d) != 1 {
		t.Fatalf("%d specs", len(d))
	}
	for _, want := range []string{"- `bare(a, b=2, *rest, key=None, **kw)`\n", "- `idle()`\n", "- `half(a: int, b)`\n"} {
		if !strings.Contains(string(d[0].Text), want) {
			t.Errorf("no %s in\n%s", want, d[0].Text)
		}
	}
	files["m/CLAUDE.md"] = string(d[0].Text)
	if v := project(files).Validate("."); !v.Clean() {
		t.Errorf("%+v", v.Modules)
	}
}

// TestDefaultExports: they have the names of their declarations, and default where there is none.
func TestDefaultExports(t *testing.T) {
	t.Parallel()
	specs := roundTrip(t, map[string][]byte{
		"a/index.ts": []byte("/** @throws {Error} never */\nexport default async function begin(argv: string[]): Promise<void> {}\n"),
		"b/main.ts":  []byte("export default class Foo<T> extends Bar { constructor(n: number) { super(); } run(a: T): void {} }\n"),
		"c/main.js":  []byte("export default async (url, init = {}) => 1;\n"),
		"d/main.ts":  []byte("const App = (p: string): number => 1;\nexport { App };\nexport default App;\n"),
		"e/main.ts":  []byte("export default { a: 1 };\n"),
		"f/main.ts":  []byte("export default class { constructor(n: number) {} }\n"),
		"g/index.ts": []byte("export { default as start, extra } from './start';\nexport { default } from './other';\n"),
		"g/start.ts": []byte("export const extra: number = 1;\nexport default function go(n: number): string { return ''; }\n"),
		"g/other.ts": []byte("const config: Config = {};\nexport default config;\n"),
		"i/index.ts": []byte("export { default } from './x';\nexport { default as Other } from './y';\n"),
		"i/x.ts":     []byte("export default class X<T> { constructor(a: T) {} run(): void {} }\n"),
		"i/y.ts":     []byte("export default class Y { constructor(a: string) {} run(): void {} }\n"),
		"h/main.cjs": []byte("module.exports = function (a, b) {};\n"),
	})
	for dir, want := range map[string][]string{
		"a": {"- `begin(argv: string[]): Promise<void>`", "### begin\n\n- **Throws**:\n  - Error never"},
		"b": {"- `Foo(n: number) extends Bar`", "- `Foo.run(a: T): void`"},
		"c": {"- `async default(url, init = {})`"},
		"d": {"- `App(p: string): number`\n\n##"},
		"e": {"- `default`"},
		"f": {"- `default(n: number)`"},
		"g": {"- `start(n: number): string`", "- `extra: number = 1`", "- `config: Config`"},
		"i": {"- `X(a: T)`", "- `X.run(): void`", "- `Other(a: string)`", "- `Other.run(): void`"},
		"h": {"- `default(a, b)`"},
	} {
		for _, w := range want {
			if !strings.Contains(specs[dir], w) {
				t.Errorf("%s lacks %q:\n%s", dir, w, specs[dir])
			}
		}
	}
	v := project(map[string]string{
		"m/CLAUDE.md": spec1("- `begin(argv: number[]): void`", "None", ""), "m/index.ts": "export default function begin(argv: string[]): void {}\n",
		"n/CLAUDE.md": spec1("- `default(argv: string[]): void`", "None", ""), "n/index.ts": "export default function begin(argv: string[]): void {}\n",
		"p/CLAUDE.md": spec1("None", "None", ""), "p/next.config.mjs": "export default { a: 1 };\n",
		"q/CLAUDE.md": spec1("None", "None", ""), "q/index.ts": "export default (a: string) => 1;\n",
		"o/CLAUDE.md": spec1("None", "None", ""), "o/index.ts": "export default function begin(argv: string[]): void {}\n",
	}).Validate(".")
	if got, want := drifts(v), "MISMATCH Exports begin; MISSING Exports begin; MISSING Exports default"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestSignaturesOfSpecs: what decompile writes of declarations of each language, whole.
func TestSignaturesOfSpecs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
		no    string
	}{
		"rust names that are exported again": {
			map[string]string{
				"Cargo.toml":        "[package]\nname = \"shapes\"\n",
				"src/lib.rs":        "mod geo;\nmod deep;\npub mod inner { pub fn here(a: u8) -> u8 { a } }\npub use geo::area;\npub use self::geo::Shape;\npub use crate::geo::vol as volume;\npub use geo::LIMIT as MAX;\npub use deep::{dive, Fish as Shark};\npub use inner::here;\npub use serde::Serialize;\n",
				"src/geo.rs":        "pub fn area(w: f64) -> f64 { w }\npub struct Shape { pub w: f64 }\nimpl Shape { pub fn grow(&self, by: f64) -> f64 { by } }\npub fn vol(w: f64) -> f64 { w }\npub const LIMIT: usize = 3;\n",
				"src/deep/mod.rs":   "pub fn dive(m: u32) -> bool { true }\npub struct Fish { pub n: u8 }\n",
				"src/deep/other.rs": "",
			},
			[]string{"- `area(w: f64) -> f64`", "- `Shape { w: f64 }`", "- `Shape.grow(&self, by: f64) -> f64`", "- `volume(w: f64) -> f64`", "- `MAX: usize = 3`", "- `dive(m: u32) -> bool`", "- `Shark { n: u8 }`", "- `here(a: u8) -> u8`", "- `Serialize`"},
			": value",
		},
		"rust": {
			map[string]string{"src/lib.rs": "pub struct A(pub u8, String);\npub struct B<T>(pub T);\npub struct C<T> { pub a: T }\npub struct D;\npub struct E<'a>(pub &'a str);\npub type Res<T> = Result<T, String>;\npub async fn go(a: u8) -> u8 { a }\nimpl A { pub async fn run(&self) -> u8 { 1 } }\n"},
			[]string{"- `A(u8, _)`", "- `B<T>(T)`", "- `C<T> { a: T }`", "- `D { }`", "- `E<'a>(&'a str)`", "- `Res<T> = Result<T, String>`", "- `async go(a: u8) -> u8`", "- `async A.run(&self) -> u8`"},
			"A { }",
		},
		"java": {
			map[string]string{"src/A.java": "public class A {\n  public record Pair(int a, String b) { public Pair { } }\n  public static class In { public In(int x) {} }\n  public <K, V extends Comparable<V>> Map<K, V> sorted(Map<K, V> m) { return m; }\n  public static <T> void each(List<T> l) {}\n}\n"},
			[]string{"- `A.Pair(int a, String b)`", "- `A.In(int x)`", "- `A.sorted<K, V extends Comparable<V>>(Map<K, V> m): Map<K, V>`", "- `static A.each<T>(List<T> l): void`"},
			"A.Pair()",
		},
		"kotlin": {
			map[string]string{"src/S.kt": "sealed class S {\n    data class Busy(val n: Int) : S()\n    object Idle : S()\n}\nclass B : Base(1)\ninterface Named {\n    val name: String\n    var age: Int\n    fun greet(to: String): String\n}\nsuspend fun load(id: Long): String = \"\"\nfun String.shout(times: Int): String {\n    require(times > 0)\n    return this\n}\nfun <T> List<T>.second(): T = this[1]\nconst val MAX = 3\nval PI = 3.14\nval NAME = \"x\"\nval OTHER = load()\n"},
			[]string{"- `S.Busy(n: Int) extends S`", "- `B() extends Base`", "- `Named { name: String, age: Int }`", "- `Named.greet(to: String): String`", "- `suspend load(id: Long): String`", "- `String.shout(times: Int): String`", "- `List.second<T>(): T`", "### String.shout\n\n- **Preconditions**:\n  - times > 0", "- `MAX: Int = 3`", "- `PI: Double = 3.14`", "- `NAME: String = \"x\"`", "- `OTHER`\n"},
			": value",
		},
		"go": {
			map[string]string{"go.mod": "module x\n", "src/a.go": "package a\n\ntype Store[K comparable, V any] struct{ Size int }\n\ntype Set[T comparable] map[T]bool\n\ntype Level int\n\ntype Hook func(a int) error\n\nfunc (s *Store[K, V]) Get(k K) V { return s.v }\n\nconst (\n\tMax = 3\n\tName = \"x\"\n\tRatio = 1.5\n\tOn = true\n\tTwice = 2 * Max\n)\n"},
			[]string{"- `Store[K comparable, V any] { Size int }`", "- `Set[T comparable] = map[T]bool`", "- `Level = int`", "- `Hook = func(a int) error`", "- `Store.Get(k K) V`", "- `Max: int = 3`", "- `Name: string = \"x\"`", "- `Ratio: float64 = 1.5`", "- `On: bool = true`", "- `Twice: int = 6`"},
			": value",
		},
		"typescript": {
			map[string]string{"src/index.ts": "export const id = <T,>(a: T): T => a;\nexport * as ns from './x';\nexport const MAX = 3;\nexport const NAME = 'x' as const;\nexport const neg = -1.5;\nexport let on = true;\nexport const fn = function named(a: string): void {};\nexport const gen = function* <T>(a: T[]): Generator<T> {};\nexport const later = async (a) => 1;\nexport const made = make();\nexport interface Box<T> { a: T }\nexport type Pair<A, B = string> = [A, B];\n", "src/x.ts": "export const x = 1;\n"},
			[]string{"- `id<T>(a: T): T`", "- `ns`\n", "- `MAX: number = 3`", "- `NAME = 'x'`\n", "- `neg: number = -1.5`", "- `on: boolean`", "- `fn(a: string): void`", "- `gen<T>(a: T[]): Generator<T>`", "- `async later(a)`", "- `made`\n", "- `Box<T> { a: T }`", "- `Pair<A, B = string> = [A, B]`"},
			": value",
		},
		"python": {
			map[string]string{"src/__init__.py": "MAX = 3\nRATE = .5\nNAME = 'a' 'b'\nRAW = b'x'\nON = True\nALL = [1]\n\n\nasync def go(a: int) -> int:\n    pass\n\n\nclass K:\n    async def run(self, a: int) -> int:\n        pass\n\n    def grow(self, by: int = 1 << 4, twice: bool = False) -> int:\n        pass\n"},
			[]string{"- `MAX: int = 3`", "- `RATE: float = .5`", "- `NAME: str = 'a' 'b'`", "- `RAW: bytes = b'x'`", "- `ON: bool = True`", "- `ALL = [1]`\n", "- `async go(a: int) -> int`", "- `async K.run(a: int) -> int`", "- `K.grow(by: int = 1 << 4, twice: bool = False) -> int`"},
			": value",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := map[string][]byte{}
			for f, text := range c.files {
				files[f] = []byte(text)
			}
			text := roundTrip(t, files)["src"]
			for _, w := range c.want {
				if !strings.Contains(text, w) {
					t.Errorf("lacks %q", w)
				}
			}
			if strings.Contains(text, c.no) {
				t.Errorf("has %q", c.no)
			}
			if t.Failed() {
				t.Log(text)
			}
		})
	}
	a := project(map[string]string{"src/lib.rs": "mod geo;\npub use geo::area;\nuse serde::Serialize;\n", "src/geo.rs": "pub fn area() {}\n"}).Analyze("src", nil)
	if got := strings.Join(a.Dependencies.External, " "); got != "serde" {
		t.Errorf("external %s, want serde", got)
	}
}

// TestStateMachinesStayApart: two enumerations of states are no one machine.
func TestStateMachinesStayApart(t *testing.T) {
	t.Parallel()
	code := "export enum Status { Open, Closed }\nexport type State = 'a' | 'b';\nexport class K {\n  status = Status.Open;\n  state: State = 'a';\n  close(): void { if (this.status !== Status.Open) throw new Error('x'); this.status = Status.Closed; }\n}\n"
	both := strings.Replace(code, "}\n}\n", "}\n  go(): void { if (this.state !== 'a') throw new Error('x'); this.state = 'b'; }\n}\n", 1)
	for want, text := range map[string]string{
		"## Protocol\n\n### State Machine\n\n#### Status\n\nStates: `Open` | `Closed`\n\n#### State\n\nStates: `a` | `b`\n\n## Domain":     strings.SplitAfter(code, "'b';\n")[0],
		"### State Machine\n\nStates: `Open` | `Closed`\n\nTransitions:\n\n- `Open` + `close()` → `Closed`\n\n## Domain":                   code,
		"#### Status\n\nStates: `Open` | `Closed`\n\nTransitions:\n\n- `Open` + `close()` → `Closed`\n\n#### State\n\nStates: `a` | `b`\n": both,
	} {
		files := map[string][]byte{"m/index.ts": []byte(text)}
		if got := roundTrip(t, files)["m"]; !strings.Contains(got, want) {
			t.Errorf("%s\nlacks\n%s", got, want)
		}
	}
	a, err := json.Marshal(project(map[string]string{"m/index.ts": strings.SplitAfter(code, "'b';\n")[0]}).Analyze("m", nil))
	if err != nil {
		t.Fatal(err)
	}
	list, err := inspect.ReadReports(a)
	if err != nil || !strings.Contains(list[0].Summary(), "### States\n\nStatus: Open → Closed\n\nState: a → b\n") {
		t.Errorf("%v: %s", err, list[0].Summary())
	}
}
