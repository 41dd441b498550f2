package example

import (
	"bytes"
	_ "embed" // the programs
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

var (
	//go:embed programs/call.py
	pythonProgram string
	//go:embed programs/call.mjs
	nodeProgram string
	//go:embed programs/load.mjs
	nodeLoader string
	//go:embed programs/Call.java
	javaProgram string
	//go:embed programs/call.go.txt
	goProgram string
)

// Plan is what a program reads: the calls to make, in this order, and the file for what they give, a line of JSON each.
type Plan struct {
	Out   string   `json:"out"`
	Path  []string `json:"path"` // Python: where modules are looked for
	Calls []Call   `json:"calls"`
}

// Call is one of the calls of a [Plan]. Module is that of the call, where names are looked for that say no other.
type Call struct {
	ID     string `json:"id"`
	Module string `json:"module"`
	Before []Step `json:"before"`
	Links  []Link `json:"call"`
}

// Python is the program that makes the calls of the plan in a file.
func Python(plan string) []byte { return fill(pythonProgram, "{plan}", Quoted(plan)) }

// Java is the program that makes the calls of the plan in a file, for Java 17 and later.
func Java(plan string) []byte { return fill(javaProgram, "{plan}", Quoted(plan)) }

// Node is the program that makes the calls of the plan in a file. A loader is the address of what [NodeLoader] gives, "" where
// nothing has to be translated.
func Node(plan, loader string) []byte {
	register := ""
	if loader != "" {
		register = "import { register } from \"node:module\";\nregister(" + Quoted(loader) + ");"
	}
	return fill(nodeProgram, "{plan}", Quoted(plan), "{loader}", register, "{begin}", "await calls();\nprocess.exit();")
}

// NodeTest is the same program as a test with a name, of the runner that is imported by runner.
func NodeTest(plan, runner, name string) []byte {
	return fill(nodeProgram, "{plan}", Quoted(plan), "{loader}", "import { test } from "+Quoted(runner)+";", "{begin}", fmt.Sprintf("test(%s, calls, 60_000);", Quoted(name)))
}

// NodeLoader translates TypeScript by what is installed for the file root.
func NodeLoader(root string) []byte { return fill(nodeLoader, "{root}", Quoted(root)) }

// Package is a package of Go that a program imports, and what the program uses of it.
type Package struct {
	Path   string
	Values []string // functions and constants
	Types  []string
	Errors []string // those that the program can tell apart
}

// Go is the program that makes the calls of the plan in a file, in some packages. Names of the first one stand alone, those of another
// one have its path in front, see [Link]. Functions are those that are arguments, in Go, by what was written; in them the packages are
// called as GoName says. Those without a text cannot be made.
func Go(plan string, packages []Package, functions map[string]string) []byte {
	var imports, values, types, fails []string
	for i, p := range packages {
		path := p.Path + "."
		if i == 0 {
			path = ""
		}
		table := func(to *[]string, names []string, format string) {
			for _, n := range names {
				*to = append(*to, fmt.Sprintf("\t%q: "+format+",\n", path+n, GoName(i), n))
			}
		}
		as := GoName(i)
		used := func(text string) bool { return strings.Contains(text, as+".") }
		if len(p.Values)+len(p.Types)+len(p.Errors) == 0 && !slices.ContainsFunc(slices.Collect(maps.Values(functions)), used) {
			as = "_"
		}
		imports = append(imports, fmt.Sprintf("\t%s %q\n", as, p.Path))
		table(&values, p.Values, "%s.%s")
		table(&types, p.Types, "reflect.TypeFor[%s.%s]()")
		table(&fails, p.Errors, "%s.%s")
	}
	for written, text := range functions {
		if text == "" {
			continue
		}
		values = append(values, fmt.Sprintf("\t%q: %s,\n", written, text))
	}
	text := func(lines []string) string {
		slices.Sort(lines)
		return strings.Join(slices.Compact(lines), "")
	}
	return fill(goProgram, "{plan}", Quoted(plan), "{imports}", text(imports), "{values}", text(values), "{types}", text(types), "{fails}", text(fails))
}

// GoName is what a program calls the package at i.
func GoName(i int) string { return fmt.Sprintf("m%d", i) }

// GoPackage is the same program as a package with a name, whose function Run makes the calls.
func GoPackage(name, plan string, packages []Package) []byte {
	text := string(Go(plan, packages, nil))
	return []byte(strings.Replace(strings.Replace(text, "package main", "package "+name, 1), "func main() {", "// Run makes the calls.\nfunc Run() {", 1))
}

func fill(text string, pairs ...string) []byte {
	return []byte(strings.NewReplacer(pairs...).Replace(text))
}

// Quoted is a text as Go, Python and JavaScript write it.
func Quoted(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(raw)
}

// Outcomes reads what a program wrote. Lines that are none are left out: the call has no outcome then.
func Outcomes(text []byte) map[string]Outcome {
	out := map[string]Outcome{}
	for line := range bytes.Lines(text) {
		var o struct {
			Outcome

			Debug *string `json:"debug"` // Rust
		}
		if json.Unmarshal(line, &o) == nil && o.ID != "" {
			if o.Debug != nil {
				o.Outcome = debugged(o.ID, *o.Debug)
			}
			if _, twice := out[o.ID]; twice {
				o.Outcome = Outcome{ID: o.ID, Cannot: "the result of the call is given twice"}
			}
			out[o.ID] = o.Outcome
		}
	}
	return out
}
