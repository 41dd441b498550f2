package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/example"
	"github.com/jacquard-build/jacquard/internal/signature"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// calls names examples that the exports of their own document cannot answer: of a name that is not there, with another
// number of arguments, with one of an impossible type. What is to fail may be called in any way.
func (d *document) calls(lang string) []spec.Problem {
	if len(d.Exports) == 0 {
		return nil
	}
	known := setOf(wordsOf().FindAllString(d.Text("Exports")+"\n"+d.Text("Dependencies"), -1))
	var out []spec.Problem
	warn := func(line int, text, hint string) {
		out = append(out, spec.Problem{Path: d.Path, Line: line, Col: 1, Severity: spec.Warning, Text: text, Hint: hint})
	}
	for _, b := range d.Behaviors {
		e, why := example.Read(b.Input, b.Output)
		if why != "" {
			continue
		}
		call := *e.First()
		if name := e.Symbol(); !known[name] {
			if d.complete() && !slices.ContainsFunc(call.Args, func(v example.Value) bool { return v.Kind == example.Made }) { // len(parse("x"))
				warn(b.Line, "the example calls "+name+", which Exports do not list", meant(name, d.Near(name)))
			}
			continue
		}
		if e.Want.Error || b.Category == "error" || call.Fields != nil || call.Field {
			continue
		}
		if why := d.cannot(call, lang, strings.Contains(b.Input, "'")); why != "" {
			warn(b.Line, strings.Trim(b.Input, "`")+" cannot be called: "+why, "correct the example, or the signature in Exports")
		}
	}
	return out
}

// complete reports whether the exports name all that can be called: methods of types need not be listed.
func (d *document) complete() bool {
	return !slices.ContainsFunc(d.Exports, func(e spec.Export) bool { return e.Kind != spec.Function && e.Kind != spec.Variable })
}

func meant(name, near string) string {
	if near == "" {
		return "add it to Exports, or correct the name"
	}
	return "did you mean " + near + "? Correct " + name + ", or add it to Exports"
}

// cannot says why no export takes the arguments of a call, "" where one does or nobody can tell. A quoted letter may be a number.
func (d *document) cannot(call example.Link, lang string, letters bool) (why string) {
	for i := range d.Exports {
		e := &d.Exports[i]
		if e.Name != call.Name {
			continue
		}
		s, ok := signature.Parse(e.Signature, lang)
		if !ok || s.Open || e.Kind != spec.Function && (e.Kind != spec.Class || len(s.Params) == 0) {
			return ""
		}
		not := refuses(s, call, letters)
		if not == "" {
			return ""
		}
		why = cmp.Or(why, not)
	}
	return why
}

func refuses(s signature.Sig, call example.Link, letters bool) string {
	least, most := 0, 0
	for _, p := range s.Params {
		switch {
		case p.Variadic:
			most = len(call.Args)
		case p.Keyword:
		default:
			most++
			if !p.Optional && (p.Type == nil || p.Type.Form != signature.Optional && p.Type.Name != "Context") {
				least++
			}
		}
	}
	if n := len(call.Args); n < least || n > most {
		return fmt.Sprintf("the number of arguments is %d, %s takes %d", n, call.Name, len(s.Params))
	}
	if least != most || most != len(s.Params) { // which argument is which parameter depends
		return ""
	}
	for i, v := range call.Args {
		p := s.Params[i]
		if p.Type != nil && impossible(*p.Type, v, letters || s.Lang == signature.Python && v.Kind == example.Bool) {
			return fmt.Sprintf("%s of %s is %s, the example gives it %s", cmp.Or(p.Name, fmt.Sprintf("parameter %d", i+1)), call.Name, signature.Text(*p.Type, s.Lang), v)
		}
	}
	return ""
}

// impossible reports whether no language takes a literal for a type. loose: a letter or truth value may be a number.
func impossible(t signature.Type, v example.Value, loose bool) bool {
	several := v.Kind == example.List || v.Kind == example.Object
	switch {
	case t.Form == signature.List || t.Form == signature.Map:
		return v.Kind == example.Number || v.Kind == example.Bool
	case t.Form != signature.Basic || strings.HasPrefix(t.Name, "Big"):
		return false
	}
	switch t.Class {
	case "int", "float":
		return several || !loose && (v.Kind == example.String || v.Kind == example.Bool)
	case "string":
		return several || v.Kind == example.Number || v.Kind == example.Bool
	case "bool":
		return several || v.Kind == example.String
	}
	return false
}
