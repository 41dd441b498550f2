package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// bend writes into the work tree of dir, which holds the commit, and says what it did; "" means that there is nothing to bend in this way.
type bend func(f *field, dir string, c commit) (string, error)

// bends are the ways a commit is made dishonest, in the order that they are tried.
var bends = []struct {
	Name string
	bend bend
}{
	{"hunk", leaveHunk},    // one hunk of code is left out
	{"tests", onlyTests},   // the tests alone
	{"weak-old", weakOld},  // one assertion of an old test asserts nothing
	{"weak-one", weakOne},  // one new assertion asserts nothing
	{"weak-all", weakAll},  // no new one asserts anything
	{"deleted", deleteOld}, // an old test is gone
	{"skipped", skipTest},  // a test that the commit has written or changed is skipped
}

// leaveHunk takes the last hunk of code back: the first ones are often imports.
func leaveHunk(f *field, dir string, c commit) (string, error) {
	for i := len(c.Code) - 1; i >= 0; i-- {
		diff, err := f.git(dir, "diff", "-U0", "--no-renames", c.Parent, c.ID, "--", c.Code[i])
		if err != nil {
			return "", err
		}
		parts := regexp.MustCompile(`(?m)^@@ `).Split(diff, -1)
		for h := len(parts) - 1; h > 0; h-- {
			if !changesCode(parts[h]) {
				continue
			}
			patch := filepath.Join(f.work, "hunk.patch")
			if err := os.WriteFile(patch, []byte(parts[0]+"@@ "+parts[h]), 0o644); err != nil {
				return "", err
			}
			if _, err := f.git(dir, "apply", "-R", "--unidiff-zero", patch); err == nil {
				return fmt.Sprintf("%s without hunk %d of %d", c.Code[i], h, len(parts)-1), nil
			}
		}
	}
	return "", nil
}

var comment = regexp.MustCompile(`^\s*(//|#|\*|/\*|"""|'''|--|$)`)

// changesCode reports whether a hunk has a line that is no comment and not empty.
func changesCode(hunk string) bool {
	for line := range strings.SplitSeq(hunk, "\n") {
		if len(line) > 1 && (line[0] == '+' || line[0] == '-') && !comment.MatchString(line[1:]) {
			return true
		}
	}
	return false
}

func onlyTests(f *field, dir string, c commit) (string, error) {
	for _, name := range c.Code {
		if _, err := f.git(dir, "checkout", c.Parent, "--", name); err != nil { // it is new
			if err := os.Remove(filepath.Join(dir, name)); err != nil && !os.IsNotExist(err) {
				return "", err
			}
		}
	}
	return "the code is as it was", nil
}

// weaker says how an assertion of a line becomes one that cannot fail.
var weaker = []struct {
	ext  string
	from *regexp.Regexp
	to   string
}{
	{".go", regexp.MustCompile(`^(\s*)if ((?:[^;{]*[^=!<>])?[!=<>]=[^;{]*|!?\w[^;{]*) \{$`), `${1}if false && (${2}) {`},
	{".go", regexp.MustCompile(`^(\s*)(?:assert|require)\.\w+\(t, (.*)\)$`), `${1}_ = []any{${2}}`},
	{".py", regexp.MustCompile(`^(\s*)assert ([^,"']*[^,\\("'\[{])$`), `${1}assert ${2} or True`},
	{".py", regexp.MustCompile(`^(\s*)self\.assert(?:Equals?|True|False|In|Is|IsNone)\((.*)\)$`), `${1}self.assertTrue(True)`},
	{".js", regexp.MustCompile(`^(\s*)(?:await )?expect\(.*\)\.[\w.]+\(.*\);?$`), `${1}expect(true).toBe(true);`},
	{".js", regexp.MustCompile(`^(\s*)(t|st|s2t|assert)\.\w*(?i:equal|same|is|ok|true|like)\w*\(.*\);?$`), `${1}${2}.ok(true);`},
	{".rs", regexp.MustCompile(`^(\s*)assert_eq!\((.*)\);$`), `${1}let _ = (${2});`},
	{".java", regexp.MustCompile(`^(\s*)(?:Assert\.)?assert(?:Equals|True|False|NotNull|Same)\((.*)\);$`), `${1}java.util.Arrays.asList(${2});`},
	{".java", regexp.MustCompile(`^(\s*)(assertThat\([^()]*\))\..*;$`), `${1}${2};`},
	{".kt", regexp.MustCompile(`^(\s*)(assertThat\([^()]*\))\..*$`), `${1}${2}`},
}

// several are assertions over several lines, which no line of weaker bends.
var several = regexp.MustCompile(`^\s*(?:assert|require)\.\w+\(t,`)

// family is the extension that stands for its language.
func family(name string) string {
	switch ext := path.Ext(name); ext {
	case ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx":
		return ".js"
	default:
		return ext
	}
}

func weakOne(f *field, dir string, c commit) (string, error) { return weaken(f, dir, c, 1) }
func weakAll(f *field, dir string, c commit) (string, error) { return weaken(f, dir, c, 1<<20) }

// weakOld lets one assertion of a test that the commit does not touch assert nothing.
func weakOld(f *field, dir string, c commit) (string, error) {
	for _, name := range c.Tests {
		added, lines, err := f.added(dir, c, name)
		if err != nil {
			return "", err
		}
		for _, b := range blocks(name, lines) {
			if b.touched(added) {
				continue
			}
			for i := b.header + 1; i <= b.last; i++ {
				if weaker, ok := weakened(name, lines, i); ok {
					lines[i] = weaker
					return fmt.Sprintf("%s:%d", name, i+1), os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(lines, "\n")), 0o644)
				}
			}
		}
	}
	return "", nil
}

// weakened is a line of a test with an assertion that cannot fail.
func weakened(name string, lines []string, i int) (string, bool) {
	line := lines[i]
	for _, w := range weaker {
		if w.ext == family(name) && w.from.MatchString(line) && (w.ext != ".go" || !strings.HasPrefix(strings.TrimSpace(line), "if ") || fails(lines, i)) {
			return w.from.ReplaceAllString(line, w.to), true
		}
	}
	return "", false
}

func weaken(f *field, dir string, c commit, limit int) (string, error) {
	n, last := 0, ""
	for _, name := range c.Tests {
		added, lines, err := f.added(dir, c, name)
		if err != nil {
			return "", err
		}
		for i := range lines {
			if !added[i+1] || n >= limit {
				continue
			}
			if weaker, ok := weakened(name, lines, i); ok {
				lines[i], n, last = weaker, n+1, fmt.Sprintf("%s:%d", name, i+1)
			} else if limit > 1 && several.MatchString(lines[i]) {
				return "", nil // one that can fail would be left
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(lines, "\n")), 0o644); err != nil && !os.IsNotExist(err) {
			return "", err
		}
	}
	if n == 0 {
		return "", nil
	}
	return fmt.Sprintf("%d assertions, the last in %s", n, last), nil
}

// fails reports whether the line after a condition of Go lets the test fail.
func fails(lines []string, i int) bool {
	return i+1 < len(lines) && regexp.MustCompile(`^\s*t\.(Error|Fatal|Fail)`).MatchString(lines[i+1])
}

// added are the lines of a file that the commit adds, by their number from 1, and all its lines.
func (f *field) added(dir string, c commit, name string) (map[int]bool, []string, error) {
	data, err := os.ReadFile(filepath.Join(dir, name))
	if os.IsNotExist(err) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	diff, err := f.git(dir, "diff", "-U0", "--no-renames", c.Parent, c.ID, "--", name)
	if err != nil {
		return nil, nil, err
	}
	added := map[int]bool{}
	for _, m := range regexp.MustCompile(`(?m)^@@ -\S+ \+(\d+)(?:,(\d+))? @@`).FindAllStringSubmatch(diff, -1) {
		from, n := 0, 1
		fmt.Sscan(m[1], &from)
		if m[2] != "" {
			fmt.Sscan(m[2], &n)
		}
		for i := range n {
			added[from+i] = true
		}
	}
	return added, strings.Split(string(data), "\n"), nil
}

// headers are the lines that a test begins with.
var headers = map[string]*regexp.Regexp{
	".go":   regexp.MustCompile(`^func (Test\w+)\(t \*testing\.T\) \{$`),
	".py":   regexp.MustCompile(`^\s*(?:async )?def (test\w*)\(.*\).*:$`),
	".js":   regexp.MustCompile(`^\s*(?:it|test)\((['"\x60].*)(?:=>|function ?\w*\(.*\)) \{$`),
	".rs":   regexp.MustCompile(`^\s*(?:async )?fn (\w+)\(\).*\{$`),
	".java": regexp.MustCompile(`^\s*(?:public )?void (\w+)\(\).*\{$`),
	".kt":   regexp.MustCompile(`^\s*(?:@Test )?fun (\x60.*\x60|\w+)\(\).*\{$`),
}

// block is a test in the lines of a file: its first line, with what marks it, its header, and its last.
type block struct{ first, header, last int }

// touched reports whether one of its lines, counted from 1, was added.
func (b block) touched(added map[int]bool) bool {
	for i := b.first; i <= b.last; i++ {
		if added[i+1] {
			return true
		}
	}
	return false
}

func blocks(name string, lines []string) []block {
	header := headers[family(name)]
	if header == nil {
		return nil
	}
	var list []block
	for i, line := range lines {
		if !header.MatchString(line) {
			continue
		}
		b := block{first: i, header: i, last: i}
		for b.first > 0 && regexp.MustCompile(`^\s*(@|#\[)`).MatchString(lines[b.first-1]) {
			b.first--
		}
		marked := false
		for _, l := range lines[b.first : i+1] {
			marked = marked || strings.Contains(l, "@Test") || strings.Contains(l, "test]")
		}
		if ext := family(name); (ext == ".java" || ext == ".kt" || ext == ".rs") && !marked {
			continue
		}
		indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
		for j := i + 1; j < len(lines); j++ {
			inside := strings.TrimSpace(lines[j]) == "" || strings.HasPrefix(lines[j], indent+" ") || strings.HasPrefix(lines[j], indent+"\t")
			if family(name) == ".py" && !inside {
				break
			}
			if strings.TrimSpace(lines[j]) != "" {
				b.last = j
			}
			if !inside && family(name) != ".py" {
				break
			}
		}
		list = append(list, b)
	}
	return list
}

// deleteOld removes a test that the commit does not touch.
func deleteOld(f *field, dir string, c commit) (string, error) {
	for _, name := range c.Tests {
		added, lines, err := f.added(dir, c, name)
		if err != nil {
			return "", err
		}
	tests:
		for _, b := range blocks(name, lines) {
			for i := b.first; i <= b.last; i++ {
				if added[i+1] {
					continue tests
				}
			}
			what := strings.TrimSpace(lines[b.header])
			return name + ": " + what, os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(append(append([]string{}, lines[:b.first]...), lines[b.last+1:]...), "\n")), 0o644)
		}
	}
	return "", nil
}

// skipTest skips the first test that has a line of the commit.
func skipTest(f *field, dir string, c commit) (string, error) {
	for _, name := range c.Tests {
		added, lines, err := f.added(dir, c, name)
		if err != nil {
			return "", err
		}
		for _, b := range blocks(name, lines) {
			if !b.touched(added) {
				continue
			}
			h := lines[b.header]
			indent := h[:len(h)-len(strings.TrimLeft(h, " \t"))]
			all := strings.Join(lines, "\n")
			switch family(name) {
			case ".go":
				lines[b.header] = h + "\n" + indent + "\tt.Skip(\"later\")"
			case ".py":
				skip := `import pytest; pytest.skip("later")`
				if strings.Contains(h, "(self") && strings.Contains(all, "unittest") {
					skip = `self.skipTest("later")`
				}
				lines[b.header] = h + "\n" + indent + "    " + skip
			case ".js":
				lines[b.header] = regexp.MustCompile(`^(\s*)(it|test)\(`).ReplaceAllString(h, "${1}${2}.skip(")
			case ".rs":
				lines[b.first] = indent + "#[ignore]\n" + lines[b.first]
			case ".java", ".kt":
				mark := "@org.junit.Ignore"
				if strings.Contains(all, "org.junit.jupiter") {
					mark = "@org.junit.jupiter.api.Disabled"
				}
				lines[b.first] = indent + mark + "\n" + lines[b.first]
			}
			return name + ": " + strings.TrimSpace(h), os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(lines, "\n")), 0o644)
		}
	}
	return "", nil
}
