package inspect

import (
	"go/format"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/spec"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Decompiled is one directory whose code was read into a spec. Skipped says why nothing
// was written.
type Decompiled struct {
	Dir        string `json:"dir"`
	Spec       string `json:"claude_md_path"`
	Implements string `json:"implements_md_path"`
	Exports    int    `json:"exports"`
	Skipped    string `json:"skipped,omitempty"`

	Text           []byte `json:"-"` // of CLAUDE.md
	ImplementsText []byte `json:"-"` // of IMPLEMENTS.md; nil where there is one
}

// Decompile writes specs for the directories below dir that have code and no CLAUDE.md:
// what can be read from code (exports, dependencies, the purpose where the code documents
// it) and nothing else. No behaviour is invented: tests and people know those.
func (p *Project) Decompile(dir string) []Decompiled {
	out := []Decompiled{}
	byDir := map[string][]string{}
	for _, f := range p.files {
		if _, in := below(dir, f); in && !foreign(f) && toolchain.IsSource(f) {
			byDir[path.Dir(f)] = append(byDir[path.Dir(f)], f)
		}
	}
	dirs := slices.Sorted(keys(byDir))
	isModule := map[string]bool{}
	files := map[string]map[string]source.File{}
	for _, d := range dirs {
		parsed := map[string]source.File{}
		for _, f := range byDir[d] {
			parsed[f] = source.Parse(f, p.read(f))
		}
		files[d], isModule[d] = parsed, true
	}
	for d := range p.docs {
		isModule[d] = isModule[d] || p.docs[d].IsSpec()
	}
	for _, d := range dirs {
		x := Decompiled{Dir: d, Spec: path.Join(d, specFile), Implements: path.Join(d, "IMPLEMENTS.md")}
		if p.docs[d] != nil {
			x.Skipped = "there is a CLAUDE.md already; jacquard validate says how it differs"
			out = append(out, x)
			continue
		}
		p.decompile(&x, files[d], isModule)
		out = append(out, x)
	}
	return out
}

func (p *Project) decompile(x *Decompiled, files map[string]source.File, isModule map[string]bool) {
	names := slices.Sorted(keys(files))
	name := path.Base(x.Dir)
	if x.Dir == "." {
		name = path.Base(p.root)
	}
	var b strings.Builder
	b.WriteString("# " + name + "\n\n## Purpose\n\n")
	purpose := ""
	for _, f := range names {
		if purpose = documented(f, p.read(f)); purpose != "" {
			break
		}
	}
	if purpose == "" {
		purpose = spec.Placeholder
	}
	b.WriteString(purpose + "\n\n## Exports\n\n")
	text, n := exportsOf(x.Dir, names, files)
	b.WriteString(text)
	x.Exports = n
	if deps := p.imports(x.Dir, names, files, isModule); len(deps) > 0 {
		b.WriteString("\n## Dependencies\n\n- internal:\n")
		for _, d := range deps {
			b.WriteString("  - `" + path.Join(d, specFile) + "`\n")
		}
	}
	for _, s := range []string{"Behavior", "Contract", "Protocol", "Domain Context"} {
		b.WriteString("\n## " + s + "\n\nNone\n")
	}
	x.Text = []byte(b.String())
	if _, there := slices.BinarySearch(p.files, x.Implements); !there {
		d, _ := spec.Parse(x.Spec, x.Text)
		x.ImplementsText = spec.DefaultImplements(d)
	}
}

// documented is what a file says about its package or module as a whole.
func documented(name string, src []byte) string {
	switch source.LangOf(name) {
	case source.Go:
		f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.PackageClauseOnly|parser.ParseComments)
		if err == nil && f.Doc != nil {
			return firstParagraph(f.Doc.Text())
		}
	case source.Python:
		if m := docstring().FindSubmatch(src); m != nil {
			return firstParagraph(string(m[1]) + string(m[2]))
		}
	}
	return ""
}

var docstring = re.New(`^(?:\s*#[^\n]*\n)*\s*(?:"""([\s\S]*?)"""|'''([\s\S]*?)''')`)

func firstParagraph(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n\n")
	text = strings.Join(strings.Fields(text), " ")
	if strings.HasPrefix(text, "#") || strings.HasPrefix(text, "-") {
		return ""
	}
	return text
}

// exportGroups are the headings under which exports stand, in their order.
var exportGroups = []string{"Functions", "Types", "Classes", "Enums", "Variables"}

// exportsOf writes the Exports of a module: under headings where there is more than one
// kind, sorted by name. Every line that it writes reads as that export.
func exportsOf(dir string, names []string, files map[string]source.File) (string, int) {
	groups := map[string][]string{}
	seen := map[string]bool{}
	constructors := map[string]string{}
	for _, f := range names {
		for _, e := range files[f].Exports {
			if e.Name == "constructor" || e.Name == "__init__" {
				constructors[e.Owner] = e.Signature
			}
		}
	}
	n := 0
	for _, f := range names {
		if !face(dir, f, names) || files[f].Package == "main" {
			continue
		}
		for _, e := range files[f].Exports {
			full := strings.TrimPrefix(e.Owner+"."+e.Name, ".")
			isGo := strings.HasSuffix(f, ".go")
			if e.Owner != "" && !isGo || e.Name == "*" || e.Name == "default" || strings.HasPrefix(e.Name, "_") || seen[full] {
				continue
			}
			group, line := exportLine(e, full, constructors[e.Name])
			if line == "" {
				continue
			}
			seen[full] = true
			groups[group] = append(groups[group], "- `"+line+"`\n")
			n++
		}
	}
	if n == 0 {
		return "None\n", 0
	}
	var b strings.Builder
	for _, g := range exportGroups {
		if len(groups[g]) == 0 {
			continue
		}
		slices.Sort(groups[g])
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		b.WriteString("### " + g + "\n\n" + strings.Join(groups[g], ""))
	}
	return b.String(), n
}

// exportLine finds a way to write an export that reads as it, the one that says most first.
func exportLine(e source.Export, name, constructor string) (group, line string) {
	type form struct{ group, text string }
	var forms []form
	sig := spaced(e)
	switch e.Kind {
	case "function", "method":
		full := withName(sig, e, name)
		forms = []form{{"Functions", full}, {"Functions", strings.TrimPrefix(full, "async ")}}
	case "interface", "type":
		forms = []form{{"Types", definition(sig, e.Name)}, {"Types", e.Name + " { }"}, {"Types", e.Name}}
	case "class":
		forms = []form{{"Classes", e.Name + arguments(spaced(source.Export{Signature: constructor}))}, {"Classes", e.Name + "()"}}
	case "enum":
		forms = []form{{"Enums", e.Name + ": " + variants(sig)}, {"Types", e.Name + " { }"}}
	default:
		forms = []form{{"Variables", e.Name + ": value"}, {"Variables", e.Name}}
	}
	forms = append(forms, form{"Functions", name + "(…)"}, form{"Functions", name + "()"})
	for _, f := range forms {
		if readsAs(f.group, f.text, name) {
			return f.group, f.text
		}
	}
	return "", ""
}

// readsAs reports whether a line in Exports is read as one export of that name, without a
// complaint.
func readsAs(group, text, name string) bool {
	if text == "" || strings.ContainsAny(text, "`\n") {
		return false
	}
	d, ps := spec.Parse("m/CLAUDE.md", []byte("# m\n\n## Purpose\n\nx\n\n## Exports\n\n### "+group+"\n\n- `"+text+"`\n\n## Behavior\n\nNone\n"))
	return len(d.Exports) == 1 && d.Exports[0].Name == name && len(ps) == 0
}

// withName is a function's signature with the name under which the spec lists it.
func withName(sig string, e source.Export, name string) string {
	at := wordAt(sig, e.Name)
	if e.Owner != "" { // Go: behind the receiver
		if close := strings.Index(sig, ")"); close >= 0 {
			if i := wordAt(sig[close:], e.Name); i >= 0 {
				at = close + i
			}
		}
	}
	if at < 0 {
		return ""
	}
	rest := sig[at+len(e.Name):]
	if value, ok := strings.CutPrefix(strings.TrimSpace(rest), "="); ok { // const f = async (a) =>
		value = strings.TrimSpace(value)
		if after, is := strings.CutPrefix(value, "async"); is {
			value = strings.TrimSpace(after)
		}
		rest = strings.TrimSpace(strings.TrimSuffix(value, "=>"))
	}
	out := name + strings.TrimSpace(rest)
	if strings.Contains(sig[:at], "async") && !strings.Contains(out, "Promise<") && !strings.Contains(out, "->") {
		out = "async " + out
	}
	return out
}

// wordAt is where a name stands in a text as a word of its own, -1 when it does not.
func wordAt(text, name string) int {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return -1
		}
		at := from + i
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(name):])
		if !isNameRune(before) && !isNameRune(after) {
			return at
		}
		from = at + len(name)
	}
}

func isNameRune(r rune) bool {
	return r == '_' || r == '$' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// definition is the fields of a type in the form Name { a: T }.
func definition(sig, name string) string {
	open, end := strings.Index(sig, "{"), strings.LastIndex(sig, "}")
	if open < 0 || end < open {
		return ""
	}
	body := strings.NewReplacer("\n", " ", "\t", " ", ";", ",").Replace(sig[open+1 : end])
	body = strings.Trim(strings.Join(strings.Fields(body), " "), ", ")
	if strings.ContainsAny(body, "{}") {
		return ""
	}
	return name + " { " + body + " }"
}

// arguments are the parameters of a constructor, without what is the language's own.
func arguments(sig string) string {
	open, end := strings.Index(sig, "("), strings.LastIndex(sig, ")")
	if open < 0 || end < open {
		return "()"
	}
	var out []string
	for part := range strings.SplitSeq(sig[open+1:end], ",") {
		part = strings.TrimSpace(part)
		for _, word := range []string{"private ", "public ", "protected ", "readonly "} {
			part = strings.TrimPrefix(part, word)
		}
		if part != "" && part != "self" {
			out = append(out, part)
		}
	}
	return "(" + strings.Join(out, ", ") + ")"
}

func variants(sig string) string {
	open, end := strings.Index(sig, "{"), strings.LastIndex(sig, "}")
	if open < 0 || end < open {
		return ""
	}
	var out []string
	for part := range strings.SplitSeq(sig[open+1:end], ",") {
		name, _, _ := strings.Cut(part, "=")
		if name = strings.TrimSpace(name); name != "" {
			out = append(out, name)
		}
	}
	return strings.Join(out, " | ")
}

// spaced lays a normalised signature out as people write it.
func spaced(e source.Export) string {
	sig := e.Signature
	if strings.HasPrefix(sig, "func") || strings.HasPrefix(sig, "type ") {
		body := ""
		if strings.HasPrefix(sig, "func") {
			body = " {}"
		}
		out, err := format.Source([]byte("package p\n" + sig + body + "\n"))
		if text := strings.TrimSpace(strings.TrimPrefix(string(out), "package p")); err == nil {
			if body != "" { // which may be on a line of its own
				text = strings.TrimSpace(text[:strings.LastIndex(text, "{")])
			}
			return text
		}
	}
	var b strings.Builder
	quote := rune(0)
	runes := []rune(sig)
	for i, r := range runes {
		next := rune(0)
		if i+1 < len(runes) {
			next = runes[i+1]
		}
		before := rune(0)
		if i > 0 {
			before = runes[i-1]
		}
		switch {
		case quote != 0:
			b.WriteRune(r)
			if r == quote {
				quote = 0
			}
			continue
		case r == '\'' || r == '"':
			quote = r
		case r == '-' && next == '>' || r == '=' && next == '>' || r == '=' && before != '=' && before != '!' && before != '<' && before != '>' && next != '=' && next != '>':
			b.WriteString(" ")
		}
		b.WriteRune(r)
		if (r == ',' || r == ':' || r == '>' && (before == '-' || before == '=') || r == '=' && next != '>' && next != '=') && next != ' ' {
			b.WriteString(" ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// imports are the modules of the project that a module's files import, sorted.
func (p *Project) imports(dir string, names []string, files map[string]source.File, isModule map[string]bool) []string {
	found := map[string]bool{}
	for _, f := range names {
		for _, imp := range files[f].Imports {
			for _, target := range p.targets(f, imp.From) {
				for d := target; d != "" && d != "/"; d = path.Dir(d) {
					if isModule[d] {
						found[d] = true
						break
					}
					if d == "." {
						break
					}
				}
			}
		}
	}
	delete(found, dir)
	return slices.Sorted(keys(found))
}

// targets are directories that an import may mean, none when it means a package of others.
func (p *Project) targets(file, from string) []string {
	switch source.LangOf(file) {
	case source.Go:
		for d := path.Dir(file); ; d = path.Dir(d) {
			if name := p.goModule(d); name != "" {
				if rest, ok := strings.CutPrefix(from, name); ok && (rest == "" || rest[0] == '/') {
					return []string{path.Join(d, rest)}
				}
				return nil
			}
			if d == "." || d == "/" {
				return nil
			}
		}
	case source.TypeScript, source.JavaScript:
		if strings.HasPrefix(from, ".") {
			return []string{path.Join(path.Dir(file), from)}
		}
	case source.Python:
		if strings.HasPrefix(from, ".") {
			up := len(from) - len(strings.TrimLeft(from, "."))
			d := path.Dir(file)
			for range up - 1 {
				d = path.Dir(d)
			}
			return []string{path.Join(d, strings.ReplaceAll(from[up:], ".", "/"))}
		}
		to := strings.ReplaceAll(from, ".", "/")
		for _, base := range []string{".", "src"} {
			for at := path.Join(base, to); at != "." && at != base; at = path.Dir(at) {
				_, file := slices.BinarySearch(p.files, at+".py")
				_, pkg := slices.BinarySearch(p.files, at+"/__init__.py")
				if file || pkg {
					return []string{at}
				}
			}
		}
	}
	return nil
}

// goModule is the name of the Go module in a directory, "" when there is none.
func (p *Project) goModule(dir string) string {
	name, known := p.goModules[dir]
	if !known {
		file := path.Join(dir, "go.mod")
		if _, there := slices.BinarySearch(p.files, file); there {
			if m := moduleLine().FindSubmatch(p.read(file)); m != nil {
				name = string(m[1])
			}
		}
		p.goModules[dir] = name
	}
	return name
}

var moduleLine = re.New(`(?m)^module\s+"?([^\s"]+)"?`)
