package source_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/source"
)

func exportLines(f source.File) []string {
	var out []string
	for _, e := range f.Exports {
		out = append(out, fmt.Sprintf("%s %s %s", e.Kind, strings.TrimPrefix(e.Owner+"."+e.Name, "."), e.Signature))
	}
	return out
}

func TestExportsOfEachLanguage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, path, src string
		want            []string
	}{
		{
			"go", "a/a.go", `package a

import "context"

// Limit is the limit.
const Limit = 3 // three
var ErrX error = nil
type Token struct {
	ID string // an id
	n  int
}
type Doer interface{ Do(ctx context.Context) error }
func (t *Token) Valid(now   int) bool { return true }
func (t *Token) hidden() {}
func Parse[T any](s string,
	n int) (T, error) { var z T; return z, nil }
func private() {}
`,
			[]string{
				"constant Limit const Limit",
				"variable ErrX var ErrX error",
				"struct Token type Token struct{ID string}",
				"interface Doer type Doer interface{Do(ctx context.Context)error}",
				"method Token.Valid func(t*Token)Valid(now int)bool",
				"function Parse func Parse[T any](s string,n int)(T,error)",
			},
		},
		{
			"typescript", "a/a.ts", `import { x } from './x';
export async function load(id: string, o: { deep: boolean } = { deep: true }): Promise<{ a: number }> {
  return { a: 1 };
}
export const add = (a: number, b: number): number => a + b;
export const LIMIT = 3;
export interface User { id: string; }
export type Id = string | number;
export class Store<T> extends Base {
  private n = 0;
  #secret = 1;
  static of(): Store<any> { return new Store(); }
  get size(): number { return this.n }
  put(k: string, v: T): void { if (k) { this.n++ } }
  private hide() {}
}
function local() {}
function later(a: string) { return a }
export { later as renamed };
export * from './other';
export default function main() {}
`,
			[]string{
				"function load async function load(id:string,o:{deep:boolean}={deep:true}):Promise<{a:number}>",
				"function add const add=(a:number,b:number):number",
				"constant LIMIT const LIMIT",
				"interface User interface User{id:string;}",
				"type Id type Id=string|number",
				"class Store class Store<T>extends Base",
				"method Store.of static of():Store<any>",
				"property Store.size get size():number",
				"method Store.put put(k:string,v:T):void",
				"function renamed function later(a:string)",
				"reexport * * from ./other",
				"function default function main()",
			},
		},
		{
			"commonjs", "a.js", "function one(a) { return a }\nconst two = async (b) => { return b };\nmodule.exports = { one, two };\n",
			[]string{"function one function one(a)", "function two const two=async(b)"},
		},
		{
			"python", "a/a.py", `"""Doc with def fake(): inside."""
import os
from .x import (y,
    z as w)

LIMIT: int = 3
_hidden = 1

def load(path: str, *, deep: bool = False) -> dict[str, int]:
    x = lambda a: a
    def inner(): return 1
    return {}

async def later(): ...

class Store(Base):
    def __init__(self, n): self.n = n
    def _hide(self): pass
    @property
    def size(self) -> int:
        return self.n

def _private(): pass
`,
			[]string{
				"constant LIMIT LIMIT:int",
				"function load def load(path:str,*,deep:bool=False)->dict[str,int]",
				"function later async def later()",
				"class Store class Store(Base)",
				"method Store.__init__ def __init__(self,n)",
				"property Store.size @property def size(self)->int",
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := exportLines(source.Parse(c.path, []byte(c.src)))
			if a, b := strings.Join(got, "\n"), strings.Join(c.want, "\n"); a != b {
				t.Errorf("exports:\n%s\nwant:\n%s", a, b)
			}
		})
	}
}

func TestImports(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, src, want string }{
		{"a.go", "package a\nimport (\n\t\"fmt\"\n\tx \"a/b\"\n)\n", "fmt[] a/b[]"},
		{"a.ts", "import def, { a, b as c, type T } from './x';\nimport * as ns from \"y\";\nimport 'z';\nconst q = await import('./dyn');\n", "./x[default a b T] y[] z[] ./dyn[]"},
		{"a.js", "const { a, b: c } = require('./x'); const y = require('y');", "./x[a b] y[]"},
		{"a.py", "import os, sys as s\nfrom .a.b import (c,\n  d as e)\nfrom .. import f\n", "os[] sys[] .a.b[c d] ..[f]"},
	} {
		var got []string
		for _, i := range source.Parse(c.path, []byte(c.src)).Imports {
			got = append(got, fmt.Sprintf("%s%v", i.From, i.Names))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("imports of %s = %v, want %s", c.path, got, c.want)
		}
	}
}

// Each test is written as NAME=asserts/trivial with s for skipped, o for only and ~ for an open name.
func testLine(f source.File) string {
	var out []string
	hollow := ""
	for _, h := range f.Hollow {
		hollow += fmt.Sprintf(" (%s=%d/%d)", h.Name, h.Asserts, h.Trivial)
	}
	for _, t := range f.Tests {
		s := fmt.Sprintf("%s=%d/%d", t.Name, t.Asserts, t.Trivial)
		for _, m := range []struct {
			on   bool
			mark string
		}{{t.Skipped, "s"}, {t.Only, "o"}, {t.Open, "~"}} {
			if m.on {
				s += m.mark
			}
		}
		out = append(out, s)
	}
	return strings.Join(out, " | ") + hollow
}

func TestTestsOfEachLanguage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, path, src, want string }{
		{"go plain", "a_test.go", `func TestA(t *testing.T) { if f() != 1 { t.Fatal("no") } }`, "TestA=1/0"},
		{"go table", "a_test.go", `func TestA(t *testing.T) { for _, c := range cs { t.Run(c.n, func(t *testing.T) { if f(c.in) != c.want { t.Errorf("x") } }) } }`, "TestA=1/0"},
		{"go helper", "a_test.go", "func TestA(t *testing.T) { same(t, f(), 1) }\nfunc same(t *testing.T, a, b int) { t.Helper(); if a != b { t.Fatal() } }", "TestA=1/0"},
		{"go fixture", "a_test.go", "type bench struct {\n\t*testing.T\n\tq *Queue\n}\nfunc newBench(t *testing.T) *bench { return &bench{T: t} }\nfunc (b *bench) pass() { b.q.Next() }\nfunc (b *bench) take(s string) { if b.q.Next() != s { b.Fatal() } }\nfunc TestA(t *testing.T) { b := newBench(t); b.pass(); b.take(\"a\") }\nfunc TestB(t *testing.T) { b := newBench(t); b.pass() }\nfunc TestC(t *testing.T) { b := &bench{T: t}; if b.q.Next() != nil { b.Errorf(\"x\") } }", "TestA=1/0 | TestB=0/0 | TestC=1/0"},
		{"go methods that are called as those of a test", "a_test.go", "type lost struct{}\nfunc (lost) Error() string { return \"x\" }\nfunc (lost) Get() string { panic(\"unused\") }\nfunc TestA(t *testing.T) { if f() != 1 { t.Error(\"no\") } }\nfunc TestB(t *testing.T) { cache.Get(); _ = lost{}.Error() }", "TestA=1/0 | TestB=0/0"},
		{"go fixture with a field", "a_test.go", "type bench struct {\n\tt *testing.T\n}\nfunc (b bench) take(s string) { if f() != s { b.t.Fatal() } }\nfunc (b bench) pass() { f() }\nfunc TestA(t *testing.T) { bench{t}.take(\"a\") }\nfunc TestB(t *testing.T) { bench{t: nil}.pass() }", "TestA=1/0 | TestB=0/0"},
		{"go hollow helper", "a_test.go", "func TestA(t *testing.T) { same(t, f(), 1) }\nfunc same(t *testing.T, a, b int) { t.Helper() }", "TestA=0/0"},
		{"go helper that lets something pass", "a_test.go", "func TestA(t *testing.T) { same(t, f(), 1) }\nfunc same(t *testing.T, a, b int) { if a != b { t.Fatal() }; if false && b < 0 { t.Fatal() } }", "TestA=1/0 (same=1/1)"},
		{"go testify", "a_test.go", `func TestA(t *testing.T) { require.NoError(t, f()); assert.Equal(t, 1, g()) }`, "TestA=2/0"},
		{"go empty", "a_test.go", `func TestA(t *testing.T) { _ = f(); t.Log("fine") }`, "TestA=0/0"},
		{"go true", "a_test.go", `func TestA(t *testing.T) { f(); if false { t.Fatal() } }`, "TestA=0/1"},
		{"go itself", "a_test.go", `func TestA(t *testing.T) { x := f(); if x != x { t.Fatal() } }`, "TestA=0/1"},
		{"go assert true", "a_test.go", `func TestA(t *testing.T) { assert.True(t, true); assert.Equal(t, 1, 1) }`, "TestA=0/2"},
		{"go early return", "a_test.go", `func TestA(t *testing.T) { return; if f() != 1 { t.Fatal() } }`, "TestA=0/0"},
		{"go skip", "a_test.go", `func TestA(t *testing.T) { t.Skip("later"); if f() != 1 { t.Fatal() } }`, "TestA=0/0s"},
		{"go short", "a_test.go", `func TestA(t *testing.T) { if testing.Short() { t.Skip("slow") }; if f() != 1 { t.Fatal() } }`, "TestA=1/0"},
		{"go lookpath", "a_test.go", "func TestA(t *testing.T) { if _, err := exec.LookPath(\"git\"); err != nil { t.Skip() }\nif f() != 1 { t.Fatal() } }", "TestA=1/0"},
		{"go skip on failure", "a_test.go", `func TestA(t *testing.T) { if err := f(); err != nil { t.Skip(err) } }`, "TestA=0/0s"},
		{"go not tests", "a_test.go", "func TestMain(m *testing.M) { os.Exit(m.Run()) }\nfunc Testify(t *testing.T) {}\nfunc BenchmarkA(b *testing.B) {}", ""},
		{"go fuzz, example", "a_test.go", "func FuzzA(f *testing.F) { f.Fuzz(func(t *testing.T, s string) { if g(s) != s { t.Fatal() } }) }\nfunc ExampleA() {\n\tA()\n\t// Output: 1\n}", "FuzzA=1/0 | ExampleA=1/0"},
		{"go comparing calls", "a_test.go", `func TestA(t *testing.T) { if next() == next() { t.Fatal() } }`, "TestA=1/0"},

		{"ts nested", "a.test.ts", `describe('outer', () => { describe("inner", () => { it('it\'s ok', () => { expect(f()).toBe(1); }); }); test('top', async () => { await expect(g()).rejects.toThrow(); }) });`, "outer > inner > it's ok=1/0 | outer > top=1/0"},
		{"ts each", "a.test.ts", "test.each([[1, 2]])('adds %i', (a, b) => { expect(f(a)).toBe(b); });\ntest.each`a|b\n${1}|${2}`('t $a', ({a}) => { expect(a).toBe(f()) });", "adds %i=1/0~ | t $a=1/0~"},
		{"ts template title", "a.test.ts", "for (const x of xs) { it(`does ${x}`, () => { expect(f(x)).toBe(1) }) }", "does ${x}=1/0~"},
		{"ts skip only", "a.test.ts", "it.skip('a', () => { expect(f()).toBe(1) }); xit('b', () => {}); describe.only('d', () => { it('c', () => { expect(f()).toBe(1) }) }); it.todo('e')", "a=1/0s | b=0/0s | d > c=1/0o | e=0/0s"},
		{"ts trivial", "a.test.ts", "it('a', () => { f(); expect(true).toBe(true); }); it('b', () => { const x = f(); expect(x).toEqual(x) }); it('c', () => { expect(1 + 1).toBe(2) })", "a=0/1 | b=0/1 | c=0/1"},
		{"ts no matcher", "a.test.ts", "it('a', () => { expect(f()); })", "a=0/0"},
		{"ts swallowed", "a.test.ts", "it('a', () => { try { expect(f()).toBe(1) } catch {} })", "a=0/1"},
		{"ts rethrown", "a.test.ts", "it('a', () => { try { f(); expect.fail() } catch (e) { expect(e.code).toBe(1) } })", "a=2/0"},
		{"js bare assertions", "a.test.js", "import { equal, throws } from 'node:assert';\nit('a', () => { equal(f(), 1); throws(() => f(-1)); });\nit('b', () => { equal(1, 1); other(f()); });", "a=2/0 | b=0/1"},
		{"js supertest", "a.test.js", "it('a', function (done) { request(app).get('/').expect(200, done); }); it('b', function (done) { request(app).get('/').end(done); })", "a=1/0 | b=0/0"},
		{"js skip of another object's context", "a.test.js", "it('a', function () { self.ctx.skip(); assert.equal(f(), 1); })", "a=1/0s"},
		{"js skip by version", "a.test.js", "it('a', function () { if (old(process.versions.node)) { this.skip(); } assert.equal(f(), 1); }); it('b', function () { this.skip(); assert.equal(f(), 1); }); it('c', function () { if (f()) this.skip(); assert.equal(f(), 1); })", "a=1/0 | b=1/0s | c=1/0s"},
		{"js added title", "a.test.js", "list.forEach(function (x) { it('has ' + x.name(1, 2), function () { assert.ok(f(x)); }); })", "has ${x}=1/0~"},
		{
			"ts Deno", "a_test.ts", "import { equal } from '@std/assert';\nDeno.test('a', () => { equal(f(), 1); equal(1, 1) });\nDeno.test.ignore('b', () => { assertEquals(f(), 1) });\nDeno.test({ name: 'c', ignore: true, fn: () => { assertEquals(f(), 1); } });\n" +
				"Deno.test(async function d(t) { await t.step('e', () => { assert(f()) }); await t.step({ name: 'f', fn: () => { assert(g()) } }); await other.step('x', () => {}) });\nDeno.test({ name: 'g', ignore: Deno.build.os === 'windows' }, () => { assert(f()) });\nstep('h', () => {});",
			"a=1/1 | b=1/0s | c=1/0s | d=2/0 | d > e=1/0 | d > f=1/0 | g=1/0",
		},
		{"ts in a string", "a.test.ts", "it('a', () => { const s = \"it.skip('x', () => {})\"; /* it.only('y') */ expect(f(s)).toBe(1) })", "a=1/0"},
		{"ts fixture", "a.test.ts", "class Bench { take(a) { expect(f()).toBe(a) } pass() { f() } }\nit('a', () => { const b = new Bench(); b.take(1) })\nit('b', () => { new Bench().pass() })", "a=1/0 | b=0/0"},
		{"ts fake", "a.test.ts", "function same(a, b) { expect(a).toBe(b) }\nclass Fake { same() {} get(a) { expect(a).toBe(1) } }\nit('a', () => { same(f(), 1) })\nit('b', () => { cache.get(1) })\nit('c', () => { new Fake().get(1) })", "a=1/0 | b=0/0 | c=1/0"},
		{"js imported assertion, and a method of that name", "a.test.js", "import { equal } from 'node:assert';\nclass P { equal(o) { return true } }\nit('a', () => { equal(f(), 1) })", "a=1/0"},
		{"ts helper", "a.test.ts", "function same(a, b) { expect(a).toBe(b) }\nit('a', () => { same(f(), 1) })", "a=1/0"},
		{"ts helper that lets something pass", "a.test.ts", "function same(a, b) { expect(a).toBe(b); expect(true).toBe(true) }\nit('a', () => { same(f(), 1) })", "a=1/0 (same=1/1)"},
		{"ts early return", "a.test.ts", "it('a', () => { return; expect(f()).toBe(1) })", "a=0/0"},
		{"ts return promise", "a.test.ts", "it('a', () => { return expect(f()).resolves.toBe(1) })", "a=1/0"},
		{"ts done callback", "a.test.ts", "it('a', (done) => { f(() => { expect(1).toBe(x); done() }) })", "a=1/0"},
		{
			"AVA", "a.test.js", "test('is', t => { t.is(f(), 1); t.deepEqual(g(), [2]) })\ntest('throws', async execution => { await execution.throwsAsync(f) })\ntest('nothing', t => { t.plan(1); t.log(f()); t.timeout(5) })\n" +
				"test('passes', t => { f(); t.pass() })\ntest('literals', t => { t.is(1, 1) })\ntest('not of the test', t => { x.t.is(f(), 1); server.is(f()) })\ntest('helper', t => check(t, 1))\nfunction check(t, x) { t.true(f(x)) }\n",
			"is=2/0 | throws=1/0 | nothing=0/0 | passes=0/1 | literals=0/1 | not of the test=0/0 | helper=1/0",
		},
		{"tap", "a.test.js", "test('x', (t) => { t.equal(f(), 1); t.strictSame(f(), {}); t.notSame(f(), 2); t.matchSnapshot(f()); t.end() })", "x=4/0"},
		{"node", "a.test.js", "test('p', async (t) => { await t.test('sub', () => { assert.equal(f(), 1) }) })", "p=1/0 | p > sub=1/0"},
		{"node option", "a.test.js", "test('p', { skip: true }, () => { assert.ok(f()) }); test('q', { only: true }, () => { assert(true) })", "p=1/0s | q=0/1o"},
		{"chai", "a.test.js", "it('a', () => { expect(f()).to.be.true; expect(f()).to.equal(1) })", "a=2/0"},
		{"ts platform", "a.test.ts", "it.skipIf(process.platform === 'win32')('a', () => { expect(f()).toBe(1) })", "a=1/0"},
		{"ts regexp.test", "a.test.ts", "it('a', () => { expect(/x'y/.test(f())).toBe(true) })", "a=1/0"},

		{"java no matcher", "ATest.java", "class ATest {\n  @Test void a() { assertThat(f()); }\n  @Test void b() { assertThat(f()).isNull(); assertThat(f(), is(1)); }\n}\n", "ATest.a=0/0 | ATest.b=2/0"},
		{"kotlin no matcher", "ATest.kt", "class ATest {\n  @Test fun a() {\n    f()\n    expectThat(f())\n  }\n  @Test fun b() {\n    assertThat(f()).isNull()\n    expectThat(f()) { isNull() }\n  }\n}\n", "ATest.a=0/0 | ATest.b=2/0"},

		{"py plain", "test_a.py", "def test_a():\n    assert f() == 1\n", "test_a=1/0"},
		{"py class", "test_a.py", "class TestC:\n    def test_m(self):\n        assert f()\n    def helper(self):\n        pass\n", "TestC::test_m=1/0"},
		{"py unittest", "test_a.py", "class C(unittest.TestCase):\n    def test_m(self):\n        self.assertEqual(f(), 1)\n", "C::test_m=1/0"},
		{"py unittest, an assertion of the project", "test_a.py", "class C(unittest.TestCase):\n    def test_m(self):\n        self.assertRenders('*a*', '<em>a</em>')\n", "C::test_m=1/0"},
		{"py raises", "test_a.py", "def test_a():\n    with pytest.raises(ValueError):\n        f()\n", "test_a=1/0"},
		{"py trivial", "test_a.py", "def test_a():\n    f()\n    assert True\ndef test_b():\n    x = f()\n    assert x == x\ndef test_c():\n    assert (f() == 1, 'message')\ndef test_d():\n    assert f() or True\n", "test_a=0/1 | test_b=0/1 | test_c=0/1 | test_d=0/1"},
		{"py wrapped", "test_a.py", "def test_a():\n    assert (\n        f(1)\n        == 2\n    ), 'why'\n", "test_a=1/0"},
		{"py skip", "test_a.py", "@pytest.mark.skip(reason='x')\ndef test_a():\n    assert f()\ndef test_b():\n    pytest.skip('x')\n    assert f()\n@pytest.mark.xfail\ndef test_c():\n    assert f()\n", "test_a=1/0s | test_b=1/0s | test_c=1/0s"},
		{"py skipped by a value", "test_a.py", "@pytest.mark.skipif(WIN, reason='x')\ndef test_a():\n    assert f()\n\n\n@pytest.mark.skipif(True, reason='x')\ndef test_b():\n    assert f()\n\n\n@pytest.mark.skipif('not x', reason='x')\ndef test_c():\n    assert f()\n", "test_a=1/0 | test_b=1/0s | test_c=1/0s"},
		{"py platform", "test_a.py", "@pytest.mark.skipif(sys.platform == 'win32', reason='x')\ndef test_a():\n    assert f()\n", "test_a=1/0"},
		{"py parametrize", "test_a.py", "@pytest.mark.parametrize('a,b', [(1, 2)])\ndef test_a(a, b):\n    assert f(a) == b\n", "test_a=1/0"},
		{"py swallowed", "test_a.py", "def test_a():\n    try:\n        assert f() == 1\n    except Exception:\n        pass\n", "test_a=0/1"},
		{"py empty", "test_a.py", "def test_a():\n    f()\n    print('assert x == 1')  # assert 1 == 2\n", "test_a=0/0"},
		{"py module skip", "test_a.py", "pytestmark = pytest.mark.skip\n\ndef test_a():\n    assert f()\n", "test_a=1/0s"},
		{"py return", "test_a.py", "def test_a():\n    return\n    assert f()\n", "test_a=0/0"},
		{"py helper that lets something pass", "test_a.py", "def same(a, b):\n    assert a == b\n    assert b or True\nclass TestB:\n    def test_a(self):\n        self.same(f(), 1)\n        same(f(), 1)\n        other.same(f(), 1)\n", "TestB::test_a=2/0 (same=1/1)"},
		{"py fixture", "test_a.py", "class Bench:\n    def take(self, a):\n        assert f() == a\n    def move(self):\n        f()\ndef test_a():\n    b = Bench()\n    b.take(1)\ndef test_b():\n    Bench().move()\n", "test_a=1/0 | test_b=0/0"},
		{"py fixture of a runner, and a fake", "test_a.py", "class Bench:\n    def take(self, a):\n        assert f() == a\nclass Fake:\n    def get(self, url):\n        assert url\n@pytest.fixture\ndef bench():\n    return Bench()\ndef test_a(bench):\n    bench.take(1)\ndef test_b():\n    cache.get(1)\n", "test_a=1/0 | test_b=0/0"},
		{"py helper", "test_a.py", "def same(a, b):\n    assert a == b\ndef test_a():\n    same(f(), 1)\n", "test_a=1/0"},
		{"py one line", "test_a.py", "def test_a(): assert f() == 1\n", "test_a=1/0"},
		{"py if false", "test_a.py", "def test_a():\n    if False:\n        assert f() == 1\n", "test_a=0/1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			src := c.src
			if strings.HasSuffix(c.path, ".go") {
				src = "package a\n" + src
			}
			f := source.Parse(c.path, []byte(src))
			if f.Problem != "" {
				t.Fatal(f.Problem)
			}
			if got := testLine(f); got != c.want {
				t.Errorf("tests = %s, want %s", got, c.want)
			}
		})
	}
}

func TestNamesOfRunners(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		open bool
		got  string
		want bool
	}{
		{"TestA", false, "TestA", true},
		{"TestA", false, "TestA/sub_case", true},
		{"TestA", false, "TestAB", false},
		{"test_p", false, "test_p[1-x]", true},
		{"adds %i and $name", true, "adds 3 and x y", true},
		{"adds %i", true, "subtracts 3", false},
		{"does ${x}", true, "does (a)", true},
		{"a (b) %s", true, "a (b) c", true},
		{"50% off", false, "50% off", true},
	} {
		if got := (source.Test{Name: c.name, Open: c.open}).Matches(c.got); got != c.want {
			t.Errorf("%q matches %q = %v, want %v", c.name, c.got, got, c.want)
		}
	}
}

func TestTokensKeepEveryByte(t *testing.T) {
	t.Parallel()
	for path, src := range map[string]string{
		"a.ts": "const a = `x ${ {a:1}.a } y ${`n ${1}`}`; const r = /[/'\"]+/g; const d = a / b / c; // don't\nlet s = 'it\\'s';\n<p>don't</p>;\nif (x) /re'x/.test(y);\n",
		"a.py": "x = r'\\d\"' + f\"{y['a']}\" + '''multi\nline # no'''\nif (a and\n    b): pass\nz = 1_000 + 0x1F - 1e-3\n",
		"a.go": "package a\n\nvar s = `raw \"x\"` + \"// no\" // yes\nvar r = 'x'\n",
	} {
		f := source.Parse(path, []byte(src))
		last := 0
		for _, tok := range f.Tokens {
			if tok.Off < last || src[tok.Off:tok.End] != tok.Text {
				t.Fatalf("%s: token %q at %d..%d after %d", path, tok.Text, tok.Off, tok.End, last)
			}
			if gap := strings.TrimSpace(strings.ReplaceAll(src[last:tok.Off], "\\", "")); gap != "" {
				t.Errorf("%s: %q lies in no token", path, gap)
			}
			if want := 1 + strings.Count(src[:tok.Off], "\n"); tok.Line != want {
				t.Errorf("%s: %q on line %d, want %d", path, tok.Text, tok.Line, want)
			}
			last = tok.End
		}
	}
}

func TestMutantsChangeWhatTheySay(t *testing.T) {
	t.Parallel()
	for path, src := range map[string]string{
		"a.go": "package a\n\nfunc F(n int, s []int) (string, bool) {\n\tif n > 3 && len(s) == 0 {\n\t\treturn \"big\", true\n\t}\n\tn += 1\n\tlog(n)\n\treturn \"\", false\n}\n",
		"a.ts": "export function f(n: number): string {\n  if (n > 3) {\n    return 'big';\n  }\n  if (n < 0) { throw new Error('no'); }\n  log(n);\n  n += 1;\n  return n + 1 === 2 ? 'a' : 'b';\n}\n",
		"a.py": "def f(n):\n    if n > 3 and n != 5:\n        return 'big'\n    if n < 0:\n        raise ValueError('no')\n    log(n)\n    n += 1\n    return n == 2\n",
	} {
		f := source.Parse(path, []byte(src))
		kinds := map[string]bool{}
		for _, m := range f.Mutants() {
			got := string(m.Apply([]byte(src)))
			if got == src {
				t.Errorf("%s: %+v changes nothing", path, m)
			}
			if source.Parse(path, []byte(got)).Problem != "" {
				t.Errorf("%s: %s does not parse:\n%s", path, m.What, got)
			}
			kinds[m.What] = true
		}
		for _, want := range []string{"negate condition", "drop statement", "> to >=", "change constant 3", "+= to -="} {
			if !kinds[want] {
				t.Errorf("%s: no mutant %q among %v", path, want, kinds)
			}
		}
	}
}

func TestMutantsGiveNothing(t *testing.T) {
	t.Parallel()
	for path, c := range map[string]struct {
		src  string
		want []string
	}{
		"a.go": {
			"package a\n\nfunc F(n int) ([]string, error) {\n\tg := func() int { return n }\n\tif n < 0 {\n\t\treturn nil, errNo\n\t}\n\tif n > 9 {\n\t\treturn h(n)\n\t}\n\treturn append(x, g()), nil\n}\n",
			[]string{"return func(v int) int { return v + 1 }(n) }", "return func(v0 []string, v1 error) ([]string, error) { return func(v []string) []string { return make([]string, len(v)+1) }(v0), v1 }(h(n))", "return func(v []string) []string { return make([]string, len(v)+1) }(append(x, g())), nil"},
		},
		"b.go": {
			"package a\n\nfunc F(n int) []Job { return nil }\n\nfunc G() (j *Job, err error) { return nil, errNo }\n",
			[]string{"{ return make([]Job, 1) }"},
		},
		"a.ts": {
			"export function f(n: number): number | null {\n  if (n < 0) return null;\n  if (n > 9) { return g({ a: n }) }\n  return n +\n    1;\n}\nexport const g = (n) => {\n  return n * 2\n};\n",
			[]string{" : undefined; })((g({ a: n }))) }", "((n +\n    1));", "((n * 2))\n}"},
		},
		"a.py": {
			"def f(n):\n    if n < 0:\n        return None\n    if n == 1:\n        return 7\n    return g(\n        n)\n\n\ndef h(n):\n    return n\n",
			[]string{" else None)((g(\n        n)))\n\n\ndef h", " else None)((n))\n"},
		},
	} {
		var got []string
		for _, m := range source.Parse(path, []byte(c.src)).Mutants() {
			if m.Value() {
				got = append(got, string(m.Apply([]byte(c.src))))
			}
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: %d mutants, want %d: %q", path, len(got), len(c.want), got)
			continue
		}
		for i, want := range c.want {
			if !strings.Contains(got[i], want) {
				t.Errorf("%s: no %q in:\n%s", path, want, got[i])
			}
		}
	}
}

func TestMutantsOfDefaults(t *testing.T) {
	t.Parallel()
	for path, src := range map[string]string{
		"a.py": "def f(n: int = 3, *, deep=True, name='x', other=None):\n    return name\n",
		"a.ts": "export function f(n = 3, deep: boolean = true, name = 'x'): string {\n  return name;\n}\n",
		"a.js": "class A {\n  f (n = 3, { deep = true } = {}) {\n    return n;\n  }\n}\n",
		"a.kt": "fun f(n: Int = 3, deep: Boolean = true): Int {\n    return n\n}\n",
	} {
		var got []string
		for _, m := range source.Parse(path, []byte(src)).Mutants() {
			if m.Off < strings.Index(src, "return") {
				got = append(got, m.What)
			}
		}
		if len(got) != 2 || got[0] != "change constant 3" || !strings.EqualFold(got[1], "true to false") {
			t.Errorf("%s: %q", path, got)
		}
	}
}

func TestSplit(t *testing.T) {
	t.Parallel()
	const code = "pub fn one() -> u8 {\n    1\n}\n"
	const tests = "#[cfg(test)]\n#[allow(dead_code)]\nmod tests {\n    use super::*;\n    fn two() -> u8 {\n        1 + 1\n    }\n    #[test]\n    fn gives() {\n        assert_eq!(one(), 1);\n    }\n}\n"
	for name, c := range map[string]struct{ path, src, code, tests string }{
		"tests at the end":      {"a.rs", code + "\n" + tests, code + "\n\n", tests},
		"code behind them":      {"a.rs", tests + code, "\n" + code, tests},
		"tests in another file": {"a.rs", code + "#[cfg(test)]\nmod tests;\n", code + "\n", "#[cfg(test)]\nmod tests;\n"},
		"a test of its own":     {"a.rs", code + "#[test]\nfn alone() {}\n", code + "\n", "#[test]\nfn alone() {}\n"},
		"in another module":     {"a.rs", "mod b {\n    #[cfg(all(test, unix))]\n    mod c { #[test] fn d() {} }\n}\n", "mod b {\n    \n}\n", "#[cfg(all(test, unix))]\n    mod c { #[test] fn d() {} }\n"},
		"none":                  {"a.rs", code, code, ""},
		"another language":      {"a.go", "package a\n", "package a\n", ""},
	} {
		f := source.Parse(c.path, []byte(c.src))
		if got, apart := f.Split(); string(got) != c.code || string(apart) != c.tests {
			t.Errorf("%s: %q and %q", name, got, apart)
		}
		for _, m := range f.Mutants() {
			if m.Func == "two" || strings.HasSuffix(m.Func, ".two") {
				t.Errorf("%s: %s in line %d", name, m.What, m.Line)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"it('a', () => { expect(1).toBe(`${x}`) })", "def test_a():\n  assert x\n", "package a\nfunc TestA(t *testing.T) {}",
		"export const a = {", "class A { b(", "`${", "'''", "export function f(", "test.each`", "if(", "@x\n", "it(", "describe('a',",
		"package a\nfunc TestA(t *testing.T) {\n\tif got := F(2; got != 4 {\n\t\tt.Error(got)\n\t}\n}\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, p := range []string{"a_test.go", "a.go", "a.test.ts", "a.ts", "test_a.py", "a.py"} {
			file := source.Parse(p, []byte(s))
			for _, m := range file.Mutants() {
				m.Apply([]byte(s))
			}
			for _, tok := range file.Tokens {
				if s[tok.Off:tok.End] != tok.Text && !strings.HasSuffix(p, ".go") {
					t.Fatalf("%s: token %q at %d", p, tok.Text, tok.Off)
				}
			}
		}
	})
}

func TestGoMutantsCompile(t *testing.T) {
	t.Parallel()
	src := "package a\nfunc F(a, b int) bool {\n\tfor a < b {\n\t\ta++\n\t}\n\treturn a == b\n}\n"
	for _, m := range source.Parse("a.go", []byte(src)).Mutants() {
		if _, err := parser.ParseFile(token.NewFileSet(), "a.go", m.Apply([]byte(src)), 0); err != nil {
			t.Errorf("%s: %v", m.What, err)
		}
	}
}

func TestConstantsAreMutatedAsWell(t *testing.T) {
	t.Parallel()
	for path, src := range map[string]string{
		"a.go": "package p\n\nconst MaxLines = 20\n\nvar wait = 5 * time.Second\n\nfunc F(n int) (int, error) {\n\tif n == 3 {\n\t\treturn 0, errNo\n\t}\n\treturn 7, nil\n}\n",
		"a.ts": "export const MaxLines: number = 20; // lines\nconst wait = 5;\nexport function F(n: number): number {\n  if (n === 3) {\n    throw new Error('no');\n  }\n  return 7;\n}\n",
		"a.py": "MAX_LINES = 20\nWAIT: int = 5\n\n\ndef f(n):\n    if n == 3:\n        raise ValueError('no')\n    return 7\n",
	} {
		var got []string
		for _, m := range source.Parse(path, []byte(src)).Mutants() {
			got = append(got, m.Func+" "+m.What)
			if m.What == "negate condition" {
				t.Errorf("%s: an equality is negated twice", path)
			}
			if m.What == "change constant 0" {
				t.Errorf("%s: what is returned with an error is changed", path)
			}
		}
		for _, want := range []string{"change constant 20", "change constant 5", "change constant 3", "change constant 7"} {
			if !slices.ContainsFunc(got, func(g string) bool { return strings.HasSuffix(g, want) }) {
				t.Errorf("%s: no %q among %q", path, want, got)
			}
		}
	}
}

func TestOnlyLimitsMoveByOneValue(t *testing.T) {
	t.Parallel()
	for what, want := range map[string]bool{
		"< to <=": true, "<= to <": true, "> to >=": true, ">= to >": true,
		"== to !=": false, "< to >": false, "+ to -": false, "true to false": false, "negate condition": false, "change constant 3": false,
	} {
		if got := (source.Mutant{What: what}).Limit(); got != want {
			t.Errorf("%q moves a limit: %v, want %v", what, got, want)
		}
	}
}

// TestKotlinThatItsGrammarMisreads: each of these lost a class, or a whole file.
func TestKotlinThatItsGrammarMisreads(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		"class A {\n  fun f() {\n    val b = 1\n    set = b or 2\n  }\n  fun g() = 1\n}\n",
		"class A {\n  fun f() {\n    open = isOpen\n    final += 1\n    this.inline = 2\n  }\n  fun g() = 1\n}\n",
		"class A<T>\n@Inject(1) internal constructor(val x: Int) {\n  fun f() {}\n  fun g() = 1\n}\n",
		"internal class H {\n  val s = Sem(suspend = { 1 })\n  fun a() {}\n}\nclass A {\n  fun f() {}\n  fun g() = 1\n}\n",
		"class A {\n  fun f() = object : Runnable { override fun run() {} }\n  fun g() = \"a } b\".length }\n",
		"@Marked(\"x\")\n@Other\nclass A {\n  private fun t(n: String): Int {\n    val l = s.get(n, 0) - 1\n    require(l >= 0) { \"o\" }\n    s[n] = l\n    return l\n  }\n  fun f() {}\n  fun g() = 1\n}\n",
		"class A(val 크기: Int = 함수(가) * 2) {\n  fun f() { if (이유.isEmpty() == true) throw Stop() }\n  fun g() = 크기\n}\n",
	} {
		f := source.Parse("A.kt", []byte(src))
		var names []string
		for _, e := range f.Exports {
			names = append(names, strings.TrimPrefix(e.Owner+"."+e.Name, "."))
		}
		if got := strings.Join(names, " "); got != "A A.f A.g" || f.Problem != "" {
			t.Errorf("%s\ngave %s (%s)", src, got, f.Problem)
		}
	}
	lost := source.Parse("B.kt", []byte("class B { fun (((( }\n"))
	if !strings.Contains(lost.Problem, "on line 1") {
		t.Errorf("what cannot be read is not said: %q", lost.Problem)
	}
}

// TestExportedNamesOfSeveralSources: each name of one list comes from where it is imported from, or from the file itself.
func TestExportedNamesOfSeveralSources(t *testing.T) {
	t.Parallel()
	f := source.Parse("a.ts", []byte("import { a } from './x';\nimport { c } from './y';\nfunction b(n: number): number { return n; }\nexport { a, b, c };\n"))
	var got []string
	for _, e := range f.Exports {
		got = append(got, e.Kind+" "+e.Text)
	}
	if have, want := strings.Join(got, "; "), "reexport a from ./x; function function b(n: number): number; reexport c from ./y"; have != want {
		t.Errorf("has %s\nwant %s", have, want)
	}
}

// TestLiteralTypes: a plain literal tells the type of a constant, anything else does not.
func TestLiteralTypes(t *testing.T) {
	t.Parallel()
	for file, c := range map[string]struct{ code, want string }{
		"a.ts": {"export const a = 3, b = -1.5, c = 'x', d = `x${a}`, e = true, f = 3n, g = 1 + 2, h = [1], i = 'x' as const;\nexport const j: number = 1;\n", "a number, b number, c string, d string, e boolean, f bigint, g , h , i , j "},
		"a.js": {"export const a = 3;\nexport let b;\n", "a number, b "},
		"a.py": {"A = 3\nB = -.5\nC = 'a' \"b\"\nD = rb'x'\nE = True\nF = 0x1E\nG = 3j\nH = f(3)\nI: int = 3\nJ = 1_000\nK = f'{A}'\nL = 'a' + 'b'\n", "A int, B float, C str, D bytes, E bool, F int, G , H , I , J int, K str, L "},
		"a.kt": {"const val A = 3\nval B = 3L\nval C = 3.0\nval D = 3f\nval E = 'x'\nval F = \"\"\"x\"\"\"\nval G = false\nval H = 0xFFFFFFFF\nval I = 3u\nval J = f()\nval K: Int = 3\nval L get() = 3\nval M = -1\n", "A Int, B Long, C Double, D Float, E Char, F String, G Boolean, H Long, I , J , K , L , M Int"},
	} {
		var got []string
		for _, e := range source.Parse(file, []byte(c.code)).Exports {
			got = append(got, e.Name+" "+e.Literal)
		}
		if have := strings.Join(got, ", "); have != c.want {
			t.Errorf("%s\nhas  %s\nwant %s", file, have, c.want)
		}
	}
}

// TestRustPaths: what a file of Rust uses of other modules by its path, where nothing says use.
func TestRustPaths(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"pub mod store;\n": "",
		"mod store;\nfn main() { store::open(); store::open(); println!(\"{}\", store::SIZE); }\n":                   "store open,store SIZE",
		"fn f() -> crate::Result<u8> { Ok(crate::a::b::Error::new::<u8>()) }\n":                                      "crate Result,crate::a::b::Error new",
		"use crate::a::b;\nfn f() { crate::a::b(); b::c(); std::mem::drop(1); }\n":                                   "crate::a b",
		"fn f() { use crate::{a, b}; use crate::c::{self, d}; }\n":                                                   "crate a b c,crate::c d",
		"pub(in crate::a) fn f() { self::own(); super::up(); }\n":                                                    "super up",
		"mod store;\nmod tests { use super::*; fn f() { super::own(); super::store::open(); super::super::far(); }}": "super *,super::store open,super::super far",
		"// crate::a::b\nconst S: &str = \"crate::a::b\";\n":                                                         "",
		"macro_rules! m { () => { $crate::a::b() } }\n":                                                              "",
		"fn f() { crate::": "",
	} {
		var got []string
		for _, imp := range source.Parse("src/lib.rs", []byte(code)).Imports {
			got = append(got, imp.From+" "+strings.Join(imp.Names, " "))
		}
		if strings.Join(got, ",") != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
}

// TestMadeConstructors: what the fields of a data class ask for, as Python's dataclasses and NamedTuple have it.
func TestMadeConstructors(t *testing.T) {
	t.Parallel()
	for class, want := range map[string]string{
		"@dataclass\nclass C:\n    a: int\n    b: str = 'x'\n":                                                         "self, a: int, b: str = 'x'",
		"@dataclasses.dataclass(kw_only=True)\nclass C:\n    a: int\n":                                                 "self, *, a: int",
		"@dataclass\nclass C:\n    a: int\n    _: KW_ONLY\n    b: int\n":                                               "self, a: int, *, b: int",
		"@dataclass\nclass C:\n    K: ClassVar[int] = 1\n    a: list[int] = field(default_factory=list)\n":             "self, a: list[int] = ...",
		"@dataclass\nclass C:\n    a: int = field(default=3, repr=False)\n    b: int = field(init=False)\n":            "self, a: int = 3",
		"@dataclass\nclass C:\n    a: InitVar[int]\n\n    def m(self) -> int:\n        x: int = 1\n        return x\n": "self, a: int",
		"class C(NamedTuple):\n    a: int\n    b: 'D' = None\n":                                                        "self, a: int, b: 'D' = None",
		"@dataclass\nclass C(Generic[T]):\n    a: T\n":                                                                 "self, a: T",
		"@dataclass\nclass C(Base):\n    a: int\n":                                                                     "",
		"@dataclass(init=False)\nclass C:\n    a: int\n":                                                               "",
		"@dataclass\nclass C:\n    a: int = field(kw_only=True)\n":                                                     "",
		"class C:\n    a: int\n":           "",
		"@dataclass\nclass C:\n    pass\n": "self",
	} {
		es := source.Parse("m.py", []byte(class)).Exports
		if want != "" {
			want = "def __init__(" + want + ")"
		}
		if len(es) == 0 || es[0].Made != want {
			t.Errorf("%s: %+v, want %s", class, es, want)
		}
	}
}

// TestBoundFunctions: functions that are bound to a name are functions as declared ones are, and can be mutated.
func TestBoundFunctions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path, src string
		want      []string
	}{
		{"a.go", "package a\n\nvar Twice = func(n int) int { return n + n }\n\nvar once = sync.OnceValue(func() int { return 1 + 2 })\n\nvar cmd = &Command{Use: \"x\", RunE: func() error { return f(1 + 2) }}\n\nvar table = map[string]func(int) bool{\"big\": func(n int) bool { return n > 9 }}\n", []string{"Twice", "once", "cmd.RunE", "table.big"}},
		{"a.js", "exports.area = function (w, h) { return w * h; };\nmodule.exports.edge = (a) => a + 1;\nBox.prototype.size = function () { return this.a + 1; };\nexport const o = { big: (n) => n > 9, 'two words': function () { return 1 + 2; } };\n", []string{"area", "edge", "Box.size", "big", "two words"}},
		{"b.js", "module.exports = function (a) { return a + 1; };\n", []string{"default"}},
		{"c.js", "module.exports = function add(a) { return a + 1; };\n", []string{"add"}},
		{"d.ts", "export default (a: number) => a + 1;\n", []string{"default"}},
		{"a.py", "area = lambda w, h=2: w * h\nnarrow: Callable = lambda d: d[\"a\"] + 1\n\nclass A:\n    key = lambda self: self.a + 1\n\nx = 1\n", []string{"area", "narrow", "A.key"}},
	} {
		f := source.Parse(c.path, []byte(c.src))
		var names []string
		for _, fn := range f.Funcs {
			names = append(names, fn.Name)
			if fn.Body <= fn.Off || fn.Body > fn.Stop {
				t.Errorf("%s: the body of %s is not within it", c.path, fn.Name)
			}
		}
		if !slices.Equal(names, c.want) {
			t.Errorf("%s: functions %q, want %q", c.path, names, c.want)
		}
		for _, name := range c.want {
			if !slices.ContainsFunc(f.Mutants(), func(m source.Mutant) bool { return m.Func == name }) {
				t.Errorf("%s: %s has no mutant", c.path, name)
			}
		}
	}
}

// TestConditionsWithinExpressions: what Python asks in the middle of an expression is negated as well.
func TestConditionsWithinExpressions(t *testing.T) {
	t.Parallel()
	src := "def f(a, xs):\n    b = a if a.ok else None\n    c = [x for x in xs if x.ok]\n    d = a if a == 1 else b\n    e = sorted(xs, key=lambda x: x.n if x.n else 0)\n"
	var got []string
	f := source.Parse("a.py", []byte(src))
	for _, m := range f.Mutants() {
		if m.What == "negate condition" {
			got = append(got, m.New)
		}
	}
	if want := []string{"(not (a.ok))", "(not (x.ok))", "(not (x.n))"}; !slices.Equal(got, want) {
		t.Errorf("negated %q, want %q", got, want)
	}
}
