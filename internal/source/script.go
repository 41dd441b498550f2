package source

import "strings"

// scriptFile is a JavaScript or TypeScript file while it is being read.
type scriptFile struct {
	f    *File
	ts   []Token // without comments
	decl map[string]Export
	// asserting holds the functions of this file: do they assert anything?
	asserting map[string]bool
}

func parseScript(f *File, src []byte) {
	f.Tokens = lexScript(src)
	s := &scriptFile{f: f, ts: code(f.Tokens), decl: map[string]Export{}, asserting: map[string]bool{}}
	s.topLevel()
	s.functions()
	for range 2 { // helpers may call helpers
		for _, fn := range f.Funcs {
			var t Test
			a, b := s.span(fn.Body, fn.Stop)
			s.assertions(&t, a, b)
			s.asserting[fn.Name] = t.Asserts > 0
		}
	}
	s.tests(0, len(s.ts), nil, suiteMarks{})
	if !scriptTestName(f.Path) {
		for _, fn := range f.Funcs {
			tokenMutants(f, fn, s.ts, false)
		}
		constantMutants(f, src, TypeScript)
		f.mutants = dedupe(f.mutants)
	}
}

func scriptTestName(p string) bool {
	return strings.Contains(p, ".test.") || strings.Contains(p, ".spec.") || strings.Contains(p, "__tests__/")
}

// dedupe drops mutations found twice, in a function and in one inside it.
func dedupe(ms []Mutant) []Mutant {
	seen := map[[2]int]string{}
	out := ms[:0]
	for _, m := range ms {
		k := [2]int{m.Off, m.End}
		if what, ok := seen[k]; ok && what == m.What {
			continue
		}
		seen[k] = m.What
		out = append(out, m)
	}
	return out
}

// span gives the tokens within two offsets.
func (s *scriptFile) span(from, to int) (a, b int) {
	for a < len(s.ts) && s.ts[a].Off < from {
		a++
	}
	b = a
	for b < len(s.ts) && s.ts[b].End <= to {
		b++
	}
	return a, b
}

// cut gives the tokens from a up to b, as far as they exist.
func (s *scriptFile) cut(a, b int) []Token {
	a, b = max(a, 0), min(b, len(s.ts))
	if a >= b {
		return nil
	}
	return s.ts[a:b]
}

func (s *scriptFile) at(i int) Token {
	if i < 0 || i >= len(s.ts) {
		return Token{Kind: Punct, Indent: -1}
	}
	return s.ts[i]
}

func (s *scriptFile) word(i int, w string) bool { return i >= 0 && i < len(s.ts) && isWord(s.ts[i], w) }

func (s *scriptFile) punct(i int, p string) bool {
	return i >= 0 && i < len(s.ts) && isPunct(s.ts[i], p)
}

// topLevel walks the statements outside all brackets.
func (s *scriptFile) topLevel() {
	var later []Export // export { a, b as c }
	for i := range s.ts {
		if s.word(i, "require") && !s.punct(i-1, ".") {
			s.requireAt(i)
		}
	}
	for i := 0; i < len(s.ts); i++ {
		t := s.ts[i]
		if t.Kind == Punct && (t.Text == "(" || t.Text == "[" || t.Text == "{") {
			i = closing(s.ts, i)
			continue
		}
		if t.Kind != Ident || s.punct(i-1, ".") {
			continue
		}
		switch t.Text {
		case "import":
			i = s.importAt(i)
		case "export":
			i = s.exportAt(i, &later)
		case "module", "exports":
			s.commonJS(i, &later)
		case "function", "class", "const", "let", "var", "interface", "type", "enum", "abstract", "async", "declare":
			if e, _, end := s.declaration(i); e.Name != "" {
				if _, twice := s.decl[e.Name]; !twice {
					s.decl[e.Name] = e
				}
				i = end
			}
		}
	}
	for _, e := range later {
		local := e.Signature
		if d, ok := s.decl[local]; ok {
			name := e.Name
			e = d
			e.Name = name
		}
		s.f.Exports = append(s.f.Exports, e)
	}
}

func (s *scriptFile) importAt(i int) int {
	if s.punct(i+1, "(") || s.punct(i+1, ".") {
		if s.at(i+2).Kind == String {
			s.f.Imports = append(s.f.Imports, Import{From: s.at(i + 2).Value(), Line: s.at(i).Line})
		}
		return i
	}
	imp := Import{Line: s.at(i).Line}
	for j := i + 1; j < len(s.ts); j++ {
		switch t := s.ts[j]; {
		case t.Kind == String:
			imp.From = t.Value()
			s.f.Imports = append(s.f.Imports, imp)
			return j
		case isPunct(t, "{"):
			end := closing(s.ts, j)
			for _, part := range splitArgs(s.cut(j+1, min(end, len(s.ts)))) {
				if len(part) > 1 && isWord(part[0], "type") && !isWord(part[1], "as") {
					part = part[1:]
				}
				if len(part) > 0 {
					imp.Names = append(imp.Names, part[0].Text)
				}
			}
			j = end
		case isPunct(t, ";") || isPunct(t, "="):
			return j
		case t.Kind == Ident && t.Text != "type" && t.Text != "from" && !s.punct(j-1, "*") && !s.word(j-1, "as"):
			imp.Names = append(imp.Names, "default")
		}
	}
	return i
}

// requireAt notes const { a, b } = require("x").
func (s *scriptFile) requireAt(i int) {
	if !s.punct(i+1, "(") || s.at(i+2).Kind != String {
		return
	}
	imp := Import{From: s.at(i + 2).Value(), Line: s.at(i).Line}
	if s.punct(i-1, "=") && s.punct(i-2, "}") {
		open := i - 2
		for open >= 0 && !s.punct(open, "{") {
			open--
		}
		for _, part := range splitArgs(s.cut(open+1, i-2)) {
			if len(part) > 0 {
				imp.Names = append(imp.Names, part[0].Text)
			}
		}
	}
	s.f.Imports = append(s.f.Imports, imp)
}

func (s *scriptFile) commonJS(i int, later *[]Export) {
	j := i
	if s.word(j, "module") && s.punct(j+1, ".") && s.word(j+2, "exports") {
		j += 2
	}
	switch {
	case s.word(j, "exports") && s.punct(j+1, ".") && s.at(j+2).Kind == Ident && s.punct(j+3, "="):
		name := s.at(j + 2).Text
		*later = append(*later, Export{Name: name, Kind: "variable", Signature: name, Line: s.at(j).Line})
	case j > i && s.punct(j+1, "=") && s.punct(j+2, "{"):
		for _, part := range splitArgs(s.cut(j+3, min(closing(s.ts, j+2), len(s.ts)))) {
			if len(part) == 1 || len(part) == 3 && isPunct(part[1], ":") {
				*later = append(*later, Export{
					Name: part[0].Text, Kind: "variable", Signature: part[len(part)-1].Text, Line: part[0].Line,
				})
			}
		}
	case j > i && s.punct(j+1, "=") && s.at(j+2).Kind == Ident:
		*later = append(*later, Export{Name: "default", Kind: "variable", Signature: s.at(j + 2).Text, Line: s.at(j).Line})
	}
}

func (s *scriptFile) exportAt(i int, later *[]Export) int {
	j := i + 1
	isDefault := s.word(j, "default")
	if isDefault {
		j++
	}
	switch {
	case s.punct(j, "{") || s.word(j, "type") && s.punct(j+1, "{"):
		if s.word(j, "type") {
			j++
		}
		end := closing(s.ts, j)
		for _, part := range splitArgs(s.cut(j+1, min(end, len(s.ts)))) {
			if len(part) > 1 && isWord(part[0], "type") {
				part = part[1:]
			}
			if len(part) == 0 {
				continue
			}
			name := part[len(part)-1].Text
			sig := part[0].Text
			if s.word(end+1, "from") {
				sig += " from " + s.at(end+2).Value()
			}
			*later = append(*later, Export{Name: name, Kind: "variable", Signature: sig, Line: part[0].Line})
		}
		return end
	case s.punct(j, "*"):
		for k := j; k < len(s.ts) && k < j+5; k++ {
			if s.ts[k].Kind == String {
				s.f.Exports = append(s.f.Exports, Export{
					Name: "*", Kind: "variable", Signature: "* from " + s.ts[k].Value(), Line: s.at(i).Line,
				})
				return k
			}
		}
		return j
	}
	e, members, end := s.declaration(j)
	if e.Name == "" && !isDefault {
		return i
	}
	if isDefault {
		if e.Name == "" {
			e = Export{Kind: "variable", Signature: "default", Line: s.at(i).Line}
			end = i
		}
		e.Name = "default"
	} else {
		s.decl[e.Name] = e
	}
	s.f.Exports = append(s.f.Exports, e)
	s.f.Exports = append(s.f.Exports, members...)
	return end
}

// declaration reads the declaration at i and gives the index of its last token.
func (s *scriptFile) declaration(i int) (e Export, members []Export, end int) {
	start := i
	for s.word(i, "declare") || s.word(i, "abstract") || s.word(i, "async") {
		i++
	}
	e.Line = s.at(i).Line
	switch s.at(i).Text {
	case "function":
		e.Kind = "function"
		if s.punct(i+1, "*") {
			i++
		}
		e.Name = s.at(i + 1).Text
		if s.at(i+1).Kind != Ident {
			e.Name = "default"
		}
		body := s.functionBody(i + 1)
		e.Signature = render(s.cut(start, body))
		return e, nil, s.blockEnd(body)
	case "class", "interface", "enum":
		e.Kind = s.at(i).Text
		if s.word(i, "enum") || !s.word(i+1, "extends") {
			e.Name = s.at(i + 1).Text
		}
		open := i + 1
		for open < len(s.ts) && !s.punct(open, "{") {
			open++
		}
		end = closing(s.ts, open)
		if e.Kind == "class" {
			e.Signature = render(s.cut(start, open))
			return e, s.members(e.Name, open, end), end
		}
		e.Signature = render(s.cut(start, end+1))
		return e, nil, end
	case "type":
		if s.at(i+1).Kind != Ident {
			return Export{}, nil, i
		}
		e.Kind, e.Name = "type", s.at(i+1).Text
		end = s.statementEnd(i)
		e.Signature = strings.TrimSuffix(render(s.cut(start, end+1)), ";")
		return e, nil, end
	case "const", "let", "var":
		if s.word(i, "const") && s.word(i+1, "enum") {
			return s.declaration(i + 1)
		}
		return s.variable(i)
	}
	return Export{}, nil, i
}

func (s *scriptFile) variable(i int) (e Export, members []Export, end int) {
	e = Export{Name: s.at(i + 1).Text, Kind: "variable", Line: s.at(i).Line}
	if s.word(i, "const") {
		e.Kind = "constant"
	}
	if s.at(i+1).Kind != Ident {
		return Export{}, nil, i
	}
	end = s.statementEnd(i)
	eq := i + 2
	for eq < end && !s.punct(eq, "=") {
		if s.punct(eq, "{") || s.punct(eq, "(") || s.punct(eq, "[") {
			eq = closing(s.ts, eq)
		}
		eq++
	}
	e.Signature = render(s.cut(i, eq))
	// An arrow function's signature is everything up to the arrow.
	depth := 0
	for k := eq + 1; k < end; k++ {
		switch t := s.ts[k]; {
		case isPunct(t, "("), isPunct(t, "{"), isPunct(t, "["):
			depth++
		case isPunct(t, ")"), isPunct(t, "}"), isPunct(t, "]"):
			depth--
		case isPunct(t, "=>") && depth == 0 && arrowHead(s.cut(eq+1, k)):
			e.Kind = "function"
			e.Signature = render(s.cut(i, k))
			return e, nil, end
		case isPunct(t, ";") && depth == 0:
			return e, nil, end
		}
	}
	return e, nil, end
}

// arrowHead reports whether the tokens are the head of an arrow function: async, type parameters, parameters, a result.
func arrowHead(ts []Token) bool {
	if len(ts) > 0 && isWord(ts[0], "async") {
		ts = ts[1:]
	}
	return len(ts) == 1 && ts[0].Kind == Ident || len(ts) > 1 && (isPunct(ts[0], "(") || isPunct(ts[0], "<"))
}

// statementEnd finds the last token of the statement that begins at i: a semicolon of its level, or the last token before
// one on a new line that cannot continue it.
func (s *scriptFile) statementEnd(i int) int {
	depth := 0
	for k := i; k < len(s.ts); k++ {
		t := s.ts[k]
		if t.Kind == Punct {
			switch t.Text {
			case "(", "[", "{", "${":
				depth++
			case ")", "]", "}":
				depth--
				if depth < 0 {
					return k - 1
				}
			case ";":
				if depth == 0 {
					return k
				}
			}
		}
		if depth == 0 && k > i && k+1 < len(s.ts) && s.ts[k+1].Line > lastLine(t) && ends(t) && begins(s.ts[k+1]) {
			return k
		}
	}
	return len(s.ts) - 1
}

func lastLine(t Token) int { return t.Line + strings.Count(t.Text, "\n") }

func ends(t Token) bool {
	return t.Kind != Punct || t.Text == ")" || t.Text == "]" || t.Text == "}" || t.Text == "++" || t.Text == "--"
}

func begins(t Token) bool {
	if t.Kind == Ident {
		switch t.Text {
		case "instanceof", "in", "of", "as", "satisfies", "extends":
			return false
		}
		return true
	}
	return t.Kind == Punct && (t.Text == "}" || t.Text == "@")
}

// functionBody finds the brace that opens the body of a function whose name or parameters begin at i, or the end of the
// declaration when there is none.
func (s *scriptFile) functionBody(i int) int {
	for i < len(s.ts) && !s.punct(i, "(") {
		i++
	}
	i = closing(s.ts, i) + 1
	if !s.punct(i, ":") {
		return i
	}
	typeExpected := true
	for i++; i < len(s.ts); i++ {
		t := s.ts[i]
		switch {
		case isPunct(t, "{"):
			if !typeExpected {
				return i
			}
			i, typeExpected = closing(s.ts, i), false
		case isPunct(t, "(") || isPunct(t, "["):
			i, typeExpected = closing(s.ts, i), false
		case isPunct(t, ";"):
			return i
		case isPunct(t, "|"), isPunct(t, "&"), isPunct(t, "=>"), isPunct(t, "<"), isPunct(t, ","), isWord(t, "is"),
			isWord(t, "extends"), isWord(t, "keyof"), isWord(t, "readonly"):
			typeExpected = true
		default:
			typeExpected = false
		}
	}
	return i
}

func (s *scriptFile) blockEnd(body int) int {
	if s.punct(body, "{") {
		return closing(s.ts, body)
	}
	return min(body, len(s.ts)-1)
}

// members reads the public methods and fields of a class.
func (s *scriptFile) members(class string, open, end int) []Export {
	var out []Export
	for i := open + 1; i < end; i++ {
		start, private := i, false
		for s.modifier(i) {
			private = private || s.word(i, "private") || s.word(i, "protected")
			i++
		}
		t := s.at(i)
		if t.Kind != Ident {
			if isPunct(t, "[") || isPunct(t, "{") || isPunct(t, "(") {
				i = closing(s.ts, i)
			}
			continue
		}
		var last int
		sigEnd := i + 1
		if s.punct(i+1, "(") || s.punct(i+1, "<") {
			sigEnd = s.functionBody(i + 1)
			last = s.blockEnd(sigEnd)
		} else {
			last = s.statementEnd(i)
			for sigEnd <= last && !s.punct(sigEnd, "=") && !s.punct(sigEnd, ";") {
				sigEnd++
			}
		}
		if !private && !strings.HasPrefix(t.Text, "#") && s.ts[i].Off > 0 && s.f.raw[s.ts[i].Off] != '#' {
			out = append(out, Export{
				Name: t.Text, Kind: "method", Owner: class, Signature: render(s.cut(start, sigEnd)), Line: t.Line,
			})
		}
		i = last
	}
	return out
}

func (s *scriptFile) modifier(i int) bool {
	switch s.at(i).Text {
	case "public", "private", "protected", "static", "readonly", "async", "get", "set", "override", "abstract", "declare", "accessor":
		next := s.at(i + 1)
		return s.at(i).Kind == Ident && (next.Kind == Ident || isPunct(next, "[") || isPunct(next, "*"))
	case "*":
		return true
	}
	return false
}
