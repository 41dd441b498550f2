package spec

import "strings"

// definitions counts the lines at the start of a paragraph that define the targets of links,
// `[name]: target "title"`, and are no text.
func definitions(lines []string) int {
	n := 0
	for n < len(lines) && strings.HasPrefix(lines[n], "[") {
		used := definition(lines[n:])
		if used == 0 {
			break
		}
		n += used
	}
	return n
}

// definition counts the lines of the definition that the lines start with; 0 when they start with none.
func definition(lines []string) int {
	text := strings.Join(lines, "\n")
	rest, ok := linkLabel(text)
	if !ok {
		return 0
	}
	rest, ok = linkTarget(trimSpaceOnce(rest))
	if !ok {
		return 0
	}
	used := func(rest string) int { return strings.Count(text[:len(text)-len(rest)], "\n") + 1 }
	alone, _, _ := strings.Cut(rest, "\n")
	without := 0 // the lines when what follows is no title
	if isBlank(alone) {
		without = used(rest)
	}
	if title := trimSpaceOnce(rest); len(title) < len(rest) && title != "" {
		if after, ok := linkTitle(title); ok {
			if alone, _, _ := strings.Cut(after, "\n"); isBlank(alone) {
				return used(after)
			}
		}
	}
	return without
}

// trimSpaceOnce drops white space with at most one line end in it.
func trimSpaceOnce(s string) string {
	s = strings.TrimLeft(s, " \t")
	if rest, ok := strings.CutPrefix(s, "\n"); ok {
		s = strings.TrimLeft(rest, " \t")
	}
	return s
}

// linkLabel reads `[label]:`.
func linkLabel(s string) (string, bool) {
	for i := 1; i < len(s) && i <= 1000; i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			return "", false
		case ']':
			ok := !isBlank(s[1:i]) && i+1 < len(s) && s[i+1] == ':'
			if !ok {
				return "", false
			}
			return s[i+2:], true
		}
	}
	return "", false
}

// linkTarget reads `<target>` or `target`.
func linkTarget(s string) (string, bool) {
	if strings.HasPrefix(s, "<") {
		for i := 1; i < len(s); i++ {
			switch s[i] {
			case '\\':
				i++
			case '<', '\n':
				return "", false
			case '>':
				return s[i+1:], true
			}
		}
		return "", false
	}
	depth, i := 0, 0
	for ; i < len(s) && s[i] > ' ' && s[i] != 0x7f; i++ {
		switch s[i] {
		case '\\':
			if i+1 < len(s) && s[i+1] > ' ' {
				i++
			}
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth < 0 {
			return "", false
		}
	}
	return s[i:], i > 0 && depth == 0
}

// linkTitle reads a title in quotes or parentheses.
func linkTitle(s string) (string, bool) {
	end := s[0]
	switch end {
	case '"', '\'':
	case '(':
		end = ')'
	default:
		return "", false
	}
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == end:
			return s[i+1:], true
		case s[i] == '(' && end == ')':
			return "", false
		}
	}
	return "", false
}
