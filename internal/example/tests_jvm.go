package example

import (
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
)

// jvmTest reads a test of Java or Kotlin, written with JUnit, kotlin.test or AssertJ. One that is given values is read where it uses none.
func (r *reader) jvmTest(ts []source.Token) {
	open := index(ts, "{")
	if open < 0 {
		return
	}
	last := closing(ts, open)
	if last < 0 {
		return
	}
	body := slices.Clone(ts[open+1 : last])
	for i, t := range body {
		if t.Kind == source.Number && !strings.HasPrefix(strings.ToLower(t.Text), "0x") { // whose digits these letters are
			body[i].Text = jvmSuffix().ReplaceAllString(t.Text, "")
		}
	}
	r.block(body)
}

// jvmSuffix is what Java writes behind a number to say of which type it is.
var jvmSuffix = re.New(`(?i)[lfd]$`)

func (r *reader) jvmStatement(ts []source.Token) bool {
	if equals := index(ts, "="); equals == 2 && ts[0].Kind == source.Ident && ts[1].Kind == source.Ident {
		return r.bind(ts[1].Text, ts[3:]) // int n = 4, val n = 4
	}
	if len(ts) > 2 && (ts[0].Text == "Assertions" || ts[0].Text == "Assert") && ts[1].Text == "." {
		ts = ts[2:]
	}
	if len(ts) < 4 {
		return false
	}
	name, class := ts[0].Text, []source.Token(nil)
	if len(ts) > 5 && ts[1].Text == "<" && ts[3].Text == ">" { // assertFailsWith<ArithmeticException> { half(-1) }
		class, ts = ts[2:3], ts[3:]
	}
	end := -1
	if ts[1].Text == "(" || ts[1].Text == "{" {
		end = closing(ts, 1)
	}
	if end < 0 {
		return false
	}
	args := split(ts[2:end])
	if name == "assertThat" && end+4 < len(ts) && ts[end+1].Text == "." && ts[end+3].Text == "(" && closing(ts, end+3) == len(ts)-1 {
		return ts[end+2].Text == "isEqualTo" && r.says(ts[2:end], ts[end+4:len(ts)-1])
	}
	if end != len(ts)-1 || len(args[0]) == 0 {
		return false
	}
	wanted := map[string]string{"assertTrue": "true", "assertFalse": "false", "assertNull": "null"}[name]
	switch {
	case wanted != "":
		return r.says(args[0], word(wanted))
	case name == "assertEquals" && len(args) > 1 && len(args[1]) > 0:
		// A third argument is a message, which JUnit 4 has first, or how far the values may be apart.
		told := len(args) == 3 && len(args[2]) == 1 && args[2][0].Kind == source.String && args[0][0].Kind != source.String
		return (len(args) == 2 || told) && r.says(args[0], args[1])
	case class != nil && (name == "assertThrows" || name == "assertFailsWith"):
		return r.jvmThrows(class, ts[2:end])
	case name == "assertThrows" && len(args) > 1:
		return r.jvmThrows(args[0], args[1])
	}
	return false
}

// jvmThrows reads X.class, () -> f(1) of Java, and X, f(1) of Kotlin.
func (r *reader) jvmThrows(class, body []source.Token) bool {
	if text := r.text(body); strings.HasPrefix(text, "()") {
		arrow := slices.IndexFunc(body, func(t source.Token) bool { return strings.HasSuffix(t.Text, ">") })
		body = body[arrow+1:]
	}
	return r.onlyCall(body, errorOf(class[0].Text))
}
