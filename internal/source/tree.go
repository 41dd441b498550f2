package source

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/syntax"
)

// treeFile is a file that is read from a syntax tree.
type treeFile struct {
	f    *File
	src  []byte
	root syntax.Node
	// before holds comments and attributes by the offset behind their last sign: what stands directly before a declaration.
	before map[int]syntax.Node
	// atomic are the kinds of nodes that are one token: strings, comments.
	atomic map[string]Kind
	// bodies are those of functions by name; nil until one is asked for.
	bodies map[string]syntax.Node
	// methods are those that may change a state.
	methods []method
}

// parseTree reads the syntax tree, and notes why not when it cannot.
func parseTree(f *File, src []byte, l syntax.Lang, atomic map[string]Kind) *treeFile {
	tree, err := syntax.Parse(l, src)
	if err != nil {
		f.Problem, f.Failed = err.Error(), !errors.Is(err, syntax.ErrTooLarge)
		return nil
	}
	return newTree(f, src, tree, atomic)
}

func newTree(f *File, src []byte, tree *syntax.Tree, atomic map[string]Kind) *treeFile {
	if n, line := tree.Errors(); n > 0 {
		f.Problem = fmt.Sprintf("%d places could not be parsed as %s, the first on line %d; what is there may be missing", n, f.Lang, line)
	}
	t := &treeFile{f: f, src: src, root: tree.Root(), before: map[int]syntax.Node{}, atomic: atomic}
	for n := range t.root.Within(nil) {
		if strings.HasSuffix(n.Kind(), "comment") && n.Kind() != "doc_comment" || n.Kind() == "attribute_item" || n.Kind() == "decorator" {
			t.before[n.Start()+len(strings.TrimRight(n.Text(), " \t\r\n"))] = n
		}
	}
	return t
}

// doc is the text of the comments directly before an offset, without their marks.
func (t *treeFile) doc(at int) string {
	var parts []string
	for n, lines := range t.above(at) {
		comment := strings.HasSuffix(n.Kind(), "comment")
		if lines > 1 || comment && t.code(n.Start()) { // behind code on its line: it speaks of that
			break
		}
		if comment {
			parts = append([]string{cleanComment(strings.TrimRight(n.Text(), "\r\n"))}, parts...)
		}
	}
	return strings.Join(parts, "\n")
}

// above visits the comments and attributes directly before an offset, the nearest first, with how many lines end below each.
func (t *treeFile) above(at int) iter.Seq2[syntax.Node, int] {
	return func(yield func(syntax.Node, int) bool) {
		for {
			end := len(bytes.TrimRight(t.src[:at], " \t\r\n"))
			n, ok := t.before[end]
			if !ok || !yield(n, bytes.Count(t.src[end:at], []byte("\n"))) {
				return
			}
			at = n.Start()
		}
	}
}

// code reports whether something stands before an offset on its line.
func (t *treeFile) code(at int) bool {
	for at > 0 && t.src[at-1] != '\n' {
		at--
		if c := t.src[at]; c != ' ' && c != '\t' {
			return true
		}
	}
	return false
}

// leaves gives the tokens of a node, without those of nodes that drop names.
func (t *treeFile) leaves(n syntax.Node, drop func(syntax.Node) bool) []Token {
	var out []Token
	whole := func(n syntax.Node) bool { _, ok := t.atomic[n.Kind()]; return ok && n.Named() } // "string" is a keyword, too
	for c := range n.Within(func(c syntax.Node) bool { return !whole(c) && (drop == nil || !drop(c)) }) {
		if drop != nil && drop(c) || !c.Leaf() && !whole(c) || c.Start() == c.End() {
			continue
		}
		text := c.Text()
		if trimmed := strings.TrimRight(text, "\r\n"); strings.TrimSpace(text) == "" || c.Kind() == "line_continuation" {
			continue
		} else if strings.HasSuffix(c.Kind(), "comment") {
			text = trimmed
		}
		out = append(out, Token{Kind: t.kindOf(c), Text: text, Line: c.Line(), Off: c.Start(), End: c.Start() + len(text), Indent: -1})
	}
	return out
}

func identStart(c byte) bool {
	return c == '_' || c == '$' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func (t *treeFile) kindOf(n syntax.Node) Kind {
	if k, ok := t.atomic[n.Kind()]; ok && n.Named() {
		return k
	}
	c, next := t.src[n.Start()], byte(0)
	if n.End() > n.Start()+1 {
		next = t.src[n.Start()+1]
	}
	switch {
	case c >= '0' && c <= '9', c == '.' && next >= '0' && next <= '9':
		return Number
	case identStart(c) && next != '{' || c >= 0x80 || c == '@' && next != 0 && next != '=' || c == '#' && n.Named() || c == '`':
		return Ident
	}
	return Punct
}

// all gives every token of the file.
func (t *treeFile) all() []Token { return t.leaves(t.root, nil) }

// export notes an export whose signature is the given tokens.
func (t *treeFile) export(n syntax.Node, owner, name, kind string, ts []Token) *Export {
	t.f.Exports = append(t.f.Exports, Export{
		Name: name, Owner: owner, Kind: kind, Signature: render(ts), Text: t.written(ts), Line: n.Line(),
		Doc: summary(t.doc(n.Start())),
	})
	return &t.f.Exports[len(t.f.Exports)-1]
}

// field notes a member with one of the kinds of [File.Fields], written as the given tokens; without any where only its name is known.
func (t *treeFile) field(n syntax.Node, owner, name, kind string, ts []Token) *Export {
	t.f.Fields = append(t.f.Fields, Export{Name: name, Owner: owner, Kind: kind, Signature: render(ts), Text: t.written(ts), Line: n.Line()})
	return &t.f.Fields[len(t.f.Fields)-1]
}

// reexport notes a name that comes from elsewhere: what says under which name, "a as b".
func (t *treeFile) reexport(n syntax.Node, owner, name, what, from string) {
	sig := what + " from " + from
	t.f.Exports = append(t.f.Exports, Export{Name: name, Owner: owner, Kind: "reexport", Signature: sig, Text: sig, Line: n.Line()})
}

// addImport notes what is imported. Names of one module that are imported on one line after the other are one import.
func (t *treeFile) addImport(i Import) {
	if k := len(t.f.Imports) - 1; k >= 0 && t.f.Imports[k].From == i.From && t.f.Imports[k].Line == i.Line {
		t.f.Imports[k].Names = append(t.f.Imports[k].Names, i.Names...)
		return
	}
	t.f.Imports = append(t.f.Imports, i)
}

// importOf is an import of Java or Kotlin: of what a name stands for, or of all that is in it.
func importOf(name string, all bool, line int) Import {
	if all {
		return Import{From: name, Names: []string{"*"}, Line: line}
	}
	i := strings.LastIndexByte(name, '.')
	return Import{From: name[:max(i, 0)], Names: []string{name[i+1:]}, Line: line}
}

// function notes a function whose code begins at an offset.
func (t *treeFile) function(name string, n syntax.Node, body int) {
	t.f.Funcs = append(t.f.Funcs, Func{Name: name, Line: n.Line(), End: n.EndLine(), Off: n.Start(), Stop: n.End(), Body: body})
}

// states notes the values of an enumeration if its name says that they are states.
func (t *treeFile) states(name string, values []string) {
	if isState(name) && len(values) > 0 {
		t.f.States = append(t.f.States, States{name, values})
	}
}

// written lays tokens out on one line as they were written.
func (t *treeFile) written(ts []Token) string {
	var b strings.Builder
	last, dropped := Token{}, false
	for i, tok := range ts {
		if tok.Kind == Comment {
			continue
		}
		closes := isPunct(tok, ")") || isPunct(tok, "]")
		if isPunct(tok, ",") && closesNext(ts[i+1:]) && (t.f.Lang != Python || !oneTuple(ts, i)) {
			dropped = true
			continue
		}
		opens := isPunct(last, "(") || isPunct(last, "[")
		switch {
		case b.Len() == 0 || closes || dropped || opens || isPunct(tok, ",") || isPunct(tok, ";"):
		case last.End < tok.Off:
			b.WriteByte(' ')
		case wordy(last) && wordy(tok):
			b.WriteByte(' ')
		}
		if tok.Kind == String {
			b.WriteString(tok.Text)
		} else {
			b.WriteString(strings.Join(strings.Fields(tok.Text), " "))
		}
		last, dropped = tok, false
	}
	return b.String()
}

// oneTuple reports whether the comma at i makes a tuple of one value: (a,).
func oneTuple(ts []Token, i int) bool {
	depth := 0
	for k := i - 1; k >= 0; k-- {
		switch ts[k].Text {
		case ")", "]", "}":
			depth++
		case "[", "{":
			depth--
		case "(":
			if depth--; depth < 0 {
				return k > 0 && ts[k-1].Kind != Ident && !isPunct(ts[k-1], ")") && !isPunct(ts[k-1], "]")
			}
		case ",":
			if depth == 0 {
				return false
			}
		}
		if depth < 0 {
			return false
		}
	}
	return false
}

func closesNext(ts []Token) bool {
	for _, t := range ts {
		if t.Kind != Comment {
			return isPunct(t, ")") || isPunct(t, "]") || isPunct(t, ">")
		}
	}
	return false
}

// upTo are the tokens of a node's children before the first one that stop names.
func (t *treeFile) upTo(n syntax.Node, stop, drop func(syntax.Node) bool) []Token {
	var out []Token
	for c := range n.All() {
		if stop != nil && stop(c) {
			break
		}
		out = append(out, t.leaves(c, drop)...)
	}
	return out
}

func kinds(names ...string) func(syntax.Node) bool {
	return func(n syntax.Node) bool { return slices.Contains(names, n.Kind()) }
}

// flat is the text of a node on one line, without comments.
func (t *treeFile) flat(n syntax.Node) string {
	if !n.OK() {
		return ""
	}
	return t.written(t.leaves(n, nil))
}

// statement is what a leading statement of a function means to its contract.
type statement struct {
	// goes on: a declaration, a check that is none of the contract's.
	passes bool
	guard  syntax.Node // the condition of a guard
	throws string      // what it throws
	assert []string    // conditions that are asserted
	sets   []string    // names that have another value from here on
}

// identifiers are the names in a pattern.
func identifiers(n syntax.Node) []string {
	var out []string
	for c := range n.Within(nil) {
		if c.Kind() == "identifier" || c.Kind() == "simple_identifier" {
			out = append(out, c.Text())
		}
	}
	return out
}

// guards reads the leading statements of a body, which has no comments.
func (t *treeFile) guards(body []syntax.Node, params map[string]bool, read func(syntax.Node) statement) guards {
	var g guards
	for _, n := range body {
		s := read(n)
		switch {
		case s.guard.OK():
			if t.mentions(s.guard, params) {
				g.pre = append(g.pre, t.negate(s.guard))
				g.throws = append(g.throws, s.throws+" when "+t.flat(bare(s.guard)))
			}
		case len(s.assert) > 0:
			g.pre = append(g.pre, s.assert...)
		case !s.passes:
			return g
		}
		for _, name := range s.sets {
			delete(params, name)
		}
	}
	return g
}

// refusal reads an if that does nothing but throw.
func (t *treeFile) refusal(n syntax.Node) statement {
	thrown := only(n.At("consequence"))
	if k := thrown.Kind(); n.At("alternative").OK() || k != "throw_statement" && k != "raise_statement" {
		return statement{}
	}
	return statement{guard: n.At("condition"), throws: t.thrown(thrown)}
}

// thrown is what a statement throws, up to its arguments.
func (t *treeFile) thrown(n syntax.Node) string {
	parts := withoutComments(n)
	if len(parts) == 0 {
		return ""
	}
	switch parts[0].Kind() {
	case "new_expression", "object_creation_expression", "call_expression", "call":
		if parts = withoutComments(parts[0]); len(parts) == 0 { // the code has mistakes
			return ""
		}
	}
	return t.flat(parts[0])
}

func (t *treeFile) mentions(n syntax.Node, params map[string]bool) bool {
	for c := range n.Within(nil) {
		if c.Leaf() && (params[c.Text()] || c.Kind() == "this" || c.Kind() == "self" || c.Text() == "this" || c.Text() == "self") {
			return true
		}
	}
	return false
}

// bare takes the parentheses off.
func bare(n syntax.Node) syntax.Node {
	for n.Kind() == "parenthesized_expression" {
		inner := n.NamedChildren()
		if len(inner) != 1 {
			break
		}
		n = inner[0]
	}
	return n
}

// negate is the opposite of a condition, as code.
func (t *treeFile) negate(n syntax.Node) string {
	n = bare(n)
	parts := n.NamedChildren()
	python := t.f.Lang == Python
	not := func(text string) string {
		if python {
			return "not " + text
		}
		return "!" + text
	}
	switch n.Kind() {
	case "unary_expression", "prefix_expression", "not_operator":
		op := ""
		for c := range n.All() {
			op = c.Kind()
			break
		}
		if (op == "!" || op == "not") && len(parts) == 1 {
			return t.flat(bare(parts[0]))
		}
	case "binary_expression", "comparison_operator", "comparison_expression", "equality_expression", "in_expression", "is_expression", "infix_expression":
		if len(parts) == 2 {
			op := strings.Join(strings.Fields(string(t.src[parts[0].End():parts[1].Start()])), " ")
			if against, ok := opposite[op]; ok {
				return t.flat(parts[0]) + " " + against + " " + t.flat(parts[1])
			}
		}
	case "identifier", "call_expression", "call", "method_invocation", "member_expression", "field_expression", "navigation_expression",
		"attribute", "field_access", "subscript", "subscript_expression", "index_expression", "array_access", "macro_invocation", "true", "false":
		text := t.flat(n)
		if rest, ok := strings.CutPrefix(text, "!"); ok && !python { // Kotlin's grammar binds ! tighter than a call
			return rest
		}
		return not(text)
	}
	return not("(" + t.flat(n) + ")")
}

// only is the one statement of a block, or the statement itself where no block is.
func only(n syntax.Node) syntax.Node {
	if n.Kind() != "block" && n.Kind() != "statement_block" && n.Kind() != "control_structure_body" {
		return n
	}
	var found syntax.Node
	for c := range n.All() {
		if !c.Named() || strings.HasSuffix(c.Kind(), "comment") {
			continue
		}
		if found.OK() {
			return syntax.Node{}
		}
		found = c
	}
	if found.Kind() == "block" || found.Kind() == "statement_block" {
		return only(found)
	}
	return found
}

// withoutComments are the named children that are no comments.
func withoutComments(n syntax.Node) []syntax.Node {
	var out []syntax.Node
	for c := range n.All() {
		if c.Named() && !strings.HasSuffix(c.Kind(), "comment") {
			out = append(out, c)
		}
	}
	return out
}

func has(n syntax.Node, words ...string) bool {
	for c := range n.All() {
		if slices.Contains(words, c.Text()) {
			return true
		}
	}
	return false
}
