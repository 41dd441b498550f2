package check

import (
	"slices"
	"strings"
	"unicode"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// allows are the words of a request that wants something to be taken that was refused before.
var allows = re.New(`(?i)\b(allow|accept|permit|toler|support|ignor|skip|relax|loosen|lenient|optional|no longer|without|any|empty|zero|negative|default|fall ?back|instead)|허용|받아|무시|생략|선택|비어|빈 |음수|기본`)

// refusal is a statement that ends a function with an error.
type refusal struct {
	line int
	says string // its first text, or what it raises
}

// refusals are those of each function of a file, and how many statements there end it with any error.
func refusals(f source.File) (out map[string][]refusal, ends map[string]int) {
	ts := source.Code(f.Tokens)
	out, ends = map[string][]refusal{}, map[string]int{}
	for i, t := range ts {
		if t.Kind == source.String || !slices.Contains([]string{"throw", "raise", "panic", "return", "bail"}, t.Text) {
			continue
		}
		end := i + 1
		for end < len(ts) && end-i < 30 && (ts[end].Line == t.Line || ts[end-1].Text == "(" || ts[end-1].Text == ",") && ts[end].Text != ";" && ts[end].Text != "}" {
			end++
		}
		said := ts[i+1 : end]
		if t.Text == "return" && !failing(f.Lang, said) || len(said) == 0 {
			continue
		}
		r := refusal{line: t.Line, says: strings.Join(each(said, func(t source.Token) string { return t.Text }), "")}
		if k := slices.IndexFunc(said, func(t source.Token) bool { return t.Kind == source.String && len(t.Value()) > 3 }); k >= 0 {
			r.says = `"` + said[k].Value() + `"`
		}
		fn, ok := f.FuncAt(t.Line)
		if !ok {
			continue
		}
		if ends[fn.Name]++; namesError(r.says) {
			out[fn.Name] = append(out[fn.Name], r)
		}
	}
	return out, ends
}

// failing reports whether what a statement returns is an error that it makes or names.
func failing(lang string, said []source.Token) bool {
	return slices.ContainsFunc(said, func(t source.Token) bool {
		switch lang {
		case source.Go:
			return t.Text == "Errorf" || strings.HasPrefix(t.Text, "Err") && len(t.Text) > len("Err") || t.Text == "errors" || t.Text == "err"
		case source.Rust:
			return t.Text == "Err"
		}
		return false
	})
}

// namesError reports whether a refusal has a text, or makes an error by its name: what it passes on it may have from elsewhere.
func namesError(says string) bool {
	return strings.HasPrefix(says, `"`) || strings.ContainsFunc(says, unicode.IsUpper)
}

// lessRefused is a function that refuses less than before, and what it said of that.
type lessRefused struct {
	path, name, says string
	line             int
}

// unrefused finds such functions, of which nobody has asked that: words are those of who asked, and what they said is nowhere in the change.
func unrefused(words string, changes []Change) (out []lessRefused) {
	if takesAway().MatchString(words) || allows().MatchString(words) {
		return nil
	}
	code := those(changes, func(ch Change) bool { return toolchain.IsSource(ch.Path) && !toolchain.IsTest(ch.Path) })
	all := ""
	for _, ch := range code { // as it is, and without the blanks between its words
		all += string(ch.New) + "\n" + strings.Join(each(source.Code(source.Tokens(ch.Path, ch.New)), func(t source.Token) string { return t.Text }), "") + "\n"
	}
	for _, ch := range code {
		if ch.Old == nil || ch.New == nil {
			continue
		}
		was, ended := refusals(source.Parse(ch.Path, ch.Old))
		is := source.Parse(ch.Path, ch.New)
		_, ends := refusals(is)
		for _, fn := range is.Funcs {
			gone := those(was[fn.Name], func(r refusal) bool {
				said := strings.Trim(r.says, `"`)
				return !strings.Contains(all, said) && !speaksOf(words, r.says)
			})
			if ended[fn.Name] > ends[fn.Name] && len(gone) > 0 {
				out = append(out, lessRefused{ch.Path, fn.Name, clipped(gone[0].says, 80), fn.Line})
				delete(was, fn.Name) // several of one name
			}
		}
	}
	return out
}

// speaksOf reports whether a text has half of the words of a refusal.
func speaksOf(text, says string) bool {
	text = strings.ToLower(text)
	said, all := 0, 0
	for _, w := range strings.FieldsFunc(strings.ToLower(says), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if len(w) < 4 {
			continue
		}
		if all++; strings.Contains(text, w) {
			said++
		}
	}
	return all > 0 && 2*said >= all
}
