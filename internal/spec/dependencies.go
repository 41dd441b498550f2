package spec

import (
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

// depKind is what a heading or label says about the dependencies under it.
type depKind uint8

const (
	depUnknown depKind = iota
	depInternal
	depExternal
)

var linkRE = re.New("^\\[[^\\]]*\\]\\(([^)\\s`]+)\\)(.*)$")

var versionRE = re.New(`^(.+?)(?:\s*(==|>=|<=|~=|!=|=)\s*"?|\s+)([\^~v<>=]*\s*\d[\w.*+-]*)"?$`)

func depKindOf(key string) depKind {
	switch {
	case strings.HasPrefix(key, "internal"), strings.HasPrefix(key, "내부"):
		return depInternal
	case strings.HasPrefix(key, "external"), strings.HasPrefix(key, "외부"):
		return depExternal
	}
	return depUnknown
}

func (p *parser) parseDependencies() {
	for _, sec := range p.parts("dependencies") {
		sec.walk(func(s *section) { p.deps(p.own(s), depKindOf(s.key)) })
		p.parents(sec)
	}
}

// parents warns of parent directories that are referred to in words, where no dependency was found.
func (p *parser) parents(sec *section) {
	for i := sec.first; i < sec.end; i++ {
		text := strings.ReplaceAll(strings.TrimSpace(p.scan.at(i)), `\`, "/")
		if p.scan.lines[i].kind != kindText || !strings.Contains(text, "../") || strings.Contains(text, "://") ||
			slices.ContainsFunc(p.ps, func(pr Problem) bool { return pr.Line == i+1 }) {
			continue
		}
		p.problem(Warning, i+1, 1, "a parent directory must not be referred to: "+clip(text), parentHint)
	}
}

const parentHint = "write the path from the project's root, such as `auth/CLAUDE.md`"

// deps reads both grammars: lists under a label `internal:` and lists under `### Internal`.
func (p *parser) deps(bs []*block, kind depKind) {
	for _, b := range bs {
		switch b.kind {
		case blockItem, blockPara:
			label, value, ok := labelled(b.text)
			if k := depKindOf(strings.ToLower(plain(label))); ok && k != depUnknown && len(strings.Fields(label)) <= 2 {
				if value != "" {
					for _, part := range splitDeps(value) {
						p.dep(part, b, k)
					}
				}
				p.deps(b.kids, k)
				if value == "" && len(b.kids) == 0 {
					kind = k
				}
				continue
			}
			if b.kind == blockItem {
				p.dep(b.text, b, kind)
			}
		case blockTable:
			used := b.rows[0].column("symbol", "used", "심볼", "사용")
			for _, row := range b.rows[1:] {
				cell := &block{line: row.line, col: 1}
				text := row.cell(0)
				if kind == depExternal && row.cell(1) != "" && used != 1 && strings.ContainsAny(row.cell(1), "0123456789") {
					text = plain(text) + "@" + plain(row.cell(1))
					if row.cell(used) != "" {
						text += ": " + row.cell(used)
					}
				} else if used > 0 {
					text += ": " + row.cell(used)
				} else if kind != depExternal && row.cell(1) != "" {
					text += ": " + row.cell(1)
				}
				p.dep(text, cell, kind)
			}
		case blockCode:
		}
	}
}

// splitDeps splits `a@1, b@2` but leaves `a: X, Y` whole.
func splitDeps(s string) []string {
	if strings.Contains(s, ": ") {
		return []string{s}
	}
	return strings.Split(s, ",")
}

// dep reads one dependency: its name, in code or bare, and the symbols behind it.
func (p *parser) dep(text string, b *block, kind depKind) {
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "("); ok && strings.HasSuffix(inner, ")") {
		text = strings.TrimSuffix(inner, ")")
	}
	if text == "" || isNone(text) {
		return
	}
	if bold, rest, ok := boldName(text); ok {
		text = bold + rest
	}
	if m := linkRE().FindStringSubmatch(text); m != nil {
		text = "`" + m[1] + "`" + m[2]
	}
	name, rest, code := codeSpan(text)
	if !code {
		name, rest = cutDep(text)
	}
	var symbols []string
	if anchor, sym, ok := strings.Cut(name, "#"); ok && IsName(strings.ReplaceAll(anchor, `\`, "/")) {
		name, symbols = anchor, []string{sym}
	}
	symbols = append(symbols, depSymbols(rest)...)
	for _, k := range b.kids {
		if n := plain(k.text); k.kind == blockItem && isIdent(n) {
			symbols = append(symbols, n)
		}
	}
	if name == "" {
		p.warn(b, "this dependency has no name: "+clip(text), "write it as `name@version` or `path/CLAUDE.md`")
		return
	}
	if kind == depUnknown {
		kind = depExternal
		if strings.HasPrefix(name, ".") || IsName(strings.ReplaceAll(name, `\`, "/")) {
			kind = depInternal
		}
	}
	if kind == depInternal {
		p.internal(name, symbols, b)
		return
	}
	n, version := packageVersion(name)
	if n == "" {
		n, version = name, ""
	}
	p.doc.Dependencies.External = append(p.doc.Dependencies.External,
		External{Name: n, Version: version, Symbols: symbols, Line: b.line})
}

func (p *parser) internal(ref string, symbols []string, b *block) {
	clean, ok := p.resolve(ref)
	if !ok {
		p.problem(Error, b.line, b.col, "dependency "+ref+" leaves the project", "write the path from the project's root")
		p.doc.Dependencies.Leaving = append(p.doc.Dependencies.Leaving, Internal{Ref: ref, Line: b.line})
		return
	}
	if strings.Contains(strings.ReplaceAll(ref, `\`, "/"), "../") {
		p.warn(b, "a parent directory must not be referred to: "+ref, parentHint)
	}
	clean, isSpec := Dir(clean)
	for i := range p.doc.Dependencies.Internal {
		if have := &p.doc.Dependencies.Internal[i]; have.Path == clean {
			for _, s := range symbols { // one that names none says nothing of them
				if !slices.Contains(have.Symbols, s) {
					have.Symbols = append(have.Symbols, s)
				}
			}
			if strings.HasPrefix(ref, "..") && !strings.HasPrefix(have.Ref, "..") { // the one that somebody has to mend
				have.Ref, have.Line = ref, b.line
			}
			return
		}
	}
	p.doc.Dependencies.Internal = append(p.doc.Dependencies.Internal,
		Internal{Path: clean, Ref: ref, Symbols: symbols, IsSpec: isSpec, Line: b.line})
}

// cutDep splits a bare dependency from what is said about it.
func cutDep(s string) (string, string) {
	for _, sep := range []string{": ", " — ", " – ", " - ", " (", " → ", " -> "} {
		if i := strings.Index(s, sep); i > 0 {
			return strings.TrimSpace(s[:i]), s[i:]
		}
	}
	return strings.TrimRight(s, ": "), ""
}

// depSymbols reads the symbols named behind a dependency. Behind a colon any list of names is
// one; behind a dash or in parentheses prose is usual, so the names must be in code.
func depSymbols(rest string) []string {
	rest = strings.TrimSpace(rest)
	if names, ok := strings.CutPrefix(rest, "→"); ok {
		rest = ":" + names
	} else if names, ok := strings.CutPrefix(rest, "->"); ok {
		rest = ":" + names
	}
	colon := strings.HasPrefix(rest, ":")
	text := strings.Trim(describe(rest), "() ")
	if text == "" {
		return nil
	}
	var out []string
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		name := part
		if c, after, ok := codeSpan(part); ok {
			if strings.TrimSpace(after) != "" && !strings.HasPrefix(describe(after), "(") && colon {
				after = ""
			}
			if strings.TrimSpace(after) != "" {
				return nil
			}
			name = c
		} else if !colon {
			return nil
		}
		name, tail := leadingName(name)
		if name == "" || tail != "" && !strings.HasPrefix(tail, "(") {
			return nil
		}
		out = append(out, name)
	}
	return out
}

// packageVersion splits `pkg@1.0`, `pkg==1.0`, `pkg = "1.0"`, `pkg v1.0` and `group:artifact:1.0`.
func packageVersion(s string) (string, string) {
	s = strings.TrimSpace(s)
	if i := strings.LastIndexByte(s, '@'); i > 0 {
		return strings.TrimSpace(s[:i]), strings.TrimSpace(s[i+1:])
	}
	if parts := strings.Split(s, ":"); len(parts) == 3 && !strings.Contains(s, " ") {
		return parts[0] + ":" + parts[1], parts[2]
	}
	if m := versionRE().FindStringSubmatch(s); m != nil {
		op := m[2]
		if op == "=" || op == "==" {
			op = ""
		}
		return strings.TrimSpace(m[1]), op + strings.TrimSpace(m[3])
	}
	for _, op := range []string{">=", "<=", "~=", ">", "<"} {
		if name, v, ok := strings.Cut(s, op); ok && name != "" {
			return strings.TrimSpace(name), op + strings.TrimSpace(v)
		}
	}
	return s, ""
}
