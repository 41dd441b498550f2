package inspect

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/jacquard-build/jacquard/internal/example"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// mostShown is how many scenarios of one function decompile takes from its tests.
const mostShown = 3

// shown are the behaviours that the tests of a module show with literals: a call of an exported function, and what it gives
// or fails with. What a test computes is left out.
func (p *Project) shown(offers []found, files map[string]source.File, tests []string) string {
	functions := map[string]bool{}
	for _, x := range offers {
		if (x.Kind == "function" || x.Kind == "method") && x.Receiver == "" { // what is called on an object is no single call
			functions[x.full()] = true
		}
	}
	var lines [2][]string // what calls give, and what they fail with
	count, done := [2]map[string]int{{}, {}}, map[string]bool{}
	for f := range files {
		if files[f].Lang == source.Rust && len(files[f].Tests) > 0 {
			tests = append(tests, f)
		}
	}
	slices.Sort(tests)
	for _, f := range tests {
		for _, e := range example.InTests(f, p.read(f)) {
			name, call, result := behaviour(e, source.LangOf(f))
			line := "- `" + call + "` → `" + result + "`"
			kind := 0
			if e.Want.Error {
				kind = 1
			}
			if !functions[name] || count[kind][name] >= mostShown || done[call] || strings.ContainsAny(call+result, "`\n") || len(line) > 159 {
				continue
			}
			count[kind][name]++
			done[call] = true
			lines[kind] = append(lines[kind], line)
		}
	}
	switch {
	case len(lines[0])+len(lines[1]) == 0:
		return ""
	case len(lines[1]) == 0:
		return strings.Join(lines[0], "\n") + "\n"
	}
	return strings.TrimRight(headed(success, lines[0])+headed(failure, lines[1]), "\n") + "\n"
}

// behaviour is an example of a test as a behaviour: the function that it calls, the call, and what that gives, as the language writes
// literals. name is "" for what is more than one call of a function, or is made of values that a spec does not write.
func behaviour(e example.Example, lang string) (name, call, result string) {
	if len(e.Before) > 0 || len(e.Call) != 1 || e.Call[0].New || e.Call[0].Fields != nil {
		return "", "", ""
	}
	if slices.ContainsFunc(e.Call[0].Args, func(v example.Value) bool { return !plainLiteral(v, lang) }) {
		return "", "", ""
	}
	args := eachValue(e.Call[0].Args, lang)
	if name = e.Call[0].Name; e.Want.Error {
		result = cmp.Or(e.Want.Type, "error")
	} else if result = literal(e.Want.Value, lang); !plainLiteral(e.Want.Value, lang) {
		return "", "", ""
	}
	return name, name + "(" + strings.Join(args, ", ") + ")", result
}

// plainLiteral reports whether a value is one that a spec in a language writes as its code does: no record by the order of its fields, and lists
// and objects where those need no type.
func plainLiteral(v example.Value, lang string) bool {
	untyped := lang == source.Python || lang == source.TypeScript || lang == source.JavaScript
	switch v.Kind {
	case example.String, example.Number, example.Bool, example.Null:
		return true
	case example.List:
		return untyped && !slices.ContainsFunc(v.List, func(x example.Value) bool { return x.Kind != v.List[0].Kind || !plainLiteral(x, lang) })
	case example.Object:
		return untyped && !slices.ContainsFunc(v.Fields, func(f example.Field) bool { return !plainLiteral(f.Value, lang) })
	case example.Name, example.Made, example.Code:
	}
	return false
}

// literal is a value as a language writes it.
func literal(v example.Value, lang string) string {
	switch {
	case v.Kind == example.List:
		return "[" + strings.Join(eachValue(v.List, lang), ", ") + "]"
	case v.Kind == example.Object:
		var fields []string
		for _, f := range v.Fields {
			fields = append(fields, strconv.Quote(f.Name)+": "+literal(f.Value, lang))
		}
		return "{" + strings.Join(fields, ", ") + "}"
	case lang == source.Python && (v.Kind == example.Bool || v.Kind == example.Null):
		return map[string]string{"true": "True", "false": "False", "null": "None"}[v.String()]
	case lang == source.Go && v.Kind == example.Null:
		return "nil"
	case lang == source.Rust && v.Kind == example.Null:
		return "None"
	}
	return v.String()
}

func eachValue(list []example.Value, lang string) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = literal(v, lang)
	}
	return out
}

// testsOf are the files of tests of each module: those that lie in it, or where Maven and Gradle keep its tests, and those
// elsewhere that import it.
func (p *Project) testsOf(isModule map[string]bool) map[string][]string {
	out := map[string][]string{}
	for _, f := range p.files {
		if foreign(f) || source.LangOf(f) == "" || !toolchain.IsTest(f) {
			continue
		}
		about := map[string]bool{}
		at := []string{path.Dir(strings.Replace(f, "src/test/", "src/main/", 1))}
		for _, imp := range p.parse(f, p.read(f)).Imports {
			at = append(at, p.targets(f, imp)...)
		}
		for _, d := range at {
			about[nearest(d, isModule)] = true
		}
		for d := range about {
			out[d] = append(out[d], f)
		}
	}
	return out
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

// nearest is the module that a directory, or what is called like a file, lies in; "" for none.
func nearest(at string, isModule map[string]bool) string {
	for d := range upwards(at) {
		if isModule[d] {
			return d
		}
	}
	return ""
}
