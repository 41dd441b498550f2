package source

// functions finds every function with a body: declarations, methods, and arrows bound to a name.
func (s *scriptFile) functions() {
	var owners []struct {
		name string
		end  int
	}
	add := func(name string, start, body, end int) {
		for _, o := range owners {
			if start < o.end {
				name = o.name + "." + name
			}
		}
		if end >= len(s.ts) || body >= len(s.ts) {
			return
		}
		s.f.Funcs = append(s.f.Funcs, Func{
			Name: name, Line: s.ts[start].Line, End: lastLine(s.ts[end]), Off: s.ts[start].Off, Stop: s.ts[end].End, Body: s.ts[body].End,
		})
	}
	for i := range s.ts {
		for len(owners) > 0 && i >= owners[len(owners)-1].end {
			owners = owners[:len(owners)-1]
		}
		t := s.ts[i]
		switch {
		case isWord(t, "class") && s.at(i+1).Kind == Ident:
			open := i
			for open < len(s.ts) && !s.punct(open, "{") {
				open++
			}
			owners = append(owners, struct {
				name string
				end  int
			}{s.at(i + 1).Text, closing(s.ts, open)})
		case isWord(t, "function") && s.at(i+1).Kind == Ident:
			if body := s.functionBody(i + 1); s.punct(body, "{") {
				add(s.at(i+1).Text, i, body, closing(s.ts, body))
			}
		case len(owners) > 0 && t.Kind == Ident && s.punct(i+1, "(") && !s.punct(i-1, ".") && !scriptKeyword(t.Text):
			if body := s.functionBody(i + 1); s.punct(body, "{") && s.methodPlace(i) {
				add(t.Text, i, body, closing(s.ts, body))
			}
		case (isWord(t, "const") || isWord(t, "let")) && s.at(i+1).Kind == Ident:
			s.arrow(i, add)
		}
	}
}

func scriptKeyword(w string) bool {
	switch w {
	case "if", "for", "while", "switch", "catch", "return", "function", "await", "typeof", "super", "new", "with", "throw":
		return true
	}
	return false
}

// methodPlace reports whether the name at i may begin a member of a class: something must have ended before it.
func (s *scriptFile) methodPlace(i int) bool {
	p := s.at(i - 1)
	return isPunct(p, "{") || isPunct(p, "}") || isPunct(p, ";") || isPunct(p, "*") || p.Kind == Ident || isPunct(p, ")")
}

func (s *scriptFile) arrow(i int, add func(string, int, int, int)) {
	e, _, end := s.variable(i)
	if e.Kind != "function" {
		return
	}
	for k := i; k < end; k++ {
		if s.punct(k, "(") {
			k = closing(s.ts, k)
			continue
		}
		if s.punct(k, "=>") && arrowHeadAt(s.cut(i, k)) {
			if s.punct(k+1, "{") {
				end = closing(s.ts, k+1)
				add(e.Name, i, k+1, end)
			} else {
				add(e.Name, i, k, end)
			}
			return
		}
	}
}

func arrowHeadAt(ts []Token) bool {
	for _, t := range ts {
		if isPunct(t, "=") {
			return true
		}
	}
	return false
}
