// Package jacquard_test checks what no single package can see: who imports whom.
package jacquard_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/jacquard-build/jacquard/internal/"

// allowed is the drawing of docs/architecture.md: package -> what it may
// import of this module. cli may import everything.
var allowed = map[string][]string{
	"re":                {},
	"spec":              {},
	"syntax":            {},
	"source":            {"syntax"},
	"commands":          {},
	"toolchain":         {"commands"},
	"signature":         {},
	"index":             {"spec", "source"},
	"target":            {"spec", "index", "toolchain"},
	"inspect":           {"spec", "index", "signature", "source", "toolchain"},
	"works":             {"spec"},
	"pdca":              {"task", "toolchain"},
	"task":              {},
	"subject":           {"toolchain"},
	"checkpoint":        {"task", "pdca", "toolchain"},
	"flow":              {},
	"flow/flowtest":     {"flow", "conformance"},
	"step":              {"flow", "task", "pdca", "checkpoint"},
	"workflow/turn":     {"flow", "step", "task", "pdca"},
	"workflow/compile":  {"flow", "step", "spec", "source", "index", "target", "toolchain", "workflow/turn"},
	"workflow/document": {"flow", "step", "spec", "workflow/turn"},
	"workflow/work":     {"flow", "step", "task", "works", "workflow/turn"},
	"workflow/auto":     {"flow", "step", "task", "pdca", "workflow/turn"},
	"workflow/develop":  {"flow", "step", "task", "pdca", "checkpoint", "workflow/turn"},
	"blob":              {},
	"confine":           {},
	"proc":              {"confine"},
	"git":               {"proc"},
	"scenario":          {},
	"submit":            {"step"},
	"agent":             {"confine", "proc", "step", "submit"},
	"gateway":           {"scenario"},
	"example":           {"source"},
	"check":             {"confine", "proc", "git", "source", "step", "toolchain", "example", "signature"},
	"act": {
		"flow", "step", "spec", "source", "index", "target", "toolchain", "inspect", "agent", "gateway", "check", "git", "proc", "blob", "scenario", "example",
		"task", "works", "pdca", "checkpoint", "forge", "subject", "confine",
	},
	"forge":                      {"flow", "private"},
	"inbox":                      {"flow", "pdca", "private", "re"},
	"flow/local":                 {"flow", "blob"},
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
	"net/http":               {"gateway", "submit", "forge", "hub", "inbox", "cli"},
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
			t.Errorf("the drawing has a package %s that does not exist", pkg)
		}
	}
}

func check(t *testing.T, file, pkg, imp string) {
	t.Helper()
	may, known := allowed[pkg]
	if !known {
		t.Errorf("%s: package %s is not in the drawing of docs/architecture.md", file, pkg)
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
