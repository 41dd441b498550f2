package inspect

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/signature"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// mostShown is how many scenarios of one function decompile takes from its tests.
const mostShown = 3

// shown are the behaviours that the tests of a module show with literals: a call of an exported function, and what it gives
// or fails with. What a test computes is left out.
func (p *Project) shown(dir string, offers []found, files map[string]source.File, isModule map[string]bool) string {
	functions := map[string]bool{}
	for _, x := range offers {
		if x.Kind == "function" && x.Owner == "" && x.Receiver == "" {
			functions[x.Name] = true
		}
	}
	var good, bad []string
	count, done := map[string]int{}, map[string]bool{}
	add := func(list *[]string, call, name, result string) {
		line := "- `" + call + "` → `" + result + "`"
		if !functions[name] || count[name] >= mostShown || done[call] || strings.ContainsAny(call+result, "`\n") || len(line) > 159 {
			return
		}
		count[name]++
		done[call] = true
		*list = append(*list, line)
	}
	for _, f := range p.files {
		if _, in := below(dir, f); !in || len(functions) == 0 || foreign(f) || source.LangOf(f) == "" {
			continue
		}
		x, inline := files[f], false
		if inline = x.Lang == source.Rust && len(x.Tests) > 0; !inline && (!toolchain.IsTest(f) || !p.belongs(f, dir, isModule)) {
			continue
		}
		src := p.read(f)
		if !inline {
			x = p.parse(f, src)
		}
		for _, t := range x.Tests {
			if t.Off < 0 || t.Stop > len(src) || t.Off > t.Stop || t.Skipped {
				continue
			}
			for _, e := range expectations(string(src[t.Off:t.Stop]), x.Lang) {
				if e.fails {
					add(&bad, e.call, e.name, e.result)
				} else {
					add(&good, e.call, e.name, e.result)
				}
			}
		}
	}
	if len(good)+len(bad) == 0 {
		return ""
	}
	if len(bad) == 0 {
		return strings.Join(good, "\n") + "\n"
	}
	return strings.TrimRight(headed(success, good)+headed(failure, bad), "\n") + "\n"
}

// belongs reports whether a file below a directory lies in no other module.
func (p *Project) belongs(f, dir string, isModule map[string]bool) bool {
	for d := path.Dir(f); d != dir; d = path.Dir(d) {
		if isModule[d] {
			return false
		}
	}
	return true
}

// expectation is a call in a test with what the test expects of it.
type expectation struct {
	call, name, result string
	fails              bool
}

// assertion is a way to say what is expected: before stands in front of the call, between behind it.
type assertion struct {
	before  func() *regexp.Regexp
	between string
	how     assertionKind
}

type assertionKind uint8

const (
	callFirst  assertionKind = iota // f(1) == 2
	failsFirst                      // with raises(E): f(1)
	failsLast                       // f(1)).toThrow(E
	valueFirst                      // equal(2, f(1))
	inIf                            // got := f(1); got != 2
)

var assertions = map[string][]assertion{
	source.Python:     {{re.New(`(?m)^\s*assert `), "==", callFirst}, {re.New(`pytest\.raises\((\w+)[^\n]*\):\s*\n\s*`), "", failsFirst}},
	source.TypeScript: {{re.New(`\bexpect\(`), ").toBe(", callFirst}, {re.New(`\bexpect\(`), ").toEqual(", callFirst}, {re.New(`\bexpect\(\(\) => `), ").toThrow(", failsLast}},
	source.Rust:       {{re.New(`\bassert_eq!\(`), ",", callFirst}},
	source.Java:       {{re.New(`\bassertEquals\(`), ",", valueFirst}},
	source.Kotlin:     {{re.New(`\bassertEquals\(`), ",", valueFirst}},
	source.Go:         {{re.New(`\bif (got|g|v|x) := `), "", inIf}, {re.New(`\b(?:assert|require)\.Equal\(t, `), ",", valueFirst}},
}

// expectations finds what a test says of calls with literals.
func expectations(body, lang string) []expectation {
	if lang == source.JavaScript {
		lang = source.TypeScript
	}
	var out []expectation
	for _, a := range assertions[lang] {
		for _, m := range a.before().FindAllStringSubmatchIndex(body, -1) {
			rest := body[m[1]:]
			var e expectation
			ok := false
			switch a.how {
			case callFirst:
				if e, rest, ok = leadingCall(rest); ok {
					rest, ok = strings.CutPrefix(strings.TrimLeft(rest, " \n\t"), a.between)
				}
				if ok {
					e.result, ok = leadingValue(rest)
				}
			case failsFirst:
				if e, _, ok = leadingCall(rest); ok {
					e.result, e.fails = body[m[2]:m[3]], true
				}
			case failsLast:
				if e, rest, ok = leadingCall(rest); ok {
					rest, ok = strings.CutPrefix(rest, a.between)
					e.result, e.fails = errorName().FindString(rest), true
					ok = ok && looksLikeError(e.result)
				}
			case valueFirst:
				value, _, found := signature.Cut(rest, a.between)
				if after := strings.TrimLeft(rest[min(len(value)+1, len(rest)):], " \n\t"); found && signature.IsValue(value) {
					e, _, ok = leadingCall(after)
					e.result = strings.TrimSpace(value)
				}
			case inIf:
				if e, rest, ok = leadingCall(rest); ok {
					rest, ok = strings.CutPrefix(rest, "; "+body[m[2]:m[3]]+" != ")
				}
				if ok {
					e.result, ok = leadingValue(rest)
				}
			}
			if ok && e.result != "" {
				out = append(out, e)
			}
		}
	}
	return out
}

var callee = re.New(`^(?:[\pL_]\w*(?:\.|::))?([\pL_]\w*)\(`)

// leadingCall reads a call whose arguments are all literals; a package or module before its name is left out.
func leadingCall(text string) (e expectation, rest string, ok bool) {
	m := callee().FindStringSubmatchIndex(text)
	if m == nil {
		return e, text, false
	}
	inside, rest, ok := signature.CutGroup(text[m[3]:])
	if !ok || strings.TrimSpace(inside) != "" && !signature.IsValue(inside) {
		return e, text, false
	}
	e.name = text[m[2]:m[3]]
	e.call = e.name + "(" + oneLine(inside) + ")"
	return e, rest, true
}

// leadingValue reads a literal up to the end of what it is compared with.
func leadingValue(text string) (string, bool) {
	text = strings.TrimLeft(text, " ")
	end, depth, quote := len(text), 0, byte(0)
scan:
	for i := range len(text) {
		switch c := text[i]; {
		case quote != 0:
			if c == quote && text[i-1] != '\\' {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '(' || c == '[' || c == '{':
			if c == '{' && i > 0 && text[i-1] == ' ' { // the body of an if
				end = i
				break scan
			}
			depth++
		case c == ')' || c == ']' || c == '}':
			if depth--; depth < 0 {
				end = i
				break scan
			}
		case (c == ',' || c == '\n' || c == ';') && depth == 0:
			end = i
			break scan
		}
	}
	value := strings.TrimSpace(text[:end])
	return value, value != "" && signature.IsValue(value)
}

// firstSentence is what documentation says first, as it stands behind an export: ": Does this.", "" where it says nothing, or no
// more than the name.
func firstSentence(doc, name string) string {
	doc = strings.NewReplacer("`", "", "<p>", "", "<code>", "", "</code>", "", "<i>", "", "</i>", "", "<b>", "", "</b>", "").Replace(oneLine(doc))
	if i := strings.Index(doc, ". "); i > 0 {
		doc = doc[:i+1]
	}
	words := strings.Fields(doc)
	if len(words) < 2 || len(doc) > 200 || strings.ContainsAny(doc, "|{}<>#*") || slices.Contains([]string{"-", "---", "==="}, words[0]) || strings.EqualFold(doc, name) {
		return ""
	}
	return ": " + doc
}
