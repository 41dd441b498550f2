package check

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/jacquard-build/jacquard/internal/example"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// prepare makes the program.
func (u *user) prepare(ctx context.Context) error {
	name := strings.ToLower(rand.Text())
	u.plan = filepath.Join(u.dir, rand.Text())
	switch u.chain.Ecosystem {
	case toolchain.Python:
		file := filepath.Join(u.dir, name+".py")
		u.program = []string{"python", file}
		return os.WriteFile(file, example.Python(u.plan), 0o600)
	case toolchain.Node:
		return u.prepareNode(name)
	case toolchain.Go:
		return u.prepareGo(ctx, name)
	case toolchain.JVM:
		return u.prepareJVM(ctx, name)
	}
	u.cannot = "examples of " + u.m.Place.Language + " are not run yet"
	return nil
}

// asReleased builds the crates of a workspace as they are released, without what only debugging has, and what they depend on as for tests:
// it is built already.
var asReleased = []string{"build", "--quiet", "--message-format=short", "--config", "profile.dev.debug-assertions=false", "--config", `profile.dev.package."*".debug-assertions=true`}

// prepareRust builds a program of a plan, as an example of the package: calls that do not compile are left out of the plan, with what the
// compiler says.
func (u *user) prepareRust(ctx context.Context, plan example.Plan) (example.Plan, map[string]string, error) {
	signatures := u.rustSignatures()
	unwritten := map[string]string{}
	for {
		text, lines, cannot := example.Rust(plan, signatures)
		maps.Copy(unwritten, cannot)
		plan.Calls = slices.DeleteFunc(plan.Calls, func(c example.Call) bool { return unwritten[c.ID] != "" })
		name := "a" + strings.ToLower(rand.Text())
		file := path.Join(u.chain.Root, "examples", name+".rs")
		if err := u.write(file, text); err != nil {
			return plan, nil, err
		}
		cmd := u.chain.Cargo("examples", append(slices.Clone(asReleased), "--example", name)...)
		out, err := u.exec(ctx, cmd, false)
		if err != nil {
			return plan, nil, err
		}
		if err := os.Remove(u.full(file)); err != nil {
			return plan, nil, err
		}
		if out.clean() {
			u.program = []string{filepath.Join(u.full(u.chain.Workspace), "target", "debug", "examples", name)}
			return plan, unwritten, nil
		}
		left := len(plan.Calls)
		for _, m := range rustLine().FindAllStringSubmatch(string(out.output), -1) {
			if id := lines[m[2]]; id != "" && path.Base(m[1]) == name+".rs" {
				unwritten[id] = "it cannot be called like this: " + m[3]
			}
		}
		plan.Calls = slices.DeleteFunc(plan.Calls, func(c example.Call) bool { return unwritten[c.ID] != "" })
		if len(plan.Calls) == left {
			u.cannot = "the crate cannot be called from a program: " + firstLines(out.tail, 3)
			return plan, unwritten, nil
		}
	}
}

// rustSignatures are those of all functions and variants of the crate, by name and by Type.name.
func (u *user) rustSignatures() map[string]string {
	if u.signatures != nil {
		return u.signatures
	}
	u.signatures = mapOf(u.m.Exports, func(e step.Export) (string, string) { return bareName(e.Name), e.Signature })
	add := func(owner, name, text string) {
		for _, key := range []string{name, owner + "." + name} {
			if u.signatures[key] == "" {
				u.signatures[key] = text
			}
		}
	}
	for _, file := range slices.Sorted(maps.Keys(u.entries)) {
		if !strings.HasSuffix(file, ".rs") || toolchain.IsTest(file) || !below(u.chain.Root, file) {
			continue
		}
		for _, x := range u.parse(file).Exports {
			if strings.Contains(x.Signature, "fn ") { // and not that it is handed on
				add(x.Owner, x.Name, x.Signature)
			}
			for _, c := range x.Cases { // Text(String) makes a value as a function does
				if name, types, ok := strings.Cut(strings.TrimSuffix(c, ")"), "("); ok {
					var params []string
					for i, t := range strings.Split(types, ",") {
						params = append(params, fmt.Sprintf("a%d: %s", i, strings.TrimSpace(t)))
					}
					add(x.Name, name, "fn "+name+"("+strings.Join(params, ", ")+")")
				}
			}
		}
	}
	return u.signatures
}

// rustLine is an error of the compiler in the short form.
var rustLine = re.New(`(?m)^([^\s:]+\.rs):(\d+):\d+: (error.*)$`)

func (u *user) prepareNode(name string) error {
	file, loader := filepath.Join(u.dir, name+".mjs"), ""
	if u.m.Place.Language == toolchain.LangTypeScript {
		load := filepath.Join(u.dir, name+"l.mjs")
		loader = fileURL(load)
		if err := os.WriteFile(load, example.NodeLoader(u.full(path.Join(u.chain.Root, "package.json"))), 0o600); err != nil {
			return err
		}
	}
	u.program = []string{"node", file}
	return os.WriteFile(file, example.Node(u.plan, loader), 0o600)
}

// prepareGo builds a program below the module's directory, so that it may import what is internal.
func (u *user) prepareGo(ctx context.Context, name string) error {
	dir := path.Join(u.m.Dir, name)
	program := example.Go(u.plan, u.imports(), u.functions)
	if err := u.write(path.Join(dir, "main.go"), program); err != nil {
		return err
	}
	file := filepath.Join(u.dir, name)
	cmd := toolchain.Command{
		Name: "examples", Argv: []string{"go", "build", "-o", file, "./" + u.below(dir)}, Dir: u.chain.Root, Report: toolchain.ReportExit, Env: u.chain.Env(),
		Needs: []toolchain.Need{u.chain.Need()},
	}
	out, err := u.exec(ctx, cmd, false)
	if err != nil {
		return err
	}
	switch {
	case out.clean():
		u.program = []string{file}
	case u.dropFunctions(program, out.tail):
		return u.prepareGo(ctx, name)
	case !u.narrow: // something else may be for another system
		u.narrow, u.packages = true, nil
		return u.prepareGo(ctx, name)
	default:
		u.cannot = "the package cannot be called from a program: " + firstLines(out.tail, 3)
	}
	return nil
}

// goLine is where the compiler finds something wrong in the program.
var goLine = re.New(`(?m)main\.go:(\d+):`)

// dropFunctions forgets the functions that a program does not compile with, all where the compiler names none. False: there is none.
func (u *user) dropFunctions(program []byte, said string) bool {
	lines := bytes.Split(program, []byte("\n"))
	left := maps.Clone(u.functions)
	maps.DeleteFunc(left, func(_, text string) bool { return text == "" })
	wrong := map[string]bool{}
	for _, m := range goLine().FindAllStringSubmatch(said, -1) {
		n, err := strconv.Atoi(m[1])
		for written, text := range left {
			if err == nil && n <= len(lines) && bytes.HasSuffix(lines[n-1], []byte(": "+text+",")) {
				wrong[written] = true
			}
		}
	}
	for written := range left {
		if wrong[written] || len(wrong) == 0 {
			u.functions[written] = ""
		}
	}
	return len(left) > 0
}

// generic reports whether a declaration of Go has type parameters: there is no value of it that a table could have.
func generic(signature, name string) bool { return strings.Contains(" "+signature, " "+name+"[") }

// imports are the packages that a program of Go uses; the first one is the module's.
func (u *user) imports() []example.Package {
	if len(u.packages) > 0 {
		return u.packages
	}
	p := example.Package{Path: path.Join(u.chain.Module, u.below(u.m.Dir))}
	for _, e := range u.m.Exports {
		sym := symbol(e)
		switch {
		case sym.Owner != "" || generic(e.Signature, e.Name):
		case sym.Kind == "function":
			p.Values = append(p.Values, e.Name)
		case sym.Kind == "variable" && strings.HasPrefix(e.Name, "Err"):
			p.Errors = append(p.Errors, e.Name)
		case sym.Kind == "class" || sym.Kind == "type":
			p.Types = append(p.Types, e.Name)
		}
	}
	u.packages = []example.Package{p}
	return u.packages
}
