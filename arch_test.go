// Package jacquard_test checks what no single package can see: who imports whom.
package jacquard_test

import (
	"flag"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/jacquard-build/jacquard/internal/"

// allowed are the import rules, from which the picture in docs/architecture.md is made: package -> what it may
// import of this module. cli may import everything.
var allowed = map[string][]string{
	"re":                {},
	"spec":              {},
	"syntax":            {},
	"source":            {"syntax"},
	"commands":          {},
	"toolchain":         {"commands", "signature"},
	"signature":         {},
	"index":             {"spec", "source"},
	"target":            {"spec", "index", "toolchain"},
	"inspect":           {"spec", "index", "signature", "source", "commands", "toolchain", "example"},
	"works":             {"spec"},
	"pdca":              {"task", "toolchain"},
	"task":              {},
	"subject":           {"toolchain"},
	"checkpoint":        {"task", "pdca", "toolchain"},
	"flow":              {},
	"flow/flowtest":     {"flow", "conformance"},
	"step":              {"flow", "task", "pdca", "checkpoint"},
	"workflow/turn":     {"flow", "step", "task", "pdca", "toolchain"},
	"workflow/compile":  {"flow", "step", "spec", "source", "index", "target", "toolchain", "workflow/turn"},
	"workflow/document": {"flow", "step", "spec", "workflow/turn"},
	"workflow/work":     {"flow", "step", "task", "works", "workflow/turn"},
	"workflow/auto":     {"flow", "step", "task", "pdca", "workflow/turn"},
	"workflow/develop":  {"flow", "step", "task", "pdca", "checkpoint", "workflow/turn"},
	"blob":              {"flow"},
	"confine":           {},
	"registry":          {},
	"proc":              {"confine"},
	"git":               {"proc"},
	"attest":            {"proc", "re"},
	"scenario":          {},
	"submit":            {"step"},
	"agent":             {"confine", "proc", "step", "submit"},
	"gateway":           {"scenario"},
	"example":           {"source", "signature"},
	"check":             {"commands", "confine", "proc", "registry", "git", "source", "step", "toolchain", "example", "signature"},
	"act": {
		"flow", "step", "spec", "source", "index", "target", "toolchain", "inspect", "agent", "gateway", "check", "git", "proc", "scenario", "example",
		"task", "works", "pdca", "checkpoint", "forge", "subject", "confine", "attest",
	},
	"forge":                      {"flow", "private"},
	"inbox":                      {"flow", "pdca", "private", "re"},
	"flow/local":                 {"flow"},
	"flow/temporal":              {"flow", "flow/local"},
	"flow/temporal/temporaltest": {"testserver"},
	"hub/s3test":                 {"testserver"},
	"testserver":                 {},
	"conformance":                {},
	"lies":                       {"spec"},
	"cputime":                    {},
	"hub":                        {"flow", "git", "private"},
	"private":                    {},
	"report":                     {"flow", "step", "spec", "pdca", "checkpoint", "works"},
	"explain":                    {},
	"plugin":                     {},
	"cli":                        nil,
	"bench":                      nil,
}

// only says which package alone may import something with effects; a name that ends in a slash is all below it. Nothing of
// the service itself is in the program: its tests start it from a module of its own.
var only = map[string][]string{
	"go.temporal.io/":        {"flow/temporal", "flow/temporal/temporaltest", "cli"},
	"go.temporal.io/server/": {},
	"os/exec":                {"proc"},
	"database/sql":           {"flow/local"},
	"net/http":               {"gateway", "registry", "submit", "forge", "hub", "inbox", "cli"},
	"os/signal":              {"cli", "confine"},
}

// pure packages take bytes and give values.
var pure = []string{"spec", "example", "source", "commands", "toolchain", "index", "signature", "target", "inspect", "flow", "step", "workflow/turn", "workflow/compile", "workflow/document", "workflow/work", "workflow/auto", "workflow/develop", "task", "works", "pdca", "checkpoint", "subject", "explain"}

func TestImportsFollowTheDrawing(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	err := filepath.WalkDir("internal", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && d.Name() == "testdata" {
			if d != nil && d.IsDir() && err == nil {
				return filepath.SkipDir
			}
			return err
		}
		if !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
			return nil
		}
		pkg := strings.TrimPrefix(path.Dir(filepath.ToSlash(p)), "internal/")
		seen[pkg] = true
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range f.Imports {
			imp, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			check(t, p, pkg, imp)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range allowed {
		if !seen[pkg] {
			t.Errorf("there is a rule for the package %s, which does not exist", pkg)
		}
	}
}

func check(t *testing.T, file, pkg, imp string) {
	t.Helper()
	may, known := allowed[pkg]
	if !known {
		t.Errorf("%s: package %s has no import rule: add it to allowed, and to the table in docs/architecture.md", file, pkg)
		return
	}
	if own, ok := strings.CutPrefix(imp, module); ok && may != nil && own != "re" && !slices.Contains(may, own) {
		t.Errorf("%s: %s may not import %s (it may import %v)", file, pkg, own, may)
	}
	for name, who := range only {
		if (name == imp || strings.HasSuffix(name, "/") && strings.HasPrefix(imp+"/", name)) && !slices.Contains(who, pkg) && pkg != "bench" {
			t.Errorf("%s: only %v may import %s", file, who, imp)
		}
	}
	effects := []string{"os", "net", "database/sql", "math/rand", "math/rand/v2", "os/exec"}
	if slices.Contains(pure, pkg) && slices.Contains(effects, imp) {
		t.Errorf("%s: %s is pure and may not import %s", file, pkg, imp)
	}
}

var update = flag.Bool("update", false, "rewrite what is generated")

// TestLayers holds the picture in docs/architecture.md to the import rules: each package stands below all that may import it.
func TestLayers(t *testing.T) {
	t.Parallel()
	var layer func(pkg string) int
	layer = func(pkg string) int {
		n := 0
		for _, below := range allowed[pkg] {
			n = max(n, 1+layer(below))
		}
		return n
	}
	byLayer := map[int][]string{}
	for pkg, may := range allowed {
		if may != nil && !slices.Contains(forTests, pkg) {
			byLayer[layer(pkg)] = append(byLayer[layer(pkg)], pkg)
		}
	}
	var b strings.Builder
	b.WriteString("```\n  cli\n")
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(byLayer))) {
		slices.Sort(byLayer[n])
		line := " "
		for _, pkg := range byLayer[n] {
			if len(line)+2+len(pkg) > 100 {
				b.WriteString(line + "\n")
				line = " "
			}
			line += " " + pkg
			if pkg != byLayer[n][len(byLayer[n])-1] {
				line += " ·"
			}
		}
		b.WriteString(line + "\n")
	}
	b.WriteString("```\n")
	const file, begin, end = "docs/architecture.md", "-update -->\n", "<!-- /layers -->"
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(raw), begin)
	old, tail, ok2 := strings.Cut(rest, end)
	switch {
	case !ok || !ok2:
		t.Fatalf("%s has no place for the picture", file)
	case *update:
		err = os.WriteFile(file, []byte(head+begin+b.String()+end+tail), 0o644)
	case old != b.String():
		t.Errorf("the picture in %s is out of date: go test . -run TestLayers -update", file)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestPackagesAreDescribed: each package is named in the first column of the table in docs/architecture.md, once, and nothing else is.
func TestPackagesAreDescribed(t *testing.T) {
	t.Parallel()
	const file = "docs/architecture.md"
	_, section, _ := strings.Cut(read(t, file), "## 3. Packages")
	section, _, _ = strings.Cut(section, "\n## ")
	named := map[string]bool{}
	for line := range strings.Lines(section) {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		for i, span := range strings.Split(strings.Split(line, "|")[1], "`") {
			if i%2 == 0 { // between two names
				continue
			}
			for name := range strings.SplitSeq(span, ", ") {
				if _, ok := allowed[name]; !ok || named[name] {
					t.Errorf("the table in %s names %s, which is no package or comes twice", file, name)
				}
				named[name] = true
			}
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(allowed)) { // TestImportsFollowTheDrawing holds it to what is there
		if !named[pkg] {
			t.Errorf("internal/%s is not in the table in %s: say there, in one line, what it does", pkg, file)
		}
	}
}

// forTests are packages that the program does not contain.
var forTests = []string{"flow/flowtest", "flow/temporal/temporaltest", "hub/s3test", "testserver", "conformance", "lies", "cputime"}
