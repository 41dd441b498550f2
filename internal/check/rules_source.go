package check

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// sourceRules are about the code of an implementation.
func (a Audit) sourceRules(f *file) []step.Finding {
	var out []step.Finding
	if !helperDir(f.Path) {
		out = append(out, a.detection(f)...)
		out = append(out, a.reaches(f)...)
	}
	if f.old.Constraint != f.new.Constraint && constrained(f) && !a.inSpec(f.new.Constraint) {
		out = append(out, reject("test-detection", f.Path, 1, "A build constraint ("+f.new.Constraint+") gives users different code than the tests. Remove it, unless the spec or request names it."))
	}
	for i, t := range f.code {
		if !f.added[t.Line] {
			continue
		}
		switch {
		case t.Kind == source.Ident && (t.Text == "__debug__" || t.Text == "optimize" && near(f, i, "flags")) && !a.inSpec(t.Text):
			out = append(out, reject("test-detection", f.Path, t.Line, "The code checks how Python was started. Code must behave the same with and without tests."))
		case t.Kind == source.Ident && exitsZero(f.code, i) && !entryPoint(f):
			out = append(out, reject("exit-swallowed", f.Path, t.Line, "A library must not end the process with success. Return an error instead."))
		case t.Kind == source.Ident && discards(f, i):
			out = append(out, fix("error-discarded", f.Path, t.Line, "The error of "+t.Text+" is discarded in a function that returns errors. Return it."))
		case t.Kind == source.Ident && alwaysEqual(f, i):
			out = append(out, reject("always-equal", f.Path, t.Line, "This equality is always true, so every assertion passes. Compare the values."))
		case t.Kind == source.Ident:
			out = append(out, handlers(f, i)...)
		case t.Kind == source.Number && magic(f, i):
			out = append(out, fix("magic-value", f.Path, t.Line, "Give the number "+t.Text+" a name that says what it means."))
		}
	}
	return slices.Concat(out, a.ignores(f), a.readsOutside(f), commentRules(f))
}

// mayLose are functions of Go whose error says that work was lost. Those that tidy up, and those that write where nothing can fail, are
// not among them.
var mayLose = []string{"Rename", "WriteFile", "Sync", "Truncate", "Mkdir", "MkdirAll", "Commit", "Flush", "Link", "Symlink"}

// discards reports whether at i a call of Go that may lose work has its error thrown away, in a function that gives errors itself.
func discards(f *file, i int) bool {
	if f.new.Lang != source.Go || !slices.Contains(mayLose, f.code[i].Text) || i+1 == len(f.code) || f.code[i+1].Text != "(" {
		return false
	}
	from := lineBegin(f.code, i)
	if f.code[from].Text != "_" || f.code[from+1].Text != "=" {
		return false
	}
	fn, ok := f.new.FuncAt(f.code[i].Line)
	return ok && hasWord(string(f.New[fn.Off:fn.Body]), "error")
}

// textAt gives the texts of the tokens around the one at i, "" beyond the first and the last.
func textAt(ts []source.Token, i int) func(k int) string {
	return func(k int) string {
		if i+k < 0 || i+k >= len(ts) {
			return ""
		}
		return ts[i+k].Text
	}
}

// lineBegin is the first token of the line of the one at i.
func lineBegin(ts []source.Token, i int) int {
	for i > 0 && ts[i-1].Line == ts[i].Line {
		i--
	}
	return i
}

// entryPoint reports whether a file is a program rather than a library.
func entryPoint(f *file) bool {
	if f.new.Lang == source.Go {
		return f.new.Package == "main"
	}
	if slices.Contains([]string{"cli", "main", "__main__", "bin", "server", "manage"}, stem(path.Base(f.Path))) ||
		strings.HasPrefix(string(f.New), "#!") || strings.Contains("/"+f.Path, "/bin/") || strings.Contains("/"+f.Path, "/scripts/") {
		return true
	}
	for i := 2; i < len(f.code); i++ {
		if (f.new.Lang == source.Java || f.new.Lang == source.Kotlin) && f.code[i].Text == "main" && (f.code[i-1].Text == "void" || f.code[i-1].Text == "fun") {
			return true
		}
		if f.code[i].Text == "argv" && (f.code[i-2].Text == "process" || f.code[i-2].Text == "sys") || f.code[i].Text == "__name__" {
			return true
		}
	}
	return false
}

// unraised finds errors of the spec that the change declares and nothing in it uses.
func (a Audit) unraised(files []*file) []step.Finding {
	var out []step.Finding
	for _, name := range a.Raises {
		var at *step.Finding
		used := false
		for _, f := range files {
			if f.class != toolchain.Source || f.Status == 'D' {
				continue
			}
			for i, t := range f.code {
				if t.Kind != source.Ident || t.Text != name {
					continue
				}
				switch {
				case !declaration(f.code, i):
					used = true
				case !slices.ContainsFunc(f.old.Tokens, func(o source.Token) bool { return o.Text == name }):
					found := reject("error-unraised", f.Path, t.Line, "The spec says when "+name+" is raised, but no code uses it. Raise it there.")
					at = &found
				}
			}
		}
		if at != nil && !used {
			out = append(out, *at)
		}
	}
	return out
}

// declaration reports whether a name is declared at i, or exported; one of another module is used by its export.
func declaration(ts []source.Token, i int) bool {
	if i+1 < len(ts) && ts[i+1].Text == "=" {
		return true
	}
	if i > 0 && slices.Contains([]string{"class", "type", "var", "const", "enum", "struct"}, ts[i-1].Text) {
		return true
	}
	line := setOf(each(those(ts, func(t source.Token) bool { return t.Line == ts[i].Line }), func(t source.Token) string { return t.Text }))
	return (line["export"] || line["exports"]) && !line["from"] && !line["import"] && !line["require"] && !line["throw"]
}

func (a Audit) inSpec(word string) bool {
	return hasWord(a.SpecText, word)
}

// near reports whether one of the words is in the tokens around i, within the same function.
func near(f *file, i int, words ...string) bool {
	const window = 8
	from, to := f.code[i].Line-window, f.code[i].Line+window
	if fn, ok := f.new.FuncAt(f.code[i].Line); ok {
		from, to = fn.Line, fn.End
	}
	return slices.ContainsFunc(f.code, func(t source.Token) bool {
		return t.Line >= from && t.Line <= to && t.Kind == source.Ident && slices.Contains(words, t.Text)
	})
}

// alwaysEqual recognises def __eq__(self, other): return True.
func alwaysEqual(f *file, i int) bool {
	t := f.code[i]
	if word := map[string]string{source.Rust: "eq", source.Java: "equals", source.Kotlin: "equals"}[f.new.Lang]; word != "" {
		return t.Text == word && i > 0 && (f.code[i-1].Text == "fn" || f.code[i-1].Text == "fun" || f.code[i-1].Text == "boolean") && onlyTrue(f.code[i:])
	}
	if f.new.Lang != source.Python || t.Text != "__eq__" || i == 0 || f.code[i-1].Text != "def" {
		return false
	}
	for k := i; k+1 < len(f.code) && k < i+20; k++ {
		if f.code[k].Text == "return" {
			last := k+2 >= len(f.code) || f.code[k+2].Indent >= 0
			return f.code[k+1].Text == "True" && last
		}
	}
	return false
}

// onlyTrue reports whether the body of the function whose name comes first is true and nothing else.
func onlyTrue(ts []source.Token) bool {
	depth := 0
	for k, t := range ts {
		switch t.Text {
		case "(":
			depth++
		case ")":
			depth--
		case "{", "=":
			if depth > 0 {
				continue
			}
			rest := ts[k+1:]
			if len(rest) > 0 && rest[0].Text == "return" {
				rest = rest[1:]
			}
			return len(rest) > 1 && rest[0].Text == "true" && (t.Text == "=" || rest[1].Text == "}" || rest[1].Text == ";")
		case ";", "}":
			return false
		}
	}
	return false
}

// handlers finds errors that are caught and forgotten.
func handlers(f *file, i int) []step.Finding {
	t := f.code[i]
	text := textAt(f.code, i)
	switch f.new.Lang {
	case source.Python:
		if t.Text != "except" || t.Indent < 0 {
			return nil
		}
		if text(1) == ":" {
			return []step.Finding{fix("bare-except", f.Path, t.Line, "A bare except hides every mistake. Name the exceptions that you expect.")}
		}
		if (text(1) == "Exception" || text(1) == "BaseException") && text(2) == ":" && (text(3) == "pass" || text(3) == "...") {
			return []step.Finding{fix("empty-catch", f.Path, t.Line, "Every error is caught and ignored here. Handle it, or let it through.")}
		}
		if text(1) == "Exception" || text(1) == "BaseException" {
			return silent(f, i, ":", func(x source.Token) bool { return x.Indent >= 0 && x.Indent <= t.Indent })
		}
	case source.TypeScript, source.JavaScript, source.Java, source.Kotlin:
		if t.Text != "catch" || i > 0 && f.code[i-1].Text == "." {
			return nil
		}
		k := 1
		if text(k) == "(" {
			for k < 16 && text(k) != ")" {
				k++
			}
			k++
		}
		if text(k) == "{" && text(k+1) == "}" && !commentIn(f, f.code[i+k].End, f.code[i+k+1].Off) {
			return []step.Finding{fix("empty-catch", f.Path, t.Line, "An error is caught and ignored here. Handle it, or let it through.")}
		}
		if slices.ContainsFunc(f.code[i:min(i+k, len(f.code))], func(x source.Token) bool { return slices.Contains(broad, x.Text) }) {
			return silent(f, i+k, "{", func(x source.Token) bool { return x.Text == "}" })
		}
	case source.Go:
		if t.Text == "if" && text(1) == "err" && text(2) == "!=" && text(3) == "nil" && text(4) == "{" && text(5) == "}" &&
			!commentIn(f, f.code[i+4].End, f.code[i+5].Off) {
			return []step.Finding{fix("empty-catch", f.Path, t.Line, "An error is checked and ignored here. Handle it, or return it.")}
		}
	}
	return nil
}

// broad are classes that most errors are of.
var broad = []string{"Exception", "Throwable", "RuntimeException"}

// constants are the words of values that say nothing of an error.
var constants = []string{"None", "null", "undefined", "True", "False", "true", "false"}

// silent finds a handler of every error that opens with the token at i, ends where a token says so, and gives or keeps a constant instead: nobody
// hears of the error.
func silent(f *file, i int, opens string, ends func(source.Token) bool) []step.Finding {
	if i >= len(f.code) { // the file ends before
		return nil
	}
	from := i + slices.IndexFunc(f.code[i:], func(t source.Token) bool { return t.Text == opens }) + 1
	to := from + slices.IndexFunc(f.code[from:], ends)
	if from <= i || to < from {
		to = len(f.code)
	}
	body := f.code[from:to]
	switch {
	case len(body) > 1 && body[0].Text == "return":
		body = body[1:]
	case len(body) > 2 && body[0].Kind == source.Ident && body[1].Text == "=":
		body = body[2:]
	default:
		return nil
	}
	if slices.ContainsFunc(body, func(t source.Token) bool {
		return t.Kind == source.Ident && !slices.Contains(constants, t.Text) || t.Text == "(" || t.Text == "="
	}) {
		return nil
	}
	return []step.Finding{warn("empty-catch", f.Path, f.code[i].Line, "Every error becomes a value here, and nobody hears of it. Catch what you expect.")}
}

func commentIn(f *file, from, to int) bool {
	return slices.ContainsFunc(f.new.Tokens, func(t source.Token) bool { return t.Kind == source.Comment && t.Off >= from && t.End <= to })
}

// plainNumbers mean the same to everybody.
var plainNumbers = []int64{
	10, 12, 15, 16, 20, 24, 25, 26, 28, 29, 30, 31, 32, 36, 48, 50, 52, 57, 60, 62, 64, 65, 90, 97, 100, 122, 127, 128, 180, 255, 256, 270,
	360, 365, 366, 400, 500, 512, 1000, 1024, 3600, 86400, 1000000,
}

// magic reports whether the number at i is compared or computed with inside a function without a name for it, and is new in its file.
func magic(f *file, i int) bool {
	t := f.code[i]
	v, err := strconv.ParseInt(strings.ReplaceAll(t.Text, "_", ""), 10, 64)
	if err != nil || v < 10 || slices.Contains(plainNumbers, v) || len(t.Text) > 1 && t.Text[0] == '0' {
		return false
	}
	fn, in := f.new.FuncAt(t.Line)
	if !in || t.Off < fn.Body {
		return false
	}
	if slices.ContainsFunc(f.old.Tokens, func(x source.Token) bool { return x.Kind == source.Number && x.Text == t.Text }) {
		return false
	}
	text := textAt(f.code, i)
	operator := func(k int) bool {
		return slices.Contains([]string{"<", ">", "<=", ">=", "==", "!=", "===", "!==", "*", "/", "+", "-", "%", "//", "**"}, text(k))
	}
	if !operator(-1) && !operator(1) {
		return false
	}
	return !slices.ContainsFunc(f.code, func(x source.Token) bool { // const LIMIT = 42 inside a function, LIMIT = 42
		return x.Line == t.Line && x.Off < t.Off && (x.Text == "const" || x.Kind == source.Ident && len(x.Text) > 2 && strings.ToUpper(x.Text) == x.Text)
	})
}

var (
	// A note begins a comment or has a colon or a name behind it; a word that ends a sentence or stands in quotes is spoken of.
	todo = re.New(`^(//|#|/\*+|\*|<!--|--|;)?[\s*!]*(TODO|FIXME|HACK|XXX)(\s*$|\s*[:(]|\s+\S)|(^|[^"'` + "`" + `\w])(TODO|FIXME|HACK|XXX)[:(]`)
	// blanket suppressions name no rule and give no reason.
	blanket = re.New(`eslint-disable(-next-line|-line)?\s*(\*/)?$|@ts-ignore\s*$|@ts-nocheck|#\s*type:\s*ignore\s*$|#\s*noqa\s*$|^//nolint\s*$|pragma:\s*no cover|istanbul ignore|(v8|c8) ignore|pylint:\s*skip-file|mypy:\s*ignore-errors`)
)

// commentRules are about comments on added lines.
func commentRules(f *file) []step.Finding {
	var out []step.Finding
	for _, t := range f.new.Tokens {
		if t.Kind != source.Comment {
			continue
		}
		for n, text := range strings.Split(t.Text, "\n") {
			if !f.added[t.Line+n] {
				continue
			}
			text = strings.TrimSpace(text)
			if todo().MatchString(text) {
				out = append(out, fix("todo-added", f.Path, t.Line+n, "Finish this instead of leaving a note: "+text))
			}
			if blanket().MatchString(text) {
				out = append(out, fix("lint-suppressed", f.Path, t.Line+n, "Fix what the tool reports instead of silencing it, or name the rule and the reason."))
			}
		}
	}
	return out
}
