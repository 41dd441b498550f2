package act

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/proc"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// commandsFor are the beginnings of command lines that an agent may run: those of the toolchain, and what the project's own
// people run.
func commandsFor(f toolchain.Found) []string {
	out := tableCommands(f)
	for _, c := range slices.Concat(f.Own.Test, f.Own.Types, f.Own.Lint, f.Own.Before) {
		for _, begin := range toolchain.Beginnings(f, c) {
			if !step.Begins(begin, out) {
				out = append(out, begin)
			}
		}
	}
	return out
}

func tableCommands(f toolchain.Found) []string {
	switch f.Ecosystem {
	case toolchain.Go:
		return []string{"go test", "go build", "go vet", "gofmt"}
	case toolchain.Node:
		out := map[string][]string{"vitest": {"npx vitest run"}, "jest": {"npx jest"}, "node": {"node --test"}}[f.Runner]
		for tool, cmd := range map[string]string{"typescript": "npx tsc --noEmit", "eslint": "npx eslint"} {
			if f.Uses(tool) {
				out = append(out, cmd)
			}
		}
		slices.Sort(out)
		return out
	case toolchain.Python:
		if f.Runner == "unittest" {
			return []string{"python3 -m unittest", "python -m unittest"}
		}
		return []string{"python3 -m pytest", "python -m pytest", "pytest"}
	case toolchain.Rust:
		return []string{"cargo test", "cargo build", "cargo check", "cargo clippy", "cargo fmt"}
	case toolchain.JVM:
		switch {
		case f.Uses("mvnw"):
			return []string{"sh mvnw"}
		case f.Uses("gradlew"):
			return []string{"sh gradlew", "./gradlew"}
		case f.Manager == "gradle":
			return []string{"gradle"}
		default:
			return []string{"mvn"}
		}
	}
	return nil
}

// offered are the commandsFor a toolchain whose programs are here. An author may also let what it writes be run.
func (a *Actor) offered(f toolchain.Found) []string {
	here := slices.DeleteFunc(commandsFor(f), func(line string) bool { return a.missing(f, line) })
	return append(here, "chmod +x")
}

// missing reports whether the program of a command line is certainly not here. Those of Node and Python come with the dependencies;
// where the toolchain itself is missing, the checks run on another machine.
func (a *Actor) missing(f toolchain.Found, line string) bool {
	tool := map[string]string{toolchain.Go: "go", toolchain.Rust: "cargo", toolchain.JVM: "java"}[f.Ecosystem]
	name, _, _ := strings.Cut(line, " ")
	return tool != "" && a.onPath(tool) && !strings.ContainsAny(name, "/=") && !a.onPath(name)
}

// onPath reports whether a program is on the PATH of checks.
func (a *Actor) onPath(name string) bool {
	_, err := lookPath(a.o.Env, name)
	return err == nil
}

// lookPath finds a program on the PATH of an environment.
func lookPath(env []string, name string) (string, error) {
	return proc.LookPath(name, valueOf(env, "PATH"))
}

// checksText names the commands that a project is checked with, as its people write them, and how one test is run. Of a command
// that is missing it says so. What is checked in the same way is told once.
func checksText(chains []toolchain.Found, missing func(toolchain.Found, string) bool) string {
	if len(chains) == 1 && chains[0].Root == "." {
		return checkLines(chains[0], missing)
	}
	var order []string
	where := map[string][]string{} // text -> roots
	for _, c := range chains {
		text := " (" + c.Language + "):\n" + checkLines(c, missing)
		if where[text] == nil {
			order = append(order, text)
		}
		where[text] = append(where[text], c.Root)
	}
	var b strings.Builder
	for _, text := range order {
		b.WriteString("in " + strings.Join(where[text], ", ") + text)
	}
	return b.String()
}

// checkLines are the lines of checksText for a toolchain.
func checkLines(c toolchain.Found, missing func(toolchain.Found, string) bool) string {
	var b strings.Builder
	for _, cmd := range slices.Concat(c.Build(c.Root), c.Lint(nil)) {
		text := check.CommandText(cmd)
		if missing(c, text) {
			text += " (not installed here, so it is not run)"
		}
		fmt.Fprintf(&b, "- %s: %s\n", cmd.Name, text)
	}
	if all := allTests(c); all != "" {
		fmt.Fprintf(&b, "- all tests: %s\n", all)
	}
	if one := oneTest(c); one != "" {
		if before := buildsBefore(c); before != "" {
			one += " (after " + before + ")"
		}
		fmt.Fprintf(&b, "- one test: %s\n", one)
	}
	return b.String()
}

// allTests is the command that runs all tests of a toolchain, without what the engine adds to read the results.
func allTests(f toolchain.Found) string {
	if len(f.Own.Test) > 0 || f.Override["test"] != "" {
		return check.TestText(f)
	}
	switch f.Runner {
	case "go":
		return "go test ./..."
	case "pytest", "unittest":
		return "python -m " + f.Runner
	case "vitest":
		return "npx vitest run"
	case "jest":
		return "npx jest"
	case "node":
		return "node --test"
	case "cargo":
		return "cargo test"
	}
	return check.TestText(f)
}

// buildsBefore are the builds that have to run before the tests do, in one line.
func buildsBefore(f toolchain.Found) string {
	if f.Override["test"] != "" {
		return ""
	}
	return toolchain.Texts(f.Own.Before, f.Root)
}

// oneTest is the form of a command line that runs a single test. It begins as one that authors may run.
func oneTest(f toolchain.Found) string {
	form := map[string][2]string{
		"go": {"go test", "./DIR -run '^NAME$'"}, "pytest": {"python -m pytest", "FILE::NAME"}, "unittest": {"python -m unittest", "MODULE.CLASS.NAME"},
		"vitest": {"npx vitest run", "FILE -t NAME"}, "jest": {"npx jest", "FILE -t NAME"}, "mocha": {"npx mocha", "FILE -g NAME"}, "ava": {"npx ava", "FILE --match=NAME"},
		"node": {"node --test", "--test-name-pattern=NAME FILE"}, "cargo": {"cargo test", "NAME"}, "surefire": {"mvn", "test -Dtest=CLASS#NAME"},
	}[f.Runner]
	begin := form[0]
	for _, c := range commandsFor(f) {
		switch {
		case f.Runner == "node" && slices.Contains(strings.Fields(c), "--test"): // the project's own has the flags that its tests need
			begin = c
		case f.Runner == "surefire" && c == "sh mvnw":
			begin = c
		}
	}
	if begin == "" || !slices.Contains(commandsFor(f), begin) {
		return ""
	}
	return begin + " " + form[1]
}

// valueOf is a variable of an environment, the last where there are several; "" without.
func valueOf(env []string, name string) string {
	for _, kv := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(kv, name+"="); ok {
			return value
		}
	}
	return ""
}

// CommandLine takes a command line apart: programs with arguments, joined by &&. Words may stand in quotes.
func CommandLine(line string) ([][]string, error) {
	var out [][]string
	var argv []string
	var word strings.Builder
	inWord := false
	end := func() {
		if inWord {
			argv = append(argv, word.String())
		}
		word.Reset()
		inWord = false
	}
	runes := []rune(line)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		switch {
		case r == '\'' || r == '"':
			k := i + 1
			for k < len(runes) && runes[k] != r {
				k++
			}
			if k == len(runes) {
				return nil, errors.New("a quote is not closed")
			}
			if r == '"' && strings.ContainsAny(string(runes[i:k]), "$`\\") {
				return nil, errors.New("it does not run in a shell: no variables and no backslashes; use single quotes")
			}
			word.WriteString(string(runes[i+1 : k]))
			inWord, i = true, k
		case r == ' ' || r == '\t':
			end()
		case r == '&' && i+1 < len(runes) && runes[i+1] == '&':
			end()
			if len(argv) == 0 {
				return nil, errors.New("there is nothing before &&")
			}
			out, argv = append(out, argv), nil
			i++
		case unicode.IsControl(r):
			return nil, errors.New("no control characters")
		case strings.ContainsRune("|&;<>$`\\*?(){}!#~", r):
			return nil, fmt.Errorf("it does not run in a shell: no %q outside single quotes", string(r))
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	end()
	if len(argv) == 0 {
		return nil, errors.New("it is empty")
	}
	if strings.Contains(argv[0], "=") {
		return nil, errors.New("it does not run in a shell: no variables before the program")
	}
	return append(out, argv), nil
}
