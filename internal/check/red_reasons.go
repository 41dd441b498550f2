package check

import (
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// This file decides whether a test that fails in RED does so for want of what the spec exports.

var placeText = re.New(`:(\d+)(?::\d+)?\b|, line (\d+)|\((\d+),\d+\)`)

// placeIn finds the line of a file that a message speaks of, 0 for none.
func placeIn(file, msg string) int {
	at := strings.Index(msg, file)
	if at < 0 {
		at = strings.Index(msg, path.Base(file))
	}
	if at < 0 {
		return 0
	}
	m := placeText().FindStringSubmatch(msg[at:min(len(msg), at+len(file)+40)])
	if m == nil {
		return 0
	}
	return atoi(m[1] + m[2] + m[3])
}

func worst(rs []step.TestResult) step.TestResult {
	for _, r := range rs {
		if r.Message != "" && bad(r.Status) {
			return r
		}
	}
	return rs[0]
}

// missingName are the ways in which runners and compilers say that a name is not there.
var missingName = []re.Regexp{
	re.New(`undefined: (?:[\pL\w]+\.)?([\pL\w$]+)`),
	re.New(`(?:undefined \(type .* has no field or method |missing method )([\pL\w$]+)`),
	re.New(`unknown field ([\pL\w$]+) in struct`),
	re.New(`cannot import name '([\pL\w$]+)'`),
	re.New(`NameError: name '([\pL\w$]+)' is not defined`),
	re.New(`has no attribute '([\pL\w$]+)'`),
	re.New(`ReferenceError: ([\pL\w$]+) is not defined`),
	re.New(`does not provide an export named '([\pL\w$]+)'`),
	re.New(`fixture '([\pL\w$]+)' not found`),
	// Rust
	re.New("cannot find (?:function|value|type|struct, variant or union type|struct|tuple struct/variant|unit struct[\\w ,/]*|trait|enum|macro|crate|associated \\w+|\\w+) `(\\w+)` in"),
	re.New("no (?:method|function or associated item|associated item|associated function or constant|variant or associated item|variant|field)(?: named)? `(\\w+)`"),
	re.New("has no field named `(\\w+)`"),
	re.New("(?:could not|cannot) find `(\\w+)` in"),
	re.New("unresolved imports? (?:`[\\w:]+`, )*`(?:\\w+::)*(\\w+)`"),
	re.New("use of (?:undeclared|unresolved) (?:type|crate or module|module or unlinked crate) `(\\w+)`"),
	// Java and Kotlin
	re.New(`symbol:\s+(?:method|variable|class|static \w+) ([\pL\w$]+)`),
	re.New("Unresolved reference:? [`']?([\\pL\\w$]+)"),
	re.New(`(?:__vite_ssr_import_\d+__|_\w+)\.([\pL\w$]+)\)? is not a (?:function|constructor)`),
}

// otherSignature are the ways in which Go's compiler says that a function has another signature. They explain a failure only
// where no stub has the signature of the spec.
var otherSignature = []re.Regexp{
	re.New(`arguments in call to (?:[\pL\w]+\.)*([\pL\w$]+)`),
	re.New(`assignment mismatch: .* but (?:[\pL\w]+\.)*([\pL\w$]+)(?:\(.*\))? returns`),
	re.New(`cannot use .* in argument to (?:[\pL\w]+\.)*([\pL\w$]+)`),
}

// missingTrait are the ways in which Rust's compiler says that a type cannot do what types usually are made to: be compared, copied, printed.
// A stub has not all of that.
var missingTrait = []re.Regexp{
	re.New("(?:cannot be applied to type|the trait bound) `&*(?:mut )?(?:\\w+::)*(\\w+)"),
	re.New("`&*(?:\\w+::)*(\\w+)` (?:doesn't implement|is not an iterator|cannot be formatted)"),
	re.New("no method named `(?:clone|to_string|cmp|partial_cmp|eq|ne|hash|default|into|try_into|iter|into_iter|next|as_ref|source|to_owned|max|min)` found for [\\w ]+ `&*(?:\\w+::)*(\\w+)"),
	re.New("no (?:function or associated item|associated function or constant) named `(?:default|from|from_str|try_from)` found for [\\w ]+ `&*(?:\\w+::)*(\\w+)"),
}

// missingModule are the ways to say that a file or package is not there.
var missingModule = []re.Regexp{
	re.New(`Cannot find (?:module|package) '([^']+)'`),
	re.New(`Failed to resolve import "([^"]+)"`),
	re.New(`Failed to load url (\S+)`),
	re.New(`No module named '([^']+)'`),
	re.New(`no required module provides package ([^;\s]+)`),
	re.New(`package (\S+) is not in std`),
	re.New(`no non-test Go files in ()`),
}

// noExport is Node's word for a name that a module does not have: no mistake in the source that asks for it.
var noExport = re.New(`SyntaxError: The requested module '[^']*' does not provide an export named`)

var brokenSource = re.New(`SyntaxError|IndentationError|PARSE_ERROR|Transform failed|expected declaration|syntax error|Unexpected token|imported and not used|declared and not used`)

// unrelated says why a failure has nothing to do with what the spec exports; "" when it has. A load failure has to be
// explained by missing exports; an ordinary failure only must not be a mistake of the test itself.
func (r *red) unrelated(t test, msg string, load bool) string {
	if strings.Contains(msg, toolchain.StubMark) {
		return ""
	}
	if load && brokenSource().MatchString(noExport().ReplaceAllString(msg, "")) {
		return "The test file cannot be compiled: " + firstLines(msg, 6)
	}
	named := func(ways []re.Regexp) []string {
		return slices.Concat(each(ways, func(way re.Regexp) []string {
			return each(way().FindAllStringSubmatch(msg, -1), func(found []string) string { return found[1] })
		})...)
	}
	if slices.ContainsFunc(named(missingTrait), r.promised) {
		return ""
	}
	names, modules := named(missingName), named(missingModule)
	if i := slices.IndexFunc(names, func(name string) bool { return !r.promised(name) }); i >= 0 {
		return "It needs " + names[i] + ", which the spec does not export: " + firstLines(msg, 4)
	}
	if i := slices.IndexFunc(modules, func(name string) bool { return !r.ownModule(t, name) }); i >= 0 {
		return "It needs " + modules[i] + ", which is neither a module of the project nor installed: " + firstLines(msg, 4)
	}
	otherwise := !r.stubs && slices.ContainsFunc(named(otherSignature), r.promised)
	if load && len(names)+len(modules) == 0 && !otherwise {
		return "It cannot be loaded: " + firstLines(msg, 6)
	}
	return ""
}

func firstLines(s string, n int) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[:min(n, len(lines))], "\n")
}

// promised reports whether the spec exports name, as a name or in a signature (a field, a method).
func (r *red) promised(name string) bool {
	return slices.ContainsFunc(r.m.Exports, func(e step.Export) bool {
		return e.Name == name || strings.HasSuffix(e.Name, "."+name) || hasWord(e.Signature, name)
	}) || slices.Contains(r.m.Names, name) || r.inSpecCode(name)
}

// unlisted reports whether the spec says nothing of an export, which could be private.
func (r *red) unlisted(e source.Export) bool {
	return e.Owner == "" && e.Name != "*" && e.Name != "default" && !r.promised(e.Name) && !hasWord(r.m.SpecText, e.Name)
}

// inSpecCode reports whether name stands in code in the part of the spec that a module carries with it: a line of its
// exports may not have been understood.
func (r *red) inSpecCode(name string) bool {
	if r.words == nil {
		r.words = map[string]bool{}
		for i, part := range strings.Split(r.m.SpecText, "`") {
			if i%2 == 0 {
				continue
			}
			for _, w := range identifier().FindAllString(stringText().ReplaceAllString(part, " "), -1) {
				r.words[w] = true
			}
		}
	}
	return r.words[name]
}

var (
	identifier = re.New(`[\p{L}_$][\p{L}\p{N}_$]*`)
	stringText = re.New(`"[^"]*"|'[^']*'`)
)

// ownModule reports whether a missing import is a file of the module under work, of which the test wants only what the
// spec exports.
func (r *red) ownModule(t test, from string) bool {
	if from == "" {
		return true
	}
	for _, imp := range source.Parse(t.File, r.p.read(t.File)).Imports {
		if !r.means(t, imp.From, from) {
			continue
		}
		for _, n := range imp.Names {
			if n != "default" && !r.promised(n) {
				return false
			}
		}
	}
	return slices.ContainsFunc(importTargets(r.m.Chain, t.File, from, r.p.root), func(target string) bool {
		return target == r.m.Dir || strings.HasPrefix(target, r.m.Dir+"/") || r.m.Dir == "."
	})
}

// means reports whether an import as written in the test is the one that the runner calls missing.
func (r *red) means(t test, written, missing string) bool {
	if written == missing {
		return true
	}
	want := importTargets(r.m.Chain, t.File, missing, r.p.root)
	return slices.ContainsFunc(importTargets(r.m.Chain, t.File, written, r.p.root), func(a string) bool { return slices.Contains(want, a) })
}
