package inspect

import (
	"cmp"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/signature"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// contracts compares what contracts say in code with the guards of the code: a condition, an error and when it comes.
// Sentences are no facts. What differs is a note, because a guard may stand where no reader looks for it.
func (m *module) contracts() {
	code := map[string]source.Contract{}
	var bodies map[string]string
	for _, f := range m.names {
		for _, c := range m.files[f].Contracts {
			have := code[c.Function]
			have.Function, have.Line = c.Function, max(have.Line, c.Line)
			have.Preconditions, have.Throws = append(have.Preconditions, c.Preconditions...), append(have.Throws, c.Throws...)
			have.Guards, have.Fails = append(have.Guards, c.Guards...), append(have.Fails, c.Fails...)
			code[c.Function] = have
		}
	}
	body := func(name string) string {
		if bodies == nil {
			bodies = map[string]string{}
			for _, f := range m.names {
				src := m.read(f)
				for _, fn := range m.files[f].Funcs {
					if fn.Off >= 0 && fn.Stop <= len(src) {
						bodies[fn.Name] += string(src[fn.Off:fn.Stop]) + "\n"
					}
				}
			}
		}
		return bodies[name]
	}
	for _, c := range m.doc.Contracts {
		name := strings.ReplaceAll(strings.TrimSuffix(c.Function, "()"), "::", ".")
		text := body(name)
		if x := m.offered.named(name); code[name].Function == "" && len(x) > 0 { // an extension, a default export, a name given anew
			name = memberName(x[0].Export)
			if code[name].Function == "" && x[0].byDefault {
				name = "default"
			}
			text = cmp.Or(text, body(name), body(lastPart(name)))
		}
		is := code[name]
		if text == "" && is.Function == "" {
			continue
		}
		c = m.inNamesOfCode(c, name)
		m.asks(c, is, text)
		m.fails(c, is, text)
	}
}

// inNamesOfCode is a contract with the parameters called as the code calls them now: where names do not count, another one
// changes nothing.
func (m *module) inNamesOfCode(c spec.Contract, name string) spec.Contract {
	said := slices.IndexFunc(m.doc.Exports, func(e spec.Export) bool { return e.Name == c.Function && e.Kind == spec.Function })
	list := m.fitting(name, true)
	if said < 0 || len(list) != 1 {
		return c
	}
	lang, _ := signature.Lang(source.LangOf(list[0].file))
	a, ok1 := signature.Parse(m.doc.Exports[said].Signature, lang)
	b, ok2 := signature.Parse(decorated(list[0].Text), lang)
	if !ok1 || !ok2 || len(a.Params) != len(b.Params) {
		return c
	}
	names := map[string]string{}
	for i, p := range a.Params {
		if q := b.Params[i]; p.Name != "" && q.Name != "" && p.Name != q.Name {
			names[p.Name] = q.Name
		}
	}
	if len(names) == 0 {
		return c
	}
	anew := func(list []spec.Clause) []spec.Clause {
		out := slices.Clone(list)
		for i := range out {
			out[i].Text = wordsOf().ReplaceAllStringFunc(out[i].Text, func(w string) string { return cmp.Or(names[w], w) })
		}
		return out
	}
	c.Preconditions, c.Throws = anew(c.Preconditions), anew(c.Throws)
	return c
}

func (m *module) differsFrom(c spec.Contract, line int, about, what string) {
	m.note(c.Function, differs(about, what))
	m.remark(Drift{
		Type: "CONTRACT", Section: "Contract", File: m.doc.Path, Line: line, Symbol: c.Function, Message: "The contract of " + c.Function + " and its code differ: " + what,
	})
}

// asks compares conditions.
func (m *module) asks(c spec.Contract, is source.Contract, body string) {
	all := len(c.Preconditions) > 0
	said := map[string]bool{}
	for _, p := range m.listed(c.Preconditions, body) {
		text := m.condition(p.Text)
		said[text] = true
		switch {
		case slices.ContainsFunc(is.Preconditions, func(have string) bool { return m.condition(have) == text }):
			m.note(c.Function, agrees("precondition "+p.Text))
		case isCondition(p.Text, body):
			m.differsFrom(c, p.Line, "precondition "+p.Text, "no guard asks for "+p.Text)
		default:
			all = false
		}
	}
	for _, have := range is.Guards {
		if text := m.condition(have); all && !said[text] {
			said[text] = true
			m.differsFrom(c, c.Line, "preconditions", "the code also asks for "+have)
		}
	}
}

// listed cuts clauses that list conditions with commas between them.
func (m *module) listed(clauses []spec.Clause, body string) []spec.Clause {
	var out []spec.Clause
	for _, c := range clauses {
		depth := 0
		parts := strings.FieldsFunc(c.Text, func(r rune) bool {
			depth += strings.Count("([{", string(r)) - strings.Count(")]}", string(r))
			return r == ',' && depth == 0
		})
		if strings.ContainsAny(c.Text, "\"'") || slices.ContainsFunc(parts, func(p string) bool { return !isCondition(p, body) }) {
			out = append(out, c)
			continue
		}
		for _, p := range parts {
			out = append(out, spec.Clause{Text: strings.TrimSpace(p), Line: c.Line})
		}
	}
	return out
}

// condition is a condition in one way of writing, with the values of constants in place of their names.
func (m *module) condition(text string) string {
	text = wordsOf().ReplaceAllStringFunc(text, func(w string) string { return cmp.Or(m.constant(w), w) })
	return strings.NewReplacer("`", "", " ", "", "'", "\"").Replace(strings.TrimSuffix(strings.TrimSpace(text), "."))
}

// fails compares errors: their class, and when they come where that is said in code.
func (m *module) fails(c spec.Contract, is source.Contract, body string) {
	for _, t := range c.Throws {
		class := errorName().FindString(strings.Trim(t.Text, "`"))
		about := "error " + cmp.Or(class, t.Text)
		_, when, timed := strings.Cut(t.Text, " when ")
		known := slices.ContainsFunc(is.Throws, func(have string) bool { return errorName().FindString(have) == class })
		switch {
		case slices.ContainsFunc(is.Throws, func(have string) bool { return m.condition(have) == m.condition(t.Text) }):
			m.note(c.Function, agrees(about))
		case class == "" || lastPart(class) == strings.ToLower(lastPart(class)) && class != "panic" && class != "error": // a sentence
		case timed && slices.ContainsFunc(is.Fails, func(have string) bool {
			_, at, ok := strings.Cut(have, " when ")
			return ok && m.condition(at) == m.condition(when)
		}):
			m.differsFrom(c, t.Line, about, "it fails with another error than "+class+" when "+when)
		case known && timed && isCondition(when, body):
			m.differsFrom(c, t.Line, about, "no guard fails with "+class+" when "+when)
		case known, slices.Contains(wordsOf().FindAllString(body, -1), lastPart(class)):
			m.note(c.Function, agrees(about))
		case timed && isCondition(when, body), !m.mentions(class) && looksLikeError(class):
			m.differsFrom(c, t.Line, about, "the code does not fail with "+class)
		case m.mentions(class) && looksLikeError(class):
			m.note(c.Function, open(about, "it may come from what the function calls"))
		}
	}
}

var errorName = re.New(`^[\pL_][\pL\w.:]*`)

func looksLikeError(class string) bool {
	name := lastPart(class)
	return strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception") || strings.HasPrefix(name, "Err")
}

var operator = re.New("[=<>!]=|[<>!%]|\\bnot in\\b|\\bin\\b|\\bis (?:not )?None\\b|^not |\\w\\(")

// isCondition reports whether a clause is a condition in the words of a function's code, and no sentence.
func isCondition(text, body string) bool {
	text = strings.Trim(strings.TrimSpace(text), "`.")
	if text == "" || !operator().MatchString(text) {
		return false
	}
	words := map[string]bool{"not": true, "in": true, "is": true, "and": true, "or": true, "None": true, "null": true, "nil": true, "true": true, "false": true, "True": true, "False": true, "len": true, "this": true, "self": true, "undefined": true, "typeof": true, "instanceof": true, "isinstance": true}
	for _, w := range wordsOf().FindAllString(body, -1) {
		words[w] = true
	}
	unknown := 0
	all := wordsOf().FindAllString(withoutTexts(text), -1)
	for _, w := range all {
		if !words[w] {
			unknown++
		}
	}
	// A constant of a guard that has gone may be unknown, a sentence has more words that are.
	return len(all) > 0 && !threeWords().MatchString(logic().ReplaceAllString(withoutTexts(text), " && ")) && unknown < len(all) && unknown <= 1
}

var (
	// threeWords stand side by side in sentences.
	threeWords = re.New(`[\pL_]\w* +[\pL_]\w* +[\pL_]\w*`)
	logic      = re.New(` (?:not in|is not|in|is|and not|or not|and|or|instanceof|not) `)
)

// withoutTexts is a text without what stands in quotes.
func withoutTexts(text string) string { return inQuotes().ReplaceAllString(text, "") }

var inQuotes = re.New("\"[^\"]*\"|'[^']*'")
