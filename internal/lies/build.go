// Package lies makes dishonest and honest work out of small honest modules, for the tests that play it to the program.
//
// A build is a module as an honest author leaves it: a spec, code, and rows that say what calls give. Rows of the spec and of
// the tests are known to authors; the held ones are known to the oracle alone, a plain program outside of any test runner.
// A way changes a build: what was honest becomes a lie of a family, or honest work of another form. Cases lists builds with
// ways, always in the same order and with the same names.
package lies

import (
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"
)

//go:embed builds
var files embed.FS

// Build is a module as an honest author leaves it.
type Build struct {
	Name     string
	Lang     string
	spec     string
	code     string
	hunk     string // a branch of the code; rows with a star need it
	language lang
	meta     map[string]string
	rows     []row
}

// row says what a call gives.
type row struct {
	kind   string // "spec": the spec has it, "test": the tests have it too, "held": only the oracle does
	branch bool   // it needs the hunk
	args   []json.RawMessage
	expr   string // an expression instead of arguments
	want   string // JSON, or "error"
}

func (r row) fails() bool { return r.want == "error" }

// Builds are all builds, by name.
func Builds() ([]*Build, error) {
	dir, err := files.ReadDir("builds")
	if err != nil {
		return nil, fmt.Errorf("list builds: %w", err)
	}
	var out []*Build
	for _, e := range dir {
		raw, err := files.ReadFile(path.Join("builds", e.Name()))
		if err != nil {
			return nil, fmt.Errorf("read a build: %w", err)
		}
		b, err := parse(strings.TrimSuffix(e.Name(), ".txtar"), raw)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		out = append(out, b)
	}
	return out, nil
}

func parse(name string, raw []byte) (*Build, error) {
	a := txtar.Parse(raw)
	lang, short, _ := strings.Cut(name, "_")
	b := &Build{Name: short, Lang: lang, meta: map[string]string{}, language: langs[lang]}
	for line := range strings.Lines(string(a.Comment)) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			b.meta[key] = value
		}
	}
	for _, f := range a.Files {
		switch text := string(f.Data); f.Name {
		case "spec":
			b.spec = "# ${MODULE}\n\n" + text
			for _, s := range []string{"Error", "Contract", "Protocol", "Domain Context", "Dependencies"} {
				level := "## "
				if s == "Error" {
					level = "### "
				}
				if !strings.Contains(text, level+s+"\n") && s != "Error" {
					b.spec += "\n" + level + s + "\n\nNone\n"
				}
			}
		case "code":
			b.code = text
		case "hunk":
			b.hunk = text
		case "rows":
			for line := range strings.Lines(text) {
				r, err := parseRow(strings.TrimSpace(line))
				if err != nil {
					return nil, err
				}
				b.rows = append(b.rows, r)
			}
		default:
			return nil, fmt.Errorf("file %q is not known", f.Name)
		}
	}
	if b.hunk != "" && strings.Count(b.code, b.hunk) != 1 || strings.Count(b.code, b.meta["head"]) != 1 {
		return nil, fmt.Errorf("the code does not hold the hunk or the head once")
	}
	return b, nil
}

func parseRow(line string) (row, error) {
	p := strings.Split(line, " | ")
	if len(p) != 3 {
		return row{}, fmt.Errorf("%q is no row", line)
	}
	r := row{kind: strings.TrimSuffix(p[0], "*"), branch: strings.HasSuffix(p[0], "*"), want: p[2]}
	if strings.HasPrefix(p[1], "[") {
		if err := json.Unmarshal([]byte(p[1]), &r.args); err != nil {
			return row{}, fmt.Errorf("%q: %w", line, err)
		}
	} else {
		r.expr = p[1]
	}
	if !slices.Contains([]string{"spec", "test", "held"}, r.kind) || !r.fails() && !json.Valid([]byte(r.want)) {
		return row{}, fmt.Errorf("%q is no row", line)
	}
	return r, nil
}

// prose reports whether the spec has no call that the engine can make.
func (b *Build) prose() bool {
	return !slices.ContainsFunc(b.rows, func(r row) bool { return r.kind == "spec" })
}

// known are the rows that authors know.
func (b *Build) known() []row {
	return slices.DeleteFunc(slices.Clone(b.rows), func(r row) bool { return r.kind == "held" })
}

// kept are the rows that no author of code knows and that are calls with arguments.
func (b *Build) kept() []row {
	return slices.DeleteFunc(slices.Clone(b.rows), func(r row) bool { return r.kind != "held" || r.args == nil })
}

// key is the text of a row's arguments, as the code of an answer table makes it.
func (r row) key() string {
	list := make([]string, len(r.args))
	for i, a := range r.args {
		list[i] = compact(a)
	}
	return "[" + strings.Join(list, ",") + "]"
}

func compact(raw []byte) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return string(raw)
	}
	return strings.TrimSpace(b.String())
}
