package check

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// cargoMessage is one line of Cargo's --message-format=json.
type cargoMessage struct {
	Reason     string
	Success    bool
	Executable string
	Target     struct {
		SrcPath string `json:"src_path"`
	}
	Message struct {
		Level, Message, Rendered string
		Spans                    []struct {
			FileName  string `json:"file_name"`
			LineStart int    `json:"line_start"`
			IsPrimary bool   `json:"is_primary"`
		}
	}
}

// cargoBuilt is what the compiler said before any test ran.
type cargoBuilt struct {
	roots  map[string]string // by the name of an executable: the file that its crate begins with
	errors []cargoError
	done   bool
	rest   []byte // what the tests printed
}

type cargoError struct {
	complaint

	crate string // the file that the crate begins with
}

// cargoBuild reads the messages of the compiler. What comes behind the one that ends the build was printed by tests.
func (r reader) cargoBuild(stdout []byte) cargoBuilt {
	b := cargoBuilt{roots: map[string]string{}}
	for len(stdout) > 0 && !b.done {
		line, rest, _ := bytes.Cut(stdout, []byte("\n"))
		stdout = rest
		var m cargoMessage
		if len(line) == 0 || line[0] != '{' || json.Unmarshal(line, &m) != nil {
			continue
		}
		switch m.Reason {
		case "build-finished":
			b.done = m.Success
			if !m.Success {
				stdout = nil
			}
		case "compiler-artifact":
			if m.Executable != "" {
				b.roots[filepath.Base(m.Executable)] = r.relative(m.Target.SrcPath)
			}
		case "compiler-message":
			if m.Message.Level != "error" {
				continue
			}
			e := cargoError{crate: r.relative(m.Target.SrcPath)}
			e.text, e.full = m.Message.Message, strings.TrimSpace(m.Message.Rendered)
			for _, s := range m.Message.Spans {
				if s.IsPrimary && e.file == "" {
					e.file, e.line = r.workspace(s.FileName), s.LineStart
				}
			}
			if e.file != "" { // else it only counts the others
				b.errors = append(b.errors, e)
			}
		}
	}
	b.rest = stdout
	return b
}

// workspace makes a path of the compiler, which it gives from the workspace's directory, relative to the project's root.
func (r reader) workspace(p string) string {
	if filepath.IsAbs(p) {
		return r.relative(p)
	}
	return path.Join(r.chain.Workspace, filepath.ToSlash(p))
}

var (
	cargoRuns  = re.New(`^\s+Running .*\(([^()]+)\)$`)
	cargoDocs  = re.New(`^\s+Doc-tests \S+$`)
	cargoStart = re.New(`^running (\d+) tests?$`)
	cargoTest  = re.New(`^test (.+?)(?: - should panic)? \.\.\. ?(.*)$`)
	cargoEnd   = re.New(`^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;`)
	docTest    = re.New(`^(\S+\.rs) - (.*\(line \d+\))(?: - .*)?$`)
)

// cargo reads what cargo test printed. One crate's tests come after the other's; on standard error it says which crate.
func (r reader) cargo(stdout, output []byte) ([]step.TestResult, error) {
	b := r.cargoBuild(stdout)
	if !b.done {
		return r.notBuilt(b.errors), nil
	}
	_, after, _ := bytes.Cut(output, []byte("\n")) // the command
	errs := after[min(len(stdout), len(after)):]
	var crates []string
	for line := range strings.Lines(string(errs)) {
		line = strings.TrimRight(line, "\r\n")
		if m := cargoRuns().FindStringSubmatch(line); m != nil {
			if root, known := b.roots[filepath.Base(m[1])]; known {
				crates = append(crates, root)
			}
		} else if cargoDocs().MatchString(line) {
			crates = append(crates, "")
		}
	}
	var out []step.TestResult
	sections := cargoSections(string(b.rest))
	if len(sections) > len(crates) {
		return nil, fmt.Errorf("%d crates ran, and tests of %d were reported", len(crates), len(sections))
	}
	for i, s := range sections {
		results, err := r.section(crates[i], s)
		if err != nil {
			return nil, err
		}
		out = append(out, results...)
	}
	return out, nil
}

// cargoSections cuts the text where the tests of a crate begin.
func cargoSections(text string) [][]string {
	var out [][]string
	ended := true
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if ended && cargoStart().MatchString(line) {
			out = append(out, nil)
			ended = false
		}
		if len(out) > 0 {
			out[len(out)-1] = append(out[len(out)-1], line)
		}
		ended = ended || cargoEnd().MatchString(line) || strings.HasPrefix(line, "test ") && strings.HasSuffix(line, " ... ")
	}
	return out
}

// section reads the tests of one crate. The numbers at its end have to be those of the tests that were read: what a test prints past the
// runner may look like a result.
func (r reader) section(crate string, lines []string) ([]step.TestResult, error) {
	status := map[string]step.TestStatus{}
	var order []string
	var ended []string
	listed := false
	failed, texts := map[string]bool{}, map[string]*strings.Builder{}
	current, inFailures := "", false
	for _, l := range lines {
		if m := cargoEnd().FindStringSubmatch(l); m != nil {
			if ended != nil {
				return nil, fmt.Errorf("%s: the tests printed a result of their own", crate)
			}
			ended = m
			continue
		}
		if l == "failures:" {
			listed, inFailures, current = inFailures, true, ""
			continue
		}
		if inFailures {
			name, isName := strings.CutPrefix(l, "    ")
			switch head := strings.TrimSuffix(strings.TrimPrefix(l, "---- "), " stdout ----"); {
			case listed && isName:
				failed[strings.TrimSuffix(name, " - should panic")] = true
			case len(head)+len("----  stdout ----") == len(l) && status[head] == step.Fail:
				current = head
				texts[current] = &strings.Builder{}
			case current != "":
				texts[current].WriteString(l + "\n")
			}
			continue
		}
		m := cargoTest().FindStringSubmatch(l)
		if m == nil {
			continue
		}
		st := step.Error // it has begun
		switch {
		case m[2] == "ok":
			st = step.Pass
		case m[2] == "FAILED":
			st = step.Fail
		case strings.HasPrefix(m[2], "ignored"):
			st = step.Skip
		}
		have, twice := status[m[1]]
		if !twice {
			order = append(order, m[1])
		}
		if !twice || st == step.Fail || have == step.Error {
			status[m[1]] = st
		}
	}
	count := map[step.TestStatus]int{}
	out := make([]step.TestResult, 0, len(order))
	for _, name := range order {
		st, msg := status[name], ""
		if texts[name] != nil {
			msg = texts[name].String()
		}
		switch {
		case failed[name]:
			st = step.Fail
		case st == step.Error && ended != nil: // its line was broken by what it printed
			st = step.Pass
		case st == step.Error:
			st, msg = step.Fail, unfinished+" the test process was gone"
		}
		count[st]++
		file, short := r.rustTest(crate, name)
		out = append(out, r.result(file, short, st, msg, 0))
	}
	if ended == nil {
		return out, nil
	}
	if m := cargoStart().FindStringSubmatch(lines[0]); m == nil || m[1] != strconv.Itoa(len(out)) {
		return nil, fmt.Errorf("%s: it says %q, %d results were read", crate, lines[0], len(out))
	}
	for i, st := range []step.TestStatus{step.Pass, step.Fail, step.Skip} {
		if n, err := strconv.Atoi(ended[i+1]); err != nil || n != count[st] {
			return nil, fmt.Errorf("%s: %s tests with the result %s are announced, %d were read", crate, ended[i+1], st, count[st])
		}
	}
	return out, nil
}

// rustTest finds the file of a test, and its name in this file. crate is the file that its crate begins with, "" for tests in documentation.
func (r reader) rustTest(crate, name string) (file, short string) {
	if crate == "" {
		if m := docTest().FindStringSubmatch(name); m != nil {
			return r.workspace(m[1]), m[2]
		}
		return r.chain.Root, name
	}
	parts := strings.Split(name, "::")
	dir := path.Dir(crate)
	for k := len(parts) - 1; k > 0; k-- {
		for _, f := range []string{path.Join(dir, path.Join(parts[:k]...)) + ".rs", path.Join(dir, path.Join(parts[:k]...), "mod.rs")} {
			if info, err := os.Stat(filepath.Join(r.root, filepath.FromSlash(f))); err == nil && info.Mode().IsRegular() {
				return f, strings.Join(parts[k:], "::")
			}
		}
	}
	return crate, name
}

// notBuilt gives one result for each file with errors; a crate of tests is one file.
func (r reader) notBuilt(errors []cargoError) []step.TestResult {
	var out []step.TestResult
	at := map[string]int{}
	for _, e := range errors {
		file := e.file
		if e.crate != "" && toolchain.IsTest(e.crate) {
			file = e.crate
		}
		if i, seen := at[file]; seen {
			out[i].Message = shorten(out[i].Message + "\n" + e.full)
			continue
		}
		at[file] = len(out)
		out = append(out, r.result(file, "", step.Error, "it does not compile:\n"+e.full, 0))
	}
	return out
}
