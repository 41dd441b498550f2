package example

import (
	"bytes"
	_ "embed" // the programs
	"encoding/json"
	"fmt"
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
	//go:embed programs/call.go.txt
	goProgram string
)

// Plan is what a program reads: the calls to make, in this order, and the file for what they give, a line of JSON each.
type Plan struct {
	Out   string   `json:"out"`
	Path  []string `json:"path"` // Python: where modules are looked for
	Calls []Call   `json:"calls"`
}

// Call is one of the calls of a [Plan]. Module is where its first name is: the name of a module of Python, the address of a
// file of Node.
type Call struct {
	ID     string
	Module string
	Links  []Link
}

// MarshalJSON writes the module into the first link, which is where programs look for it.
func (c Call) MarshalJSON() ([]byte, error) {
	type first struct {
		Link

		Module string `json:"module,omitempty"`
	}
	links := make([]first, len(c.Links))
	for i, l := range c.Links {
		links[i].Link = l
	}
	links[0].Module = c.Module
	return json.Marshal(map[string]any{"id": c.ID, "call": links})
}

// Python is the program that makes the calls of the plan in a file.
func Python(plan string) []byte { return fill(pythonProgram, "{plan}", Quoted(plan)) }

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

// Go is the program that makes the calls of the plan in a file, in the package of an import path. Of its exports it can call
// funcs, make objects of types, and tell the errors that it can tell apart.
func Go(plan, importPath string, funcs, types, errors []string) []byte {
	table := func(names []string, format string) string {
		names = slices.Clone(names)
		slices.Sort(names)
		var b strings.Builder
		for _, n := range slices.Compact(names) {
			fmt.Fprintf(&b, "\t%q: "+format+",\n", n, n)
		}
		return b.String()
	}
	return fill(goProgram, "{plan}", Quoted(plan), "{import}", Quoted(importPath),
		"{funcs}", table(funcs, "m.%s"), "{types}", table(types, "reflect.TypeFor[m.%s]()"), "{fails}", table(errors, "m.%s"))
}

// GoPackage is the same program as a package with a name, whose function Run makes the calls.
func GoPackage(name, plan, importPath string, funcs, types, errors []string) []byte {
	text := string(Go(plan, importPath, funcs, types, errors))
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
