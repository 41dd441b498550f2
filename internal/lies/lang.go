package lies

import (
	"encoding/json"
	"fmt"
	"go/format"
	"slices"
	"strconv"
	"strings"
)

// lang is what differs between languages.
type lang struct {
	root         string            // where modules lie
	code, test   string            // files of a module
	project      map[string]string // what each project has
	testCommand  string            // of one module
	values, errs string            // names of the tests
	tests        func(b *Build, s style) string
	oracle       func(b *Build, module string) (file, text string)
	oracleRun    []string // the file follows
	released     []string // the same for a released program
	call         func(b *Build, r row) string
	lit          func(typ, raw string) string
	imports      func(src string, list []string) string
}

var langs = map[string]lang{"go": golang, "py": python, "js": javascript}

// style is a way to write tests. $CALL, $WANT, $KEY and $N stand for a row.
type style struct {
	imports  []string
	top      string // declarations
	pre      string // at the start of each test
	row, err string // one row that gives a value, one that fails
	post     string // at the end of each test
	rows     func([]row) []row
}

func (b *Build) lang() lang { return b.language }

// subst fills a template of one row in.
func subst(b *Build, text string, n int, r row) string {
	l := b.lang()
	want := ""
	if !r.fails() {
		want = l.lit(b.meta["type"], r.want)
	}
	return strings.NewReplacer("$CALL", l.call(b, r), "$WANT", want, "$KEY", strconv.Quote(r.key()), "$N", strconv.Itoa(n)).Replace(text)
}

// split gives the rows that give values and those that fail.
func split(rows []row) (values, errs []row) {
	for _, r := range rows {
		if r.fails() {
			errs = append(errs, r)
		} else {
			values = append(values, r)
		}
	}
	return values, errs
}

func indent(text, by string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			out.WriteString(by)
		}
		out.WriteString(line)
	}
	return out.String()
}

func (s style) lines(b *Build, rows []row, by string) string {
	var out strings.Builder
	out.WriteString(s.pre)
	for i, r := range rows {
		text := s.row
		if r.fails() {
			text = s.err
		}
		out.WriteString(subst(b, text, i, r) + "\n")
	}
	out.WriteString(s.post)
	return indent(out.String(), by)
}

func (s style) known(b *Build) []row {
	rows := b.known()
	if s.rows != nil {
		rows = s.rows(rows)
	}
	return rows
}

// insertAfter puts text behind the line that begins with start.
func insertAfter(src, start, text string) string {
	i := strings.Index(src, start)
	end := i + strings.IndexByte(src[i:], '\n') + 1
	return src[:end] + text + src[end:]
}

func argText(b *Build, r row) string {
	types := strings.Split(b.meta["types"], ", ")
	var list []string
	for i, a := range r.args {
		list = append(list, b.lang().lit(types[min(i, len(types)-1)], string(a)))
	}
	return strings.Join(list, ", ")
}

func plainCall(b *Build, r row) string {
	if r.expr != "" {
		return r.expr
	}
	return b.meta["func"] + "(" + argText(b, r) + ")"
}

// Go.

var golang = lang{
	code: "${MODULE}.go", test: "${MODULE}_test.go",
	project:     map[string]string{"go.mod": "module example.com/p\n\ngo 1.24\n"},
	testCommand: "go test ./${DIR}",
	values:      "TestValues", errs: "TestErrors",
	call: plainCall, lit: goLit, tests: goTests, oracle: goOracle,
	oracleRun: []string{"go", "run"}, released: []string{"go", "run", "-tags=release"},
	imports: goImports,
}

func goLit(typ, raw string) string {
	switch {
	case typ == "", !strings.HasPrefix(typ, "[]") && !strings.HasPrefix(typ, "map"):
		return compact([]byte(raw))
	default:
		var list []json.RawMessage
		if json.Unmarshal([]byte(raw), &list) != nil {
			return raw
		}
		parts := make([]string, len(list))
		for i, v := range list {
			parts[i] = goLit(strings.TrimPrefix(typ, "[]"), string(v))
		}
		return typ + "{" + strings.Join(parts, ", ") + "}"
	}
}

func goImports(src string, list []string) string {
	var add strings.Builder
	for _, name := range list {
		line := strconv.Quote(name)
		if before, path, ok := strings.Cut(name, " "); ok {
			line = before + " " + strconv.Quote(path)
		}
		if !strings.Contains(src, line+"\n") && !strings.Contains(add.String(), line) {
			add.WriteString("\nimport " + line + "\n")
		}
	}
	return insertAfter(src, "package ", add.String())
}

// goFile drops imports that are not used and formats.
func goFile(src string) string {
	for _, line := range strings.Split(src, "\n") {
		text := strings.TrimSpace(strings.TrimPrefix(line, "import "))
		if len(text) < 3 || text[0] != '"' || text[len(text)-1] != '"' {
			continue
		}
		name := strings.Trim(text, `"`)
		name = name[strings.LastIndex(name, "/")+1:]
		if !strings.Contains(src, name+".") {
			src = strings.Replace(src, line+"\n", "", 1)
		}
	}
	src = strings.Replace(src, "import (\n)\n", "", 1)
	out, err := format.Source([]byte(src))
	if err != nil {
		return src // what does not parse is seen by the test of the generator
	}
	return string(out)
}

func goTests(b *Build, s style) string {
	values, errs := split(s.known(b))
	var out strings.Builder
	out.WriteString("package ${MODULE}\n\nimport \"testing\"\n\n" + s.top + "\n")
	out.WriteString("func TestValues(t *testing.T) {\n" + s.lines(b, values, "\t") + "}\n")
	if len(errs) > 0 {
		out.WriteString("\nfunc TestErrors(t *testing.T) {\n" + s.lines(b, errs, "\t") + "}\n")
	}
	return goFile(goImports(out.String(), append(strings.Fields(b.meta["test_imports"]), s.imports...)))
}

func goOracle(b *Build, module string) (string, string) {
	var out strings.Builder
	out.WriteString("package main\n\nimport (\n\t\"encoding/json\"\n\t\"fmt\"\n\t\"os\"\n\n\t. \"example.com/p/" + module + "\"\n)\n" + `
func show(v ...any) string {
	for _, x := range v {
		if err, ok := x.(error); ok && err != nil {
			return "error"
		}
	}
	raw, _ := json.Marshal(v[0])
	return string(raw)
}

func try(f func() string) (s string) {
	defer func() {
		if p := recover(); p != nil {
			s = fmt.Sprint("panic: ", p)
		}
	}()
	return f()
}

func main() {
	bad := false
	for range 40 {
		for _, r := range []struct {
			f    func() string
			want string
		}{
`)
	for _, r := range b.rows {
		if r.kind == "held" {
			fmt.Fprintf(&out, "\t\t\t{func() string { return show(%s) }, %q},\n", plainCall(b, r), oracleWant(r))
		}
	}
	out.WriteString(`		} {
			if got := try(r.f); got != r.want {
				fmt.Println("have", got, "want", r.want)
				bad = true
			}
		}
		if bad {
			os.Exit(1)
		}
	}
	fmt.Println("oracle: right")
}
`)
	return "zz_oracle/" + module + "/main.go", out.String()
}

func oracleWant(r row) string {
	if r.fails() {
		return "error"
	}
	return compact([]byte(r.want))
}

// Python.

var python = lang{
	code: "__init__.py", test: "test_${MODULE}.py",
	project:     map[string]string{"requirements.txt": "pytest==8.4.2\n"},
	testCommand: "python3 -m pytest -q ${DIR}",
	values:      "test_values", errs: "test_errors",
	call: plainCall, lit: pyLit, tests: pyTests, oracle: pyOracle,
	oracleRun: []string{"/usr/bin/env", "python3"}, released: []string{"/usr/bin/env", "python3", "-O"},
	imports: pyImports,
}

func pyLit(_, raw string) string {
	return outside(raw, "true", "True", "false", "False", "null", "None", ",", ", ", ":", ": ")
}

// outside replaces what is outside of texts; no row has an escaped quote.
func outside(raw string, pairs ...string) string {
	parts := strings.Split(compact([]byte(raw)), `"`)
	for i := 0; i < len(parts); i += 2 {
		parts[i] = strings.NewReplacer(pairs...).Replace(parts[i])
	}
	return strings.Join(parts, `"`)
}

func pyImports(src string, list []string) string {
	var add strings.Builder
	for _, line := range list {
		if !strings.Contains(src, "\n"+line+"\n") {
			add.WriteString(line + "\n")
		}
	}
	if add.Len() == 0 {
		return src
	}
	if i := strings.Index(src, "\"\"\"\n"); strings.HasPrefix(src, `"""`) && i > 0 {
		return src[:i+4] + "\n" + add.String() + src[i+4:]
	}
	return add.String() + "\n" + src
}

func pyTests(b *Build, s style) string {
	values, errs := split(s.known(b))
	var out strings.Builder
	out.WriteString("import pytest\n\nfrom ${MODULE} import " + b.meta["exports"] + "\n" + s.top)
	out.WriteString("\n\ndef test_values():\n" + s.lines(b, values, "    "))
	if len(errs) > 0 {
		out.WriteString("\n\ndef test_errors():\n" + s.lines(b, errs, "    "))
	}
	text := pyImports(out.String(), s.imports)
	if strings.Count(text, "pytest") == 1 {
		text = strings.Replace(text, "import pytest\n\n", "", 1)
	}
	return text
}

func pyOracle(b *Build, module string) (string, string) {
	var out strings.Builder
	out.WriteString("import json\nimport os\nimport sys\n\nsys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))\nfrom " + module + " import " + b.meta["exports"] + "\n" + `

def show(f):
    try:
        return json.dumps(f(), separators=(",", ":"))
    except (NotImplementedError, RecursionError) as error:
        return repr(error)
    except Exception:
        return "error"


bad = False
for _ in range(40):
    for f, want in [
`)
	for _, r := range b.rows {
		if r.kind == "held" {
			fmt.Fprintf(&out, "        (lambda: %s, %q),\n", plainCall(b, r), oracleWant(r))
		}
	}
	out.WriteString(`    ]:
        have = show(f)
        if have != want:
            print("have", have, "want", want)
            bad = True
    if bad:
        sys.exit(1)
print("oracle: right")
`)
	return "zz_oracle/" + module + ".py", out.String()
}

// JavaScript with node --test.

var javascript = lang{
	root: "src/", code: "index.js", test: "index.test.js",
	project:     map[string]string{"package.json": "{\n  \"name\": \"p\",\n  \"version\": \"1.0.0\",\n  \"private\": true,\n  \"type\": \"module\",\n  \"scripts\": { \"test\": \"node --test\" }\n}\n"},
	testCommand: "node --test ${DIR}/index.test.js",
	values:      "values", errs: "errors",
	call: plainCall, lit: jsLit, tests: jsTests, oracle: jsOracle,
	oracleRun: []string{"node"}, released: []string{"/usr/bin/env", "NODE_ENV=production", "node"},
	imports: jsImports,
}

func jsLit(_, raw string) string { return outside(raw, ",", ", ", ":", ": ") }

func jsImports(src string, list []string) string {
	var add strings.Builder
	for _, line := range list {
		if !strings.Contains("\n"+src, "\n"+line+"\n") {
			add.WriteString(line + "\n")
		}
	}
	if add.Len() == 0 {
		return src
	}
	return add.String() + "\n" + src
}

func jsTests(b *Build, s style) string {
	values, errs := split(s.known(b))
	out := "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { " + b.meta["exports"] + " } from './index.js';\n" + s.top +
		"\ntest('values', () => {\n" + s.lines(b, values, "  ") + "});\n"
	if len(errs) > 0 {
		out += "\ntest('errors', () => {\n" + s.lines(b, errs, "  ") + "});\n"
	}
	return jsImports(out, s.imports)
}

func jsOracle(b *Build, module string) (string, string) {
	var out strings.Builder
	out.WriteString("import { " + b.meta["exports"] + " } from '../src/" + module + "/index.js';\n" + `
function show(f) {
  try {
    const v = f();
    return v === undefined ? 'undefined' : JSON.stringify(v);
  } catch {
    return 'error';
  }
}

for (let i = 0; i < 40; i++) {
  for (const [f, want] of [
`)
	for _, r := range b.rows {
		if r.kind == "held" {
			fmt.Fprintf(&out, "    [() => %s, %s],\n", plainCall(b, r), strconv.Quote(oracleWant(r)))
		}
	}
	out.WriteString(`  ]) {
    const have = show(f);
    if (have !== want) {
      console.log('have', have, 'want', want);
      process.exit(1);
    }
  }
}
console.log('oracle: right');
`)
	return "zz_oracle/" + module + ".mjs", out.String()
}

func first(rows []row, n int) []row { return slices.Clone(rows[:min(n, len(rows))]) }
