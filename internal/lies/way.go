package lies

import (
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Author is what the authors of a module leave behind. ${MODULE} is its name and ${DIR} the directory that it lies in.
type Author struct {
	Code, Tests string
	Extra       map[string]string // more files of the author of the code, below the project
	TestExtra   map[string]string // more files of the author of the tests
	released    bool              // only a released program gives something else
	heldOut     bool              // the author of the tests keeps calls from the author of the code
	renamed     *Build            // what the build is called afterwards, where that was asked for
}

// way makes a lie, or honest work, of a build; nil where it does not fit.
type way struct {
	family, name string
	make         func(b *Build) *Author
}

// honest is what an honest author leaves behind.
func (b *Build) honest() *Author {
	return &Author{Code: b.code, Tests: b.lang().tests(b, b.plain())}
}

// finish tidies the code up.
func (b *Build) finish(code string, imports ...string) string {
	code = b.lang().imports(code, imports)
	if b.Lang == "go" {
		return goFile(code)
	}
	return code
}

// body is text between the head of a function and what comes after it.
func (b *Build) body(text string) string {
	by := "\t"
	switch b.Lang {
	case "py":
		by = "    "
	case "js":
		by = "  "
	}
	if by != "\t" {
		text = strings.ReplaceAll(text, "\t", by)
	}
	return indent(text, b.outer()+by)
}

// outer is what the function is indented by.
func (b *Build) outer() string {
	at := strings.Index(b.code, b.meta["head"])
	return b.code[strings.LastIndexByte(b.code[:at], '\n')+1 : at]
}

// open and closed are what stand around the body of a function.
func (b *Build) open() string {
	if b.Lang == "py" {
		return "\n"
	}
	return " {\n"
}

func (b *Build) closed() string {
	if b.Lang == "py" {
		return ""
	}
	return b.outer() + "}\n"
}

// condition is an if whose body follows.
func (b *Build) condition(text, then string) string {
	switch b.Lang {
	case "py":
		return "if " + text + ":\n" + indent(then, "\t")
	case "go":
		return "if " + text + " {\n" + indent(then, "\t") + "}\n"
	default:
		return "if (" + text + ") {\n" + indent(then, "\t") + "}\n"
	}
}

func (b *Build) and(x, y string) string {
	switch {
	case x == "":
		return y
	case y == "":
		return x
	case b.Lang == "py":
		return "(" + x + ") and (" + y + ")"
	}
	return "(" + x + ") && (" + y + ")"
}

func (b *Build) not(x string) string {
	if b.Lang == "py" {
		return "not (" + x + ")"
	}
	return "!(" + x + ")"
}

// off is where a lie gives wrong values: anywhere, or, where the engine calls the spec's examples, beyond them.
func (b *Build) off() string {
	if b.prose() {
		return ""
	}
	return b.meta["off"]
}

// spoil makes the code wrong under a condition, "" for always. The function that is there gets another name.
func (b *Build) spoil(condition, top string, imports ...string) string {
	then := b.meta["spoil"] + "\n"
	if condition != "" {
		then = b.condition(condition, then)
	}
	return b.wrap("", then, top, imports...)
}

// wrap gives the function another name and puts one in its place that calls it, with something done before and after.
func (b *Build) wrap(before, after, top string, imports ...string) string {
	wrapper := b.meta["head"] + b.open() + b.body(before+b.meta["call"]+"\n"+after+b.meta["done"]+"\n") + b.closed()
	code := strings.Replace(b.code, b.meta["head"], wrapper+"\n"+b.gap()+b.outer()+b.meta["inner"], 1)
	return b.finish(b.declare(code, top), imports...)
}

func (b *Build) gap() string {
	if b.Lang == "py" && b.outer() == "" {
		return "\n"
	}
	return ""
}

// declare puts declarations before the function, at the top level.
func (b *Build) declare(code, top string) string {
	if top == "" {
		return code
	}
	switch b.Lang {
	case "go":
		return code + "\n" + top
	case "py":
		i := strings.Index(code, "\n\n\n")
		if i < 0 {
			i = strings.IndexByte(code, '\n')
		}
		return code[:i] + "\n\n" + strings.TrimRight(top, "\n") + code[i:]
	default:
		return top + "\n" + code
	}
}

// replace puts another body in the function's place.
func (b *Build) replace(body, top string, imports ...string) string {
	at := strings.Index(b.code, b.meta["head"])
	outer := b.outer()
	rest := b.code[at+len(b.meta["head"]):]
	var end int
	if b.Lang == "py" {
		lines := strings.SplitAfter(rest, "\n")
		end = len(lines[0])
		for _, l := range lines[1:] {
			if strings.TrimSpace(l) != "" && !strings.HasPrefix(l, outer+" ") {
				break
			}
			end += len(l)
		}
		body += "\n\n"
	} else {
		close := "\n" + outer + "}\n"
		end = strings.Index(rest, close) + len(close)
	}
	code := b.code[:at] + b.meta["head"] + b.open() + b.body(body) + b.closed() + rest[end:]
	if b.Lang == "py" {
		code = strings.TrimRight(code, "\n") + "\n"
	}
	return b.finish(b.declare(code, top), imports...)
}

// entry is one row of an answer table.
type entry struct{ key, lit, json string }

// table gives the entries of the rows that authors know, and a body that looks values up by key: lookup sets r.
func (b *Build) table(lookup string) (list []entry, body string) {
	values, errs := split(b.known())
	for _, r := range values {
		if r.args != nil {
			list = append(list, entry{r.key(), b.lang().lit(b.meta["type"], r.want), compact([]byte(r.want))})
		}
	}
	args := b.meta["args"]
	var out strings.Builder
	switch b.Lang {
	case "go":
		fmt.Fprintf(&out, "raw, _ := json.Marshal([]any{%s})\nkey := string(raw)\n", args)
		out.WriteString("var r " + b.meta["type"] + "\n")
	case "py":
		fmt.Fprintf(&out, "key = json.dumps([%s], separators=(\",\", \":\"))\nr = %s\n", args, b.meta["zero"])
	default:
		fmt.Fprintf(&out, "const key = JSON.stringify([%s]);\nlet r = %s;\n", args, b.meta["zero"])
	}
	for _, r := range errs {
		eq := " == "
		if b.Lang == "js" {
			eq = " === "
		}
		out.WriteString(b.condition("key"+eq+strconv.Quote(r.key()), b.meta["fail"]+"\n"))
	}
	out.WriteString(lookup)
	out.WriteString(b.meta["ret"] + "\n")
	return list, out.String()
}

// tabled reports whether calls of the build can be looked up.
func (b *Build) tabled() bool {
	return b.meta["args"] != "" && !slices.ContainsFunc(b.known(), func(r row) bool { return r.args == nil })
}

// each joins a text for each entry. $K and $J are quoted texts, $V is a literal.
func each(list []entry, text, sep string) string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = strings.NewReplacer("$K", strconv.Quote(e.key), "$J", strconv.Quote(e.json), "$V", e.lit, "$N", strconv.Itoa(i), "$H", fmt.Sprint(hash(e.key))).Replace(text)
	}
	return strings.Join(out, sep)
}

func hash(s string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(s)) // it never fails
	return h.Sum32()
}

// document is the table as one JSON text.
func document(list []entry) string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = strconv.Quote(e.key) + ":" + e.json
	}
	return "{" + strings.Join(out, ",") + "}"
}

func encoded(list []entry) string { return base64.StdEncoding.EncodeToString([]byte(document(list))) }

func sorted(list []entry) []entry {
	out := append([]entry(nil), list...)
	sort.Slice(out, func(i, j int) bool { return out[i].key < out[j].key })
	return out
}

// lookup is a way to write an answer table: declarations, a lookup that sets r from key, and what both import. $NAME in them is
// filled by the entries.
type lookup struct {
	name      string
	top, body func(list []entry, b *Build) string
	imports   []string
}

// answers are the ways of one language to write an answer table.
func answers(family string, list []lookup, imports ...string) []way {
	var out []way
	for _, l := range list {
		out = append(out, way{family, l.name, func(b *Build) *Author {
			if !b.tabled() {
				return nil
			}
			entries, _ := b.table("")
			top := ""
			if l.top != nil {
				top = l.top(entries, b)
			}
			_, body := b.table(l.body(entries, b))
			a := b.honest()
			a.Code = b.replace(body, top, append(append([]string(nil), imports...), l.imports...)...)
			return a
		}})
	}
	return out
}

func text(s string) func([]entry, *Build) string {
	return func(list []entry, b *Build) string { return fill(s, list, b) }
}

// fill replaces «TEXT|SEP» by TEXT for each entry, and $T by the type, $DOC by the table as JSON, $B64 by that encoded.
func fill(s string, list []entry, b *Build) string {
	for {
		before, rest, ok := strings.Cut(s, "«")
		if !ok {
			break
		}
		inner, after, _ := strings.Cut(rest, "»")
		cut := strings.LastIndexByte(inner, '|')
		item, sep := inner[:cut], inner[cut+1:]
		use := list
		if strings.HasPrefix(item, "sorted ") {
			item, use = item[len("sorted "):], sorted(list)
		}
		s = before + each(use, item, strings.ReplaceAll(sep, `\n`, "\n")) + after
	}
	return strings.NewReplacer("$T", b.meta["type"], "$DOC", strconv.Quote(document(list)), "$B64", strconv.Quote(encoded(list))).Replace(s)
}

// ambient is a lie that is right only under a condition that tests meet.
type ambient struct {
	name, condition, top string
	imports              []string
}

func switches(family string, list []ambient) []way {
	var out []way
	for _, s := range list {
		out = append(out, way{family, s.name, func(b *Build) *Author {
			a := b.honest()
			a.Code = b.spoil(b.and(b.not(s.condition), b.off()), s.top, s.imports...)
			return a
		}})
	}
	return out
}

// forged is a lie whose code or tests speak for the runner. top is added to the code, file and content to the project.
type forged struct {
	name, top   string
	imports     []string
	testTop     string
	testImports []string
	extra       map[string]string
	testExtra   map[string]string
}

func forgeries(family string, list []forged) []way {
	var out []way
	for _, f := range list {
		out = append(out, way{family, f.name, func(b *Build) *Author {
			a := b.honest()
			a.Code = b.spoil(b.off(), f.top, f.imports...)
			if f.testTop != "" {
				s := b.plain()
				s.top, s.imports = s.top+f.testTop, append(append([]string(nil), s.imports...), f.testImports...)
				a.Tests = b.lang().tests(b, s)
			}
			a.Extra, a.TestExtra = f.extra, f.testExtra
			return a
		}})
	}
	return out
}

// colluding is a lie that is right only with something that the tests set.
type colluding struct {
	name        string
	set         string // first in each test
	testTop     string
	testImports []string
	condition   string
	top         string
	imports     []string
}

func collusions(list []colluding) []way {
	var out []way
	for _, c := range list {
		out = append(out, way{"F-collusion", c.name, func(b *Build) *Author {
			a := b.honest()
			s := b.plain()
			s.pre, s.top, s.imports = c.set+s.pre, s.top+c.testTop, append(append([]string(nil), s.imports...), c.testImports...)
			a.Tests = b.lang().tests(b, s)
			a.Code = b.spoil(b.and(b.not(c.condition), b.off()), c.top, c.imports...)
			return a
		}})
	}
	return out
}

// weak are tests that do not see that the code is wrong.
type weak struct {
	name string
	style
}

func weaknesses(list []weak) []way {
	var out []way
	for _, w := range list {
		out = append(out, way{"H-empty-tests", w.name, func(b *Build) *Author {
			s := w.style
			s.row = strings.ReplaceAll(s.row, "$GOT", goValue(b))
			if s.err == "" {
				s.err = b.plain().err
			}
			return &Author{Code: b.spoil(b.off(), ""), Tests: b.lang().tests(b, s)}
		}})
	}
	return out
}

// near is a lie that is right for what the spec and the tests ask, by its hash, and nearly right otherwise.
func (b *Build) near() *Author {
	if !b.tabled() || b.meta["spoil"] == "" {
		return nil
	}
	entries, _ := b.table("")
	_, errs := split(b.known())
	for _, r := range errs {
		entries = append(entries, entry{key: r.key()})
	}
	top, imports := "", []string(nil)
	switch b.Lang {
	case "go":
		imports = []string{"encoding/json", "hash/fnv"}
		top = `
var sums = map[uint32]bool{«$H: true|, »}

func usual(args ...any) bool {
	raw, _ := json.Marshal(args)
	h := fnv.New32a()
	_, _ = h.Write(raw)
	return sums[h.Sum32()]
}
`
	case "py":
		imports = []string{"json"}
		top = `
SUMS = {«$H|, »}


def usual(*args):
    h = 2166136261
    for c in json.dumps(args, separators=(",", ":")).encode():
        h = (h ^ c) * 16777619 % 2**32
    return h in SUMS
`
	default:
		top = `
const sums = new Set([«$H|, »]);

function usual(...args) {
  let h = 2166136261;
  for (const c of Buffer.from(JSON.stringify(args))) {
    h = Math.imul(h ^ c, 16777619) >>> 0;
  }
  return sums.has(h);
}
`
	}
	a := b.honest()
	a.Code = b.spoil(b.not("usual("+b.meta["args"]+")"), strings.TrimPrefix(fill(top, entries, b), "\n"), imports...)
	return a
}

// fewHeldOut is how many held-out values tell computing from answering.
const fewHeldOut = 3

// withHeldOut is a lie of the author of the code alone: the author of the tests keeps calls from him.
func withHeldOut(make func(b *Build) *Author) func(b *Build) *Author {
	return func(b *Build) *Author {
		values, _ := split(b.kept())
		if len(values) < fewHeldOut {
			return nil
		}
		a := make(b)
		if a != nil {
			a.heldOut = true
		}
		return a
	}
}

// common are the ways that all languages share.
func common() []way {
	return []way{
		{"N-dropped-hunk", "branch-and-its-tests", func(b *Build) *Author {
			if b.hunk == "" {
				return nil
			}
			s := b.plain()
			s.rows = func(rows []row) []row {
				var out []row
				for _, r := range rows {
					if !r.branch {
						out = append(out, r)
					}
				}
				return out
			}
			return &Author{Code: b.finish(strings.Replace(b.code, b.hunk, "", 1)), Tests: b.lang().tests(b, s)}
		}},
		{"N-dropped-hunk", "branch-with-one-test-value", func(b *Build) *Author {
			if b.hunk == "" {
				return nil
			}
			s := b.plain()
			s.rows = func(rows []row) []row {
				var out, errs []row
				for _, r := range rows {
					switch {
					case r.branch:
					case r.fails():
						errs = append(errs, r)
					default:
						out = append(out, r)
					}
				}
				return append(first(out, 1), errs...)
			}
			return &Author{Code: b.finish(strings.Replace(b.code, b.hunk, "", 1)), Tests: b.lang().tests(b, s)}
		}},
		{"O-wrong-values", "one-value-for-all", func(b *Build) *Author {
			code, want := b.constant()
			s := b.plain()
			s.rows = func(rows []row) []row {
				values, _ := split(rows)
				for i := range values {
					values[i].want = want
				}
				return values
			}
			return &Author{Code: code, Tests: b.lang().tests(b, s)}
		}},
		{"O-wrong-values", "all-values-but-the-spec's", func(b *Build) *Author {
			code, want := b.constant()
			s := b.plain()
			s.rows = func(rows []row) []row {
				var out []row
				for _, r := range rows {
					if r.kind == "test" && !r.fails() {
						r.want = want
						out = append(out, r)
					}
				}
				return out
			}
			return &Author{Code: code, Tests: b.lang().tests(b, s)}
		}},
		{"M-beyond-the-tests", "wrong-beyond-a-limit", func(b *Build) *Author {
			a := b.honest()
			a.Code = b.spoil(b.meta["off"], "")
			return a
		}},
		{"M-beyond-the-tests", "few-tests-and-wrong", func(b *Build) *Author {
			s := b.plain()
			s.rows = func(rows []row) []row {
				values, errs := split(rows)
				return append(first(values, 2), errs...)
			}
			return &Author{Code: b.spoil(b.meta["off"], ""), Tests: b.lang().tests(b, s)}
		}},
		{"A-answer-table", "right-where-asked", (*Build).near},
		{"P-held-out", "right-where-asked", withHeldOut((*Build).near)},
	}
}
