package check

import (
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/signature"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
)

// ignores finds new functions that were asked for by name and do nothing with something that they take, or only refuse some of it.
// Methods are left out: a type that they belong to may say what they take.
func (a Audit) ignores(f *file) []step.Finding {
	var out []step.Finding
	for _, fn := range f.new.Funcs {
		if strings.Contains(fn.Name, ".") || !a.inSpec(fn.Name) || slices.ContainsFunc(f.old.Funcs, func(o source.Func) bool { return o.Name == fn.Name }) {
			continue
		}
		sig, ok := signatureOf(f.new, fn)
		body := within(f.code, fn.Body, fn.Stop)
		if !ok || len(body) == 0 || slices.ContainsFunc(body, func(t source.Token) bool { return t.Text == "locals" || t.Text == "arguments" }) {
			continue
		}
		taken := bound(sig)
		for _, p := range taken {
			name := p.Name
			anywhere, beyond := uses(body, name)
			switch {
			case !a.inSpec(strings.TrimLeft(name, "_")) || slices.Contains(prescribed, name): // nobody has asked for it
			case !anywhere:
				out = append(out, fix("ignored-parameter", f.Path, fn.Line, fn.Name+" ignores its parameter "+name+". Use it as requested."))
			case !beyond && len(taken) > 1 && !short(body) && !validates().MatchString(fn.Name):
				out = append(out, fix("ignored-parameter", f.Path, fn.Line, fn.Name+" rejects some values of "+name+" and otherwise ignores it. Use it as requested."))
			}
		}
	}
	return out
}

// signatureOf is what a function takes and gives.
func signatureOf(f source.File, fn source.Func) (signature.Sig, bool) {
	src := f.Source()
	head := aroundMarks().ReplaceAllString(string(src[fn.Off:min(fn.Body, len(src))]), "$1")
	return signature.Parse(strings.TrimSuffix(strings.TrimRight(head, "{:"), "=>"), f.Lang)
}

// prescribed are names of what a caller of a framework or a convention hands over, needed or not.
var prescribed = []string{"ctx", "context", "req", "res", "request", "response", "next", "event", "self", "cls", "this"}

// short reports whether a body is one line, or one statement that raises or returns.
func short(body []source.Token) bool {
	first := 0
	for first < len(body)-1 && (body[first].Text == "{" || body[first].Text == ":") {
		first++
	}
	return body[0].Line == body[len(body)-1].Line || slices.Contains([]string{"return", "raise", "throw", "panic"}, body[first].Text)
}

// aroundMarks is white space that says nothing.
var aroundMarks = re.New(`\s*([{}(),:=>])\s*`)

// validates are the names of functions that only refuse.
var validates = re.New(`(?i)^(validate|check|assert|ensure|require|verify|guard|must)`)

// bound are what a function takes by a plain name, also parts of it, with the names that the body has for them.
func bound(sig signature.Sig) []signature.Param {
	var out []signature.Param
	for _, p := range sig.Params {
		inside, isObject := strings.CutPrefix(p.Name, "{")
		if !isObject {
			out = append(out, p)
			continue
		}
		for part := range strings.SplitSeq(strings.TrimSuffix(inside, "}"), ",") {
			name, value, _ := strings.Cut(part, "=")
			if _, own, ok := strings.Cut(name, ":"); ok {
				name = own
			}
			out = append(out, signature.Param{Name: strings.TrimLeft(strings.TrimSpace(name), "."), Default: value})
		}
	}
	return slices.DeleteFunc(out, func(p signature.Param) bool { return !plainName().MatchString(p.Name) })
}

var plainName = re.New(`^[\w$]*[A-Za-z][\w$]*$`)

// uses reports whether a body uses a name, and whether it does so beyond conditions that only refuse and what these say.
func uses(body []source.Token, name string) (anywhere, beyond bool) {
	for i, t := range body {
		switch {
		case t.Kind == source.Ident && t.Text == name:
			thrownAway := i > 1 && body[i-1].Text == "=" && body[i-2].Text == "_" && (i == 2 || body[i-3].Line < body[i].Line)
			if thrownAway || i > 0 && slices.Contains([]string{".", "void", "del"}, body[i-1].Text) {
				continue
			}
		case t.Kind == source.String && strings.ContainsAny(t.Text, "{$") && hasWord(t.Text, name):
		default:
			continue
		}
		anywhere = true
		beyond = beyond || !refuses(body, i)
	}
	return anywhere, beyond
}

// refuses reports whether the line at i, or what follows its condition, raises an error.
func refuses(body []source.Token, i int) bool {
	from := lineBegin(body, i)
	if raises(body, from) {
		return true
	}
	for from < len(body) && body[from].Text == "}" {
		from++
	}
	if body[from].Text != "if" || handedOn(body[from:], i-from) {
		return false
	}
	for j := from; j < len(body) && body[j].Line <= body[i].Line+1; j++ {
		if raises(body, j) {
			return true
		}
	}
	return false
}

// handedOn reports whether what stands at i is an argument of a call that may do something with it.
func handedOn(line []source.Token, i int) bool {
	depth := 0
	for j := i - 1; j > 0; j-- {
		switch line[j].Text {
		case ")", "]":
			depth++
		case "[":
			depth--
		case "(":
			if depth--; depth < 0 {
				before := line[j-1]
				if before.Kind == source.Ident && !slices.Contains([]string{"if", "not", "and", "or", "len", "isinstance", "typeof", "isNaN", "isInteger", "isFinite", "isArray", "callable", "abs"}, before.Text) {
					return true
				}
				depth = 0
			}
		}
	}
	return false
}

// raises reports whether a statement at i raises an error, or returns one in Go.
func raises(body []source.Token, i int) bool {
	switch body[i].Text {
	case "raise", "throw", "panic":
		return true
	case "return":
		for _, t := range body[i+1:] {
			if t.Line != body[i].Line {
				return false
			}
			if t.Kind == source.Ident && (t.Text == "errors" || t.Text == "Errorf" || t.Text == "Err" || strings.HasPrefix(t.Text, "Err") && len(t.Text) > 3) {
				return true
			}
		}
	}
	return false
}
