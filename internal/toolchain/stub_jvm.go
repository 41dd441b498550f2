package toolchain

import (
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/signature"
)

// jvmClasses groups what belongs into one class.
type jvmClass struct {
	symbol  Symbol
	members []Symbol
}

// classes are the symbols by their classes; loose are those that belong to none.
func (s Stubs) classes() (out []jvmClass, loose []Symbol) {
	top, members := s.owned()
	for _, x := range top {
		if !rustIdent().MatchString(x.Name) {
			continue
		}
		if x.Kind == "function" && x.Name[0] >= 'A' && x.Name[0] <= 'Z' && strings.HasPrefix(strings.TrimSpace(x.Signature), x.Name+"(") && !strings.Contains(x.Signature, "):") {
			x.Kind = "class" // Ledger(String owner)
		}
		switch x.Kind {
		case "function":
			loose = append(loose, x)
			continue
		case "variable", "constant":
			if strings.ToUpper(x.Name) == x.Name || x.Name[0] < 'A' || x.Name[0] > 'Z' {
				loose = append(loose, x)
				continue
			}
			x.Kind = "enum" // Color: RED
		}
		out = append(out, jvmClass{x, members[x.Name]})
		delete(members, x.Name)
	}
	for _, owner := range sortedKeys(members) {
		out = append(out, jvmClass{Symbol{Name: owner, Kind: "members"}, members[owner]})
	}
	return out, loose
}

func exceptional(name string) bool {
	return strings.HasSuffix(name, "Exception") || strings.HasSuffix(name, "Error")
}

// javaFiles makes a file for each class: Java wants it so.
func (s Stubs) javaFiles() []StubFile {
	var out []StubFile
	classes, loose := s.classes()
	if len(loose) > 0 { // functions outside of a class can only be called on the module's own
		name := strings.TrimSuffix(path.Base(s.File), path.Ext(s.File))
		i := slices.IndexFunc(classes, func(c jvmClass) bool { return c.symbol.Name == name })
		if i < 0 {
			classes = append(classes, jvmClass{symbol: Symbol{Name: name, Kind: "class"}})
			i = len(classes) - 1
		}
		for _, x := range loose {
			x.Owner = name
			classes[i].members = append(classes[i].members, x)
		}
	}
	for _, c := range classes {
		f := StubFile{Name: join(s.Dir, c.symbol.Name+".java"), Tail: "}\n"}
		kind, head := s.javaHead(c.symbol)
		for _, m := range c.members {
			var p []string
			if m.Kind == "field" || m.Kind == "variable" || m.Kind == "constant" {
				p = s.javaField(m)
			} else {
				p = s.javaMethod(m, kind)
			}
			if len(p) > 0 {
				f.Parts = append(f.Parts, p)
			}
		}
		if len(f.Parts) == 0 && c.symbol.Kind == "members" {
			continue
		}
		f.Head = s.jvmImports(c, ";") + head
		out = append(out, f)
	}
	return out
}

// jvmImports are the package and the imports on one line, so that a file that is there keeps its lines.
func (s Stubs) jvmImports(c jvmClass, end string) string {
	types := TypesOf(c.symbol)
	for _, m := range c.members {
		types = append(types, TypesOf(m)...)
	}
	head := ""
	if s.Package != "" {
		head = "package " + s.Package + end + "\n"
	}
	return head + s.imports(slices.DeleteFunc(types, func(name string) bool { return name == c.symbol.Name }))
}

var javaExtends = re.New(`\b(extends|implements)\s+[^{]+`)

// javaHead is what stands before the members of a class, and what it is.
func (s Stubs) javaHead(x Symbol) (kind, head string) {
	sig, generics, after := x.declared()
	words := strings.Fields(sig)
	params := ""
	if strings.HasPrefix(after, "(") {
		params, _, _ = signature.CutGroup(after)
	}
	switch {
	case slices.Contains(words, "interface"):
		return "interface", "public interface " + x.Name + generics + " {\n"
	case slices.Contains(words, "record"):
		return "record", "public record " + x.Name + generics + "(" + javaParams(params) + ") {\n"
	case x.Kind == "enum":
		values := enumNames(sig, x.Name)
		return "enum", "public enum " + x.Name + " { " + strings.Join(values, ", ") + ";\n"
	}
	inherits := strings.TrimSpace(javaExtends().FindString(after))
	if inherits == "" && exceptional(x.Name) {
		inherits = "extends RuntimeException"
	}
	word := "class "
	if slices.Contains(words, "abstract") {
		word = "abstract class "
	}
	head = "public " + word + x.Name + generics + " " + inherits + " {\n"
	ctor := "Object... args"
	if params != "" || strings.HasPrefix(after, "()") {
		ctor = javaParams(params)
	}
	body := ""
	if s.Fails && !exceptional(x.Name) {
		body = `if (true) throw new UnsupportedOperationException("` + StubMark + x.Name + `");`
	}
	return "class", head + "public " + x.Name + "(" + ctor + ") { " + body + " }\n"
}

// enumNames are the values of an enumeration.
func enumNames(sig, name string) []string {
	var list []string
	if body, ok := braced(sig); ok {
		body, _, _ = strings.Cut(body, ";")
		list = parts(body)
	} else if _, rest, ok := strings.Cut(sig, name); ok {
		list = strings.Split(strings.TrimLeft(rest, ":= "), "|")
	}
	var out []string
	for _, v := range list {
		if v, _, _ = strings.Cut(strings.TrimSpace(v), "("); rustIdent().MatchString(strings.TrimSpace(v)) {
			out = append(out, strings.TrimSpace(v))
		}
	}
	return out
}

// javaParams writes parameters as Java does; the type may come after a colon, the name may be missing.
func javaParams(text string) string {
	var out []string
	for i, p := range parts(text) {
		p = strings.TrimPrefix(p, "final ")
		if name, typ, ok := strings.Cut(p, ":"); ok {
			p = strings.TrimSpace(typ) + " " + strings.TrimSpace(name)
		} else if k := strings.LastIndexAny(p, " >]."); k < 0 || strings.HasSuffix(p, ">") || strings.HasSuffix(p, "]") || p[k] == '.' {
			p += " p" + string(rune('0'+i%10))
		}
		out = append(out, p)
	}
	return strings.Join(out, ", ")
}

// javaResult is the type in front of a method's name, and its type parameters.
func javaResult(before string) (generics, result string) {
	before = strings.TrimSpace(before)
	for {
		word, rest, _ := strings.Cut(before, " ")
		switch {
		case slices.Contains([]string{"public", "protected", "static", "final", "abstract", "synchronized", "default", "native"}, word):
			before = strings.TrimSpace(rest)
			continue
		case strings.HasPrefix(before, "<"):
			if inside, rest, ok := signature.CutGroup(before); ok {
				generics, before = "<"+inside+"> ", strings.TrimSpace(rest)
				continue
			}
		}
		return generics, before
	}
}

func (s Stubs) javaMethod(m Symbol, kind string) []string {
	c, ok := readCallable(m.Signature, m.Name)
	if !ok {
		return nil
	}
	if m.Name == m.Owner { // another constructor
		return []string{"public " + m.Name + "(" + javaParams(c.params) + ") { }\n"}
	}
	generics, result := javaResult(strings.TrimSuffix(strings.TrimSuffix(c.before, m.Owner), "."))
	if c.generics != "" {
		generics = c.generics + " "
	}
	if c.result != "" {
		result = c.result
	}
	if result == "" {
		result = "void"
	}
	tail := ""
	if strings.HasPrefix(c.tail, "throws ") {
		tail = " " + c.tail
	}
	head := generics + result + " " + m.Name + "(" + javaParams(c.params) + ")" + tail
	if kind == "interface" {
		return []string{head + ";\n"}
	}
	word := "public "
	if strings.Contains(" "+c.before+" ", " static ") || s.Static != nil && s.Static(m.Owner, m.Name) {
		word = "public static "
	}
	body := javaZero(result)
	if s.Fails {
		body = `throw new UnsupportedOperationException("` + StubMark + m.Name + `");`
	}
	return []string{word + head + " { " + body + " }\n"}
}

func javaZero(t string) string {
	switch t {
	case "void":
		return ""
	case "boolean":
		return "return false;"
	case "int", "long", "short", "byte", "char", "float", "double":
		return "return 0;"
	}
	return "return null;"
}

// javaField declares a value of another content than the spec says.
func (s Stubs) javaField(m Symbol) []string {
	sig := strings.Trim(strings.TrimSpace(m.Signature), "`; ")
	sig, value, _ := strings.Cut(sig, "=")
	at := strings.LastIndex(sig, m.Name)
	if at < 0 {
		return nil
	}
	before, after := strings.TrimRight(strings.TrimSpace(sig[:at]), "."), strings.TrimSpace(sig[at+len(m.Name):])
	typ := ""
	if t, ok := strings.CutPrefix(after, ":"); ok {
		typ = strings.TrimSpace(t)
	} else {
		_, typ = javaResult(strings.TrimSuffix(before, m.Owner))
	}
	if typ == "" || typ == m.Owner {
		switch value = strings.TrimSpace(value); {
		case strings.HasPrefix(value, `"`):
			typ = "String"
		case strings.HasSuffix(value, "L"):
			typ = "long"
		case value != "" && strings.Trim(value, "0123456789_-") == "":
			typ = "int"
		default:
			return nil
		}
	}
	zero := strings.TrimSuffix(strings.TrimPrefix(javaZero(typ), "return "), ";")
	return []string{"public static final " + typ + " " + m.Name + " = " + zero + ";\n", "public " + typ + " " + m.Name + ";\n"}
}

// kotlinFiles makes a file for each class and one for what belongs to none.
func (s Stubs) kotlinFiles() []StubFile {
	var out []StubFile
	classes, loose := s.classes()
	free := StubFile{Name: join(s.Dir, "JacquardStubs.kt")}
	var all jvmClass
	for _, x := range loose {
		p := s.kotlinValue(x)
		if x.Kind == "function" {
			p = s.kotlinMethod(x, "")
		}
		if len(p) > 0 {
			free.Parts = append(free.Parts, p)
			all.members = append(all.members, x)
		}
	}
	for _, c := range classes {
		if c.symbol.Kind == "members" { // the class is there and gets what it lacks from outside
			for _, m := range c.members {
				if p := s.kotlinMethod(m, c.symbol.Name+"."); len(p) > 0 && m.Kind != "field" {
					free.Parts = append(free.Parts, p)
					all.members = append(all.members, m)
				}
			}
			continue
		}
		f := StubFile{Name: join(s.Dir, c.symbol.Name+".kt"), Head: s.jvmImports(c, ""), Tail: "}\n"}
		head, isInterface := s.kotlinHead(c.symbol)
		f.Head += head
		var static strings.Builder
		for _, m := range c.members {
			p := s.kotlinMethod(m, "")
			if m.Kind == "field" {
				p = s.kotlinValue(m)
			}
			switch {
			case len(p) == 0:
			case isInterface:
				decl, _, _ := strings.Cut(p[0], " = TODO")
				decl, _, _ = strings.Cut(decl, " { TODO")
				decl, _, _ = strings.Cut(decl, " { }")
				if c, ok := readCallable(m.Signature, m.Name); ok && c.result != "" {
					decl = decl[:strings.LastIndex(decl, c.result)+len(c.result)]
				}
				f.Parts = append(f.Parts, []string{strings.TrimSpace(decl) + "\n"})
			case s.Static != nil && s.Static(m.Owner, m.Name):
				static.WriteString(strings.TrimSpace(p[0]) + "; ")
			default:
				f.Parts = append(f.Parts, p)
			}
		}
		if static.Len() > 0 {
			f.Parts = append(f.Parts, []string{"companion object { " + strings.TrimSuffix(static.String(), "; ") + " }\n"})
		}
		out = append(out, f)
	}
	if len(free.Parts) > 0 {
		free.Head = s.jvmImports(all, "")
		out = append(out, free)
	}
	return out
}

func (s Stubs) kotlinHead(x Symbol) (head string, isInterface bool) {
	sig, generics, after := x.declared()
	words := strings.Fields(sig)
	inherits := ""
	if exceptional(x.Name) {
		inherits = " : RuntimeException()"
	}
	switch {
	case slices.Contains(words, "interface"):
		return "interface " + x.Name + generics + " {\n", true
	case slices.Contains(words, "object"):
		return "object " + x.Name + " {\n", false
	case x.Kind == "enum":
		return "enum class " + x.Name + " { " + strings.Join(enumNames(sig, x.Name), ", ") + ";\n", false
	}
	if inside, _, ok := signature.CutGroup(after); ok && after[0] == '(' {
		var params []string
		for _, p := range parts(inside) {
			if inherits != "" {
				p = strings.TrimPrefix(strings.TrimPrefix(p, "val "), "var ")
			} else if !strings.HasPrefix(p, "val ") && !strings.HasPrefix(p, "var ") {
				p = "val " + p
			}
			params = append(params, p)
		}
		word := "open class "
		if len(params) > 0 && inherits == "" {
			word = "data class "
		}
		return word + x.Name + generics + "(" + strings.Join(params, ", ") + ")" + inherits + " {\n", false
	}
	return "open class " + x.Name + generics + "(vararg args: Any?)" + inherits + " {\n", false
}

func (s Stubs) kotlinMethod(m Symbol, receiver string) []string {
	c, ok := readCallable(m.Signature, m.Name)
	if !ok {
		return nil
	}
	for _, p := range parts(c.params) {
		if !strings.Contains(p, ":") {
			return nil
		}
	}
	head := "fun "
	if strings.Contains(" "+c.before+" ", " suspend ") {
		head = "suspend fun "
	}
	if i := strings.IndexByte(c.before, '<'); i >= 0 && strings.HasSuffix(c.before, ">") { // fun <T> name
		head += c.before[i:] + " "
	}
	if c.generics != "" {
		head += c.generics + " "
	}
	head += receiver + m.Name + "(" + c.params + ")"
	todo := `TODO("` + StubMark + m.Name + `")`
	if c.result == "" || c.result == "Unit" {
		if s.Fails {
			return []string{head + " { " + todo + " }\n"}
		}
		return []string{head + " { }\n"}
	}
	if zero := kotlinZero(c.result); zero != "" && !s.Fails {
		return []string{head + ": " + c.result + " = " + zero + "\n"}
	}
	return []string{head + ": " + c.result + " = " + todo + "\n"}
}

func kotlinZero(t string) string {
	name, _, _ := strings.Cut(t, "<")
	switch {
	case strings.HasSuffix(t, "?"):
		return "null"
	case name == "List" || name == "Set" || name == "Map":
		return "empty" + name + "()"
	}
	return map[string]string{
		"Int": "0", "Long": "0L", "Short": "0", "Byte": "0", "Double": "0.0", "Float": "0f", "Boolean": "false", "String": `""`, "Char": `'\u0000'`,
	}[t]
}

// kotlinValue declares a value of another content than the spec says.
func (s Stubs) kotlinValue(m Symbol) []string {
	sig := strings.Trim(strings.TrimSpace(m.Signature), "`; ")
	left, value, _ := strings.Cut(sig, "=")
	_, typ, _ := strings.Cut(left, ":")
	typ, value = strings.TrimSpace(typ), strings.TrimSpace(value)
	zero := kotlinZero(typ)
	switch {
	case zero != "":
	case strings.HasPrefix(value, `"`):
		zero = `""`
	case strings.HasSuffix(value, "L"):
		zero = "0L"
	case value != "" && strings.Trim(value, "0123456789_-") == "":
		zero = "0"
	case strings.Trim(value, "0123456789_-.") == "" && value != "":
		zero = "0.0"
	case typ != "":
		return []string{"val " + m.Name + ": " + typ + ` get() = TODO("` + StubMark + m.Name + "\")\n"}
	default:
		return nil
	}
	return []string{"val " + m.Name + " = " + zero + "\n"}
}
