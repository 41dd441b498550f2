package source

import (
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/syntax"
)

var pythonAtoms = map[string]Kind{"string": String, "comment": Comment}

// readPython reads the declarations of a file from its syntax tree.
func readPython(t *treeFile) {
	f, p := t.f, &pythonTree{treeFile: t}
	if first := withoutComments(t.root); len(first) > 0 && first[0].Child("string").OK() {
		f.Doc = summary(docstringText(first[0].Child("string").Text()))
	}
	for n := range t.root.Within(nil) {
		switch n.Kind() {
		case "import_statement", "import_from_statement", "future_import_statement":
			p.imported(n)
		}
	}
	if isPythonTestName(f.Path) {
		return
	}
	for c := range t.root.All() {
		if a := c.Child("assignment", "augmented_assignment"); a.At("left").Text() == "__all__" {
			p.hasAll = true
			for s := range a.At("right").Within(nil) {
				if s.Kind() == "string_content" {
					p.all = append(p.all, s.Text())
				}
			}
		}
	}
	p.statements(t.root)
	if path.Base(f.Path) == "__init__.py" { // what __all__ lists and nothing here declares are modules of the package
		for _, name := range p.all {
			if !strings.HasPrefix(name, "_") && !slices.ContainsFunc(f.Exports, func(e Export) bool { return e.Name == name }) {
				p.reexport(t.root, "", name, name, ".")
			}
		}
	}
	t.transitions(p.statement)
}

type pythonTree struct {
	*treeFile

	all    []string // __all__
	hasAll bool
}

func (p *pythonTree) public(name string) bool {
	if p.hasAll {
		return slices.Contains(p.all, name)
	}
	return !strings.HasPrefix(name, "_")
}

// statements reads what stands at the level of the module, also below if and try.
func (p *pythonTree) statements(n syntax.Node) {
	var defs []syntax.Node
	for c := range n.All() {
		switch c.Kind() {
		case "expression_statement":
			for _, a := range withoutComments(c) {
				if a.Kind() == "assignment" {
					p.assigned(a)
				}
			}
		case "type_alias_statement":
			name, _, _ := strings.Cut(p.flat(c.At("left")), "[")
			if p.public(name) {
				p.export(c, "", name, "type", p.leaves(c, nil))
			}
		case "function_definition", "class_definition", "decorated_definition":
			defs = append(defs, c)
		case "if_statement", "try_statement", "else_clause", "elif_clause", "except_clause", "finally_clause", "block", "with_statement":
			p.conditional(c)
		case "import_from_statement":
			p.reexports(c)
		}
	}
	p.definitions(defs, "", true)
}

// conditional reads declarations that depend on a condition, as for another version of Python.
func (p *pythonTree) conditional(n syntax.Node) {
	if strings.Contains(n.At("condition").Text(), "__name__") {
		return
	}
	p.statements(n)
}

func (p *pythonTree) assigned(n syntax.Node) {
	left := n.At("left")
	for left.OK() && n.At("right").Kind() == "assignment" { // a = b = 1
		p.assignedName(n, left)
		n = n.At("right")
		left = n.At("left")
	}
	p.assignedName(n, left)
}

func (p *pythonTree) assignedName(n, left syntax.Node) {
	if left.Kind() == "pattern_list" || left.Kind() == "tuple_pattern" {
		for _, c := range left.NamedChildren() {
			p.assignedName(n, c)
		}
		return
	}
	name := left.Text()
	if left.Kind() != "identifier" || name == "__all__" {
		return
	}
	value := ""
	if right := n.At("right"); right.OK() && n.At("left").Kind() == "identifier" {
		value = p.f.constant(name, p.leaves(right, nil))
	}
	if !p.public(name) {
		return
	}
	if p.isType(name, n) {
		p.export(n, "", name, "type", p.leaves(n, nil))
		return
	}
	kind := "variable"
	if strings.ToUpper(name) == name && strings.ToLower(name) != name {
		kind = "constant"
	}
	ts := p.leaves(left, nil)
	if t := n.At("type"); t.OK() {
		ts = p.upTo(n, kinds("="), nil)
	}
	e := p.export(n, "", name, kind, ts)
	if right := n.At("right"); right.OK() && !n.At("type").OK() && n.At("left").Kind() == "identifier" {
		e.Literal = literalType(Python, p.leaves(right, nil))
	}
	if kind == "constant" {
		e.Value = value
	}
}

// lastWord is a name without what qualifies it.
func lastWord(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// isType reports whether an assignment gives a type a name: X = Union[A, B], T = TypeVar("T").
func (p *pythonTree) isType(name string, n syntax.Node) bool {
	if strings.HasSuffix(n.At("type").Text(), "TypeAlias") {
		return true
	}
	if name[0] < 'A' || name[0] > 'Z' || strings.ToUpper(name) == name && len(name) > 1 && !strings.Contains(n.At("right").Text(), "TypeVar") {
		return false
	}
	right := n.At("right")
	switch right.Kind() {
	case "call":
		switch lastWord(right.At("function").Text()) {
		case "TypeVar", "NewType", "ParamSpec", "TypeVarTuple":
			return true
		}
	case "subscript":
		switch lastWord(right.At("value").Text()) {
		case "Union", "Optional", "Callable", "Literal", "Annotated", "dict", "Dict", "list", "List", "tuple", "Tuple", "set", "Set", "type", "Type",
			"Mapping", "Sequence", "Iterable", "Iterator", "Awaitable", "Coroutine", "frozenset", "FrozenSet":
			return true
		}
	}
	return false
}

// definitions reads functions and classes of one level.
func (p *pythonTree) definitions(list []syntax.Node, owner string, top bool) {
	signed := map[string]bool{}
	for _, n := range list {
		def, marks := n, []string(nil)
		if n.Kind() == "decorated_definition" {
			def, marks = n.At("definition"), p.marks(n)
		}
		name := def.At("name").Text()
		if !def.OK() || top && !p.public(name) {
			continue
		}
		if !top && strings.HasPrefix(name, "_") && (def.Kind() == "class_definition" || !strings.HasPrefix(name, "__") || !strings.HasSuffix(name, "__")) {
			continue
		}
		switch def.Kind() {
		case "function_definition":
			over := slices.Contains(marks, "@overload")
			signed[name] = signed[name] || over
			if over || !signed[name] {
				p.function(def, n, owner, name, marks)
			} else {
				p.contract(def, n, dotted(owner, name), docstringOf(def))
			}
		case "class_definition":
			p.class(def, n, owner, name, marks)
		}
	}
}

// marks are the decorators that change how a function is called, as the last words of their names.
func (p *pythonTree) marks(n syntax.Node) []string {
	var out []string
	for c := range n.All() {
		if c.Kind() != "decorator" {
			continue
		}
		text, _, _ := strings.Cut(strings.TrimPrefix(p.flat(c), "@"), "(")
		if !strings.HasSuffix(text, ".setter") && !strings.HasSuffix(text, ".deleter") {
			text = lastWord(text)
		}
		out = append(out, "@"+text)
	}
	return out
}

func (p *pythonTree) function(def, at syntax.Node, owner, name string, marks []string) {
	kind := "function"
	if owner != "" {
		kind = "method"
	}
	for _, m := range marks {
		switch {
		case m == "@property" || m == "@cached_property" || m == "@hybrid_property" || m == "@abstractproperty":
			kind = "property"
		case strings.HasSuffix(m, ".setter") || strings.HasSuffix(m, ".deleter"): // the getter says what it is
			p.contract(def, at, dotted(owner, name), docstringOf(def))
			return
		}
	}
	e := p.export(at, owner, name, kind, p.upTo(def, kinds(":", "block"), nil))
	e.Static = slices.Contains(marks, "@staticmethod") || slices.Contains(marks, "@classmethod")
	for _, m := range slices.Backward(marks) {
		switch m {
		case "@property", "@staticmethod", "@classmethod", "@overload", "@abstractmethod":
		default:
			continue
		}
		e.Signature, e.Text = m+" "+e.Signature, m+" "+e.Text
	}
	doc := docstringOf(def)
	if doc != "" {
		e.Doc = summary(doc)
	}
	p.contract(def, at, dotted(owner, name), doc)
	if owner != "" {
		p.methods = append(p.methods, method{name, def.At("body")})
	}
}

func (p *pythonTree) contract(def, at syntax.Node, name, doc string) {
	params := map[string]bool{}
	for c := range def.At("parameters").All() {
		id := c
		switch c.Kind() {
		case "typed_parameter", "list_splat_pattern", "dictionary_splat_pattern":
			id = c.Child("identifier", "list_splat_pattern", "dictionary_splat_pattern")
			if id.Kind() != "identifier" {
				id = id.Child("identifier")
			}
		case "default_parameter", "typed_default_parameter":
			id = c.At("name")
		}
		if id.Kind() == "identifier" {
			params[id.Text()] = true
		}
	}
	body := withoutComments(def.At("body"))
	p.f.contract(name, doc, p.guards(body, params, p.statement), at.Line())
}

// docstringOf is what a function or class says of itself.
func docstringOf(def syntax.Node) string {
	body := withoutComments(def.At("body"))
	if len(body) == 0 || body[0].Kind() != "expression_statement" || !body[0].Child("string").OK() {
		return ""
	}
	return docstringText(body[0].Child("string").Text())
}

// docstringText is a docstring without quotes and without the indentation of its lines.
func docstringText(raw string) string {
	text := Token{Kind: String, Text: raw}.Value()
	lines := strings.Split(text, "\n")
	margin := -1
	for _, l := range lines[1:] {
		if t := strings.TrimLeft(l, " \t"); strings.TrimSpace(t) != "" && (margin < 0 || len(l)-len(t) < margin) {
			margin = len(l) - len(t)
		}
	}
	for i, l := range lines[1:] {
		lines[i+1] = strings.TrimRight(l[min(max(margin, 0), len(l)):], " \t\r")
	}
	lines[0] = strings.TrimSpace(lines[0])
	return strings.Join(lines, "\n")
}

func (p *pythonTree) class(def, at syntax.Node, owner, name string, marks []string) {
	kind := "class"
	if slices.Contains(marks, "@dataclass") {
		kind = "dataclass"
	}
	for _, base := range withoutComments(def.At("superclasses")) {
		text := base.Text()
		switch lastWord(text) {
		case "Enum", "IntEnum", "StrEnum", "Flag", "IntFlag":
			kind = "enum"
		}
	}
	e := p.export(at, owner, name, kind, p.upTo(def, kinds(":", "block"), nil))
	if doc := docstringOf(def); doc != "" {
		e.Doc = summary(doc)
	}
	for _, base := range withoutComments(def.At("superclasses")) {
		if base.Kind() != "keyword_argument" && base.Text() != "object" {
			e.Bases = append(e.Bases, p.flat(base))
		}
	}
	e.Above = e.Bases
	e.Made = p.made(def, at, kind == "dataclass")
	body := withoutComments(def.At("body"))
	if kind != "enum" && e.Made == "" {
		p.attributes(body, dotted(owner, name))
	}
	if kind == "enum" {
		for _, c := range body {
			a := c.Child("assignment")
			if id := a.At("left"); c.Kind() == "expression_statement" && id.Kind() == "identifier" && !strings.HasPrefix(id.Text(), "_") && a.At("right").OK() {
				value := literalText(p.leaves(a.At("right"), nil))
				if value != "" {
					value = " = " + value
				}
				e.Variants, e.Cases = append(e.Variants, id.Text()), append(e.Cases, id.Text()+value)
			}
		}
		p.states(name, e.Variants)
	}
	p.definitions(conditionals(body), dotted(owner, name), false)
}

// attributes are what the body of a class sets, and what its constructor sets of the new object.
func (p *pythonTree) attributes(body []syntax.Node, owner string) {
	for _, c := range body {
		a := c.Child("assignment")
		id := a.At("left")
		if c.Kind() != "expression_statement" || id.Kind() != "identifier" || strings.HasPrefix(id.Text(), "_") {
			continue
		}
		ts := p.leaves(id, nil)
		if a.At("type").OK() {
			ts = p.upTo(a, kinds("="), nil)
		}
		e := p.field(c, owner, id.Text(), "property", ts)
		if right := a.At("right"); right.OK() && !a.At("type").OK() {
			e.Literal = literalType(Python, p.leaves(right, nil))
		}
	}
	for _, c := range body {
		if d := c.At("definition"); c.Kind() == "decorated_definition" {
			c = d
		}
		if c.Kind() != "function_definition" {
			continue
		}
		for n := range c.At("body").Within(nil) {
			left := n.At("left")
			if n.Kind() == "assignment" && left.Kind() == "attribute" && left.At("object").Text() == "self" && !strings.HasPrefix(left.At("attribute").Text(), "_") {
				p.field(n, owner, left.At("attribute").Text(), "attribute", nil)
			}
		}
	}
}

// conditionals adds what stands below if and try in a class.
func conditionals(body []syntax.Node) []syntax.Node {
	var out []syntax.Node
	for _, c := range body {
		switch c.Kind() {
		case "if_statement", "try_statement", "else_clause", "elif_clause", "except_clause", "finally_clause", "block":
			out = append(out, conditionals(withoutComments(c))...)
		default:
			out = append(out, c)
		}
	}
	return out
}

// reexports are imported names that __all__ lists; a package without it offers what its __init__.py takes from its own
// modules.
func (p *pythonTree) reexports(n syntax.Node) {
	from := p.flat(n.At("module_name"))
	inits := strings.HasSuffix("/"+p.f.Path, "/__init__.py") && strings.HasPrefix(from, ".") && !strings.HasPrefix(from, "..")
	if !p.hasAll && !inits {
		return
	}
	for c := range n.All() {
		if c.Kind() == "wildcard_import" && inits {
			p.reexport(c, "", "*", "*", from)
		}
		if c.Field() != "name" {
			continue
		}
		what, outside := p.flat(c), p.flat(c)
		if c.Kind() == "aliased_import" {
			outside = c.At("alias").Text()
			what = p.flat(c.At("name")) + " as " + outside
		}
		if p.hasAll && slices.Contains(p.all, outside) || !p.hasAll && !strings.HasPrefix(outside, "_") {
			p.reexport(c, "", outside, what, from)
		}
	}
}

func (p *pythonTree) imported(n syntax.Node) {
	if n.Kind() == "import_statement" {
		for c := range n.All() {
			if c.Field() == "name" {
				name := c
				if c.Kind() == "aliased_import" {
					name = c.At("name")
				}
				p.f.Imports = append(p.f.Imports, Import{From: p.flat(name), Line: n.Line()})
			}
		}
		return
	}
	imp := Import{From: p.flat(n.At("module_name")), Line: n.Line()}
	if n.Kind() == "future_import_statement" {
		imp.From = "__future__"
	}
	for c := range n.All() {
		switch {
		case c.Kind() == "wildcard_import":
			imp.Names = append(imp.Names, "*")
		case c.Field() != "name":
		case c.Kind() == "aliased_import":
			imp.Names = append(imp.Names, p.flat(c.At("name")))
		default:
			imp.Names = append(imp.Names, p.flat(c))
		}
	}
	p.f.Imports = append(p.f.Imports, imp)
}

// statement reads a leading statement.
func (p *pythonTree) statement(n syntax.Node) statement {
	switch n.Kind() {
	case "expression_statement":
		if n.Child("string").OK() { // the docstring
			return statement{passes: true}
		}
		if n.Child("assignment").OK() {
			a := n.Child("assignment")
			if a.At("left").Kind() == "identifier" || a.At("left").Kind() == "pattern_list" {
				return statement{passes: true, sets: identifiers(a.At("left"))}
			}
		}
	case "pass_statement", "global_statement", "nonlocal_statement":
		return statement{passes: true}
	case "assert_statement":
		if parts := withoutComments(n); len(parts) > 0 {
			return statement{assert: []string{p.flat(bare(parts[0]))}}
		}
	case "if_statement":
		return p.refusal(n)
	}
	return statement{}
}
