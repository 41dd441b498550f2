package source

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/syntax"
)

var kotlinAtoms = map[string]Kind{
	"string_literal": String, "multiline_string_literal": String, "character_literal": String,
	"line_comment": Comment, "block_comment": Comment, "multiline_comment": Comment,
}

func parseKotlin(f *File, src []byte) {
	tree, err := readKotlin(src)
	if err != nil {
		f.Problem, f.Failed = err.Error(), !errors.Is(err, syntax.ErrTooLarge)
		return
	}
	t := newTree(f, src, tree, kotlinAtoms)
	f.Tokens = t.all()
	k := &kotlinFile{t}
	for c := range t.root.All() {
		switch c.Kind() {
		case "package_header":
			f.Package = strings.TrimSpace(strings.TrimPrefix(t.flat(c), "package"))
		case "import":
			f.Imports = append(f.Imports, importOf(t.flat(c.Child("qualified_identifier")), has(c, "*"), c.Line()))
		}
	}
	k.declarations(t.root, "", true)
	t.testClasses(t.root, "")
	t.transitions(k.statement)
	treeMutants(f, src)
}

// readKotlin parses a source. Three things that the grammar does not know are put otherwise for it, without moving any
// byte: letters beyond ASCII, of which it misses some; a brace that ends a line's last expression; and annotations
// before a class, since "@A internal class B { … }" may be a call to it as well.
func readKotlin(src []byte) (*syntax.Tree, error) {
	plain := src
	if i := slices.IndexFunc(src, func(b byte) bool { return b >= 0x80 }); i >= 0 {
		plain = slices.Clone(src)
		for ; i < len(plain); i++ {
			if plain[i] >= 0x80 {
				plain[i] = 'x'
			}
		}
	}
	tree, err := syntax.Parse(syntax.Kotlin, plain)
	if err != nil {
		return nil, err
	}
	if other := withoutAnnotations(tree, plain); other != nil {
		plain = other
		if tree, err = syntax.Parse(syntax.Kotlin, plain); err != nil {
			return nil, err
		}
	}
	if n, _ := tree.Errors(); n > 0 {
		if again, err := syntax.Parse(syntax.Kotlin, bracesOnLines(plainNames(plain))); err == nil {
			if left, _ := again.Errors(); left < n {
				tree = again
			}
		}
	}
	return tree.Over(src), nil
}

var (
	// softWord is a word that is a keyword in some places and a name here: something is assigned to it, or asked of it.
	softWord = re.New(`\b(?:set|get|open|final|override|inline|suspend|vararg|dynamic|private|public|protected|internal|data|inner|operator|infix|tailrec|external|const|value|annotation|companion|enum|sealed|abstract|lateinit|crossinline|noinline|reified|expect|actual)(?:\s*(?:=[^=]|[+\-*/%]=)|\[|\.[a-z])`)
	// markedConstructor is an annotation before a constructor, on a line of its own.
	markedConstructor = re.New(`\bclass\s+\w+(?:<[^>\n]*>)?(\s*\n\s*)@[\w.]+(?:\([^)\n]*\))?\s+(?:(?:internal|private|protected|public)\s+)?constructor`)
)

// plainNames writes words that are names, and not the keywords that they could be, otherwise.
func plainNames(src []byte) []byte {
	out := slices.Clone(src)
	for _, m := range softWord().FindAllIndex(src, -1) {
		out[m[0]] = '_'
	}
	for _, m := range markedConstructor().FindAllSubmatchIndex(src, -1) {
		for i := m[2]; i < m[3]; i++ {
			out[i] = ' '
		}
	}
	return out
}

// bracesOnLines puts a closing brace behind an expression on a line of its own, by a line feed in place of the blank.
func bracesOnLines(src []byte) []byte {
	out := slices.Clone(src)
	quotes := 0
	for i := range out {
		switch {
		case out[i] == '\n':
			quotes = 0
		case out[i] == '"' && (i == 0 || out[i-1] != '\\'):
			quotes++
		case out[i] == '}' && i > 1 && out[i-1] == ' ' && quotes%2 == 0 && !bytes.ContainsRune([]byte(" \t\n{"), rune(out[i-2])):
			out[i-1] = '\n'
		}
	}
	return out
}

// withoutAnnotations blanks out annotations that made the grammar take a class for an expression, nil without any.
func withoutAnnotations(tree *syntax.Tree, src []byte) []byte {
	var plain []byte
	for c := range tree.Root().All() {
		for n := c; n.Kind() == "annotated_expression"; {
			inner := syntax.Node{}
			for a := range n.All() {
				if a.Kind() != "annotation" {
					inner = a
					continue
				}
				if plain == nil {
					plain = slices.Clone(src)
				}
				for i := a.Start(); i < a.End(); i++ {
					if plain[i] != '\n' {
						plain[i] = ' '
					}
				}
			}
			n = inner
		}
	}
	return plain
}

type kotlinFile struct{ *treeFile }

func (k *kotlinFile) visible(n syntax.Node) bool {
	v := n.Child("modifiers").Child("visibility_modifier")
	return !v.OK() || v.Text() == "public" || v.Text() == "protected"
}

// head is a declaration up to its body, without annotations and the words public and open.
func (k *kotlinFile) head(n syntax.Node, stop ...string) []Token {
	mods := n.Child("modifiers")
	return k.upTo(n, kinds(stop...), func(c syntax.Node) bool {
		if c.Kind() == "annotation" && c.Named() || c.Kind() == "file_annotation" {
			return true
		}
		return mods.OK() && c.Start() < mods.End() && (c.Text() == "public" || c.Text() == "open") && c.Start() >= mods.Start()
	})
}

func (k *kotlinFile) declarations(n syntax.Node, owner string, exported bool) {
	for c := range n.All() {
		visible := exported && k.visible(c)
		if exported && c.Child("modifiers").Child("visibility_modifier").Text() == "internal" {
			if name := cmp.Or(c.At("name").Text(), c.At("type").Text(), c.Child("variable_declaration").Child("identifier", "simple_identifier").Text()); name != "" {
				k.field(c, owner, strings.Trim(name, "`"), "internal", nil)
			}
		}
		switch c.Kind() {
		case "class_declaration":
			k.class(c, owner, visible)
		case "object_declaration":
			if visible {
				k.export(c, owner, c.At("name").Text(), "object", k.head(c, "class_body"))
			}
			k.declarations(c.Child("class_body"), dotted(owner, c.At("name").Text()), visible)
		case "companion_object":
			exports, fields := len(k.f.Exports), len(k.f.Fields)
			k.declarations(c.Child("class_body"), owner, visible)
			for i := range k.f.Exports[exports:] {
				e := &k.f.Exports[exports+i]
				e.Static = e.Owner == owner
			}
			for i := range k.f.Fields[fields:] {
				k.f.Fields[fields+i].Static = true
			}
		case "function_declaration":
			k.method(c, owner, visible)
		case "secondary_constructor":
			if visible {
				k.export(c, owner, "constructor", "method", k.head(c, "block", ":"))
			}
		case "property_declaration":
			k.property(c, owner, visible)
		case "type_alias":
			if visible {
				k.export(c, owner, c.At("type").Text(), "type", k.head(c))
			}
		}
	}
}

func (k *kotlinFile) class(n syntax.Node, owner string, visible bool) {
	name := n.At("name").Text()
	kind := "class"
	switch {
	case has(n, "interface"):
		kind = "interface"
	case has(n.Child("modifiers"), "enum") || has(n, "enum"):
		kind = "enum"
	case has(n.Child("modifiers"), "data"):
		kind = "dataclass"
	}
	body := n.Child("class_body", "enum_class_body")
	if visible {
		e := k.export(n, owner, name, kind, k.head(n, "class_body", "enum_class_body"))
		if kind == "interface" {
			e.Text += k.properties(body)
		}
		for d := range n.Child("delegation_specifiers").Within(func(d syntax.Node) bool { return !strings.HasSuffix(d.Kind(), "type") }) {
			if d.Kind() == "user_type" {
				e.Above = append(e.Above, k.flat(d))
			}
		}
		for d := range n.Child("delegation_specifiers").Within(nil) {
			if d.Kind() == "constructor_invocation" && kind != "interface" {
				e.Bases = append(e.Bases, k.flat(withoutComments(d)[0]))
				break
			}
		}
		var values []string
		for c := range body.All() {
			switch {
			case kind == "enum" && c.Kind() == "enum_entry":
				values = append(values, c.Child("identifier", "simple_identifier").Text())
			case has(n.Child("modifiers"), "sealed") && (c.Kind() == "class_declaration" || c.Kind() == "object_declaration"):
				values = append(values, c.At("name").Text())
			}
		}
		if kind == "enum" {
			e.Variants, e.Cases = values, values
		}
		if kind == "class" || kind == "dataclass" {
			k.parameterFields(n, dotted(owner, name))
		}
		k.states(name, values)
	}
	fields := len(k.f.Fields)
	k.declarations(body, dotted(owner, name), visible)
	if kind == "interface" { // its properties stand in its own line
		own := slices.DeleteFunc(k.f.Fields[fields:], func(e Export) bool { return e.Owner == dotted(owner, name) && !e.Static })
		k.f.Fields = k.f.Fields[:fields+len(own)]
	}
}

// parameterFields are the properties that a constructor makes of its parameters.
func (k *kotlinFile) parameterFields(n syntax.Node, owner string) {
	for p := range n.Child("primary_constructor").Within(nil) {
		if p.Kind() != "class_parameter" || !has(p, "val", "var") || !k.visible(p) {
			continue
		}
		k.field(p, owner, p.Child("identifier", "simple_identifier").Text(), "property", k.head(p, "="))
	}
}

func (k *kotlinFile) property(n syntax.Node, owner string, visible bool) {
	constant := has(n.Child("modifiers"), "const")
	v := n.Child("variable_declaration")
	if !v.OK() {
		return
	}
	name := strings.Trim(v.Child("identifier", "simple_identifier").Text(), "`")
	var value []Token
	assigned := false
	for c := range n.All() {
		if assigned && c.Named() {
			value = k.leaves(c, nil)
			break
		}
		assigned = assigned || c.Kind() == "="
	}
	text := ""
	if len(value) > 0 && has(n, "val") {
		text = k.f.constant(name, value)
	}
	if !visible {
		return
	}
	kind := "constant"
	if has(n, "var") {
		kind = "variable"
	}
	var e *Export
	if head := k.head(n, "=", "getter", "setter", "property_delegate"); owner == "" || constant {
		e = k.export(n, owner, name, kind, head)
		e.Static = constant && owner != ""
		if kind == "constant" {
			e.Value = text
		}
		e.Receiver = k.receiver(n, v)
	} else if k.receiver(n, v) != "" { // within a class it is of no use to others by itself
		return
	} else {
		e = k.field(n, owner, name, "property", head)
		e.Doc = summary(k.doc(n.Start()))
	}
	if !has(v, ":") {
		e.Literal = literalType(Kotlin, value)
	}
}

// receiver is the type that stands before a name and a point, without its type arguments.
func (k *kotlinFile) receiver(n, name syntax.Node) string {
	of, dot := "", false
	for c := range n.All() {
		if c.Start() >= name.Start() {
			break
		}
		if strings.HasSuffix(c.Kind(), "type") {
			of = k.flat(c)
		}
		dot = dot || c.Kind() == "."
	}
	if !dot {
		return ""
	}
	of, _, _ = strings.Cut(strings.TrimSuffix(strings.Trim(of, "()"), "?"), "<")
	return of
}

// properties are those of an interface, as "{ val a: A; var b: B }"; "" without.
func (k *kotlinFile) properties(body syntax.Node) string {
	var list []string
	for c := range body.All() {
		if c.Kind() == "property_declaration" && k.visible(c) && c.Child("variable_declaration").OK() {
			list = append(list, k.written(k.head(c, "=", "getter", "setter", "property_delegate")))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return " { " + strings.Join(list, "; ") + " }"
}

func (k *kotlinFile) method(n syntax.Node, owner string, visible bool) {
	name := strings.Trim(n.At("name").Text(), "`")
	full := dotted(owner, name)
	body := n.Child("function_body")
	if body.OK() {
		k.function(full, n, body.Start()+1)
	}
	if !visible {
		return
	}
	kind := "function"
	if owner != "" {
		kind = "method"
	}
	e := k.export(n, owner, name, kind, k.head(n, "function_body"))
	e.Receiver = k.receiver(n, n.At("name"))
	e.Inferred = body.OK() && !body.Child("block").OK() && strings.HasSuffix(e.Text, ")")
	params := map[string]bool{}
	for p := range n.Child("function_value_parameters").All() {
		if p.Kind() == "parameter" {
			params[p.Child("identifier", "simple_identifier").Text()] = true
		}
	}
	block := body.Child("block")
	k.f.contract(full, k.doc(n.Start()), k.guards(withoutComments(block), params, k.statement), n.Line())
	if block.OK() {
		k.methods = append(k.methods, method{name, block})
	}
}

// statement reads a leading statement.
func (k *kotlinFile) statement(n syntax.Node) statement {
	switch n.Kind() {
	case "property_declaration":
		return statement{passes: true, sets: identifiers(n.Child("variable_declaration"))}
	case "call_expression":
		call := n
		if parts := withoutComments(n); len(parts) > 0 && parts[0].Kind() == "call_expression" {
			call = parts[0] // require(x) { … }
		}
		name, args := k.called(call)
		if len(args) == 0 {
			return statement{}
		}
		switch name {
		case "require", "check", "assert":
			return statement{assert: args[:1]}
		case "requireNotNull", "checkNotNull":
			return statement{assert: []string{args[0] + " != null"}}
		}
	case "if_expression":
		if has(n, "else") {
			return statement{}
		}
		parts := withoutComments(n)
		if len(parts) < 2 {
			return statement{}
		}
		thrown := only(parts[len(parts)-1])
		if thrown.Kind() != "throw_expression" {
			return statement{}
		}
		return statement{guard: n.At("condition"), throws: k.thrown(thrown)}
	}
	return statement{}
}
