package example

import (
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
)

// rustTest reads the body of a test of Rust.
func (r *reader) rustTest(ts []source.Token) {
	rows := string(r.src[r.test.Rows[0]:r.test.Rows[1]])
	if strings.Contains(rows, "should_panic") || len(ts) < 2 {
		return
	}
	r.block(plainRust(ts[1 : len(ts)-1]))
}

// rustSuffix is the type of a number, behind it.
var rustSuffix = re.New(`_?(?:[iu](?:8|16|32|64|128|size)|f(?:32|64))$`)

// plainRust leaves out what only says of which type a value is: borrows, vec!, the type of a number, what makes a String of a text.
func plainRust(ts []source.Token) (out []source.Token) {
	text := textsOf(ts)
	begins := func(i int) bool { // a value, behind what stands at i
		return slices.Contains([]string{"", "(", ",", "[", "=", "==", "{", ":", "in", "&", ";", "return"}, text(i))
	}
	for i := 0; i < len(ts); i++ {
		t := ts[i]
		switch {
		case t.Text == "&" && begins(i-1):
			if text(i+1) == "mut" {
				i++
			}
		case t.Text == "vec" && text(i+1) == "!" && text(i+2) == "[":
			i++
		case t.Text == "." && i > 0 && ts[i-1].Kind == source.String && slices.Contains([]string{"to_string", "to_owned", "into"}, text(i+1)) && text(i+2) == "(" && text(i+3) == ")":
			i += 3
		case t.Kind == source.Number:
			t.Text = strings.ReplaceAll(rustSuffix().ReplaceAllString(t.Text, ""), "_", "")
			out = append(out, t)
		default:
			out = append(out, t)
		}
	}
	return out
}

func (r *reader) rustStatement(ts []source.Token) bool {
	text := textsOf(ts)
	if text(0) == "let" {
		at := 1
		if text(at) == "mut" {
			at++
		}
		equals := index(ts, "=")
		named := at < len(ts) && ts[at].Kind == source.Ident && (text(at+1) == "=" || text(at+1) == ":")
		return named && equals > 0 && r.bind(text(at), ts[equals+1:])
	}
	if text(1) != "!" || text(2) != "(" || closing(ts, 2) != len(ts)-1 {
		return false
	}
	args := split(ts[3 : len(ts)-1])
	if len(args[0]) == 0 {
		return false
	}
	switch equals := index(args[0], "=="); {
	case text(0) == "assert_eq":
		return len(args) > 1 && len(args[1]) > 0 && r.says(args[0], args[1])
	case text(0) != "assert":
		return false
	case equals > 0:
		return equals+1 < len(args[0]) && r.says(args[0][:equals], args[0][equals+1:])
	case args[0][0].Text == "!":
		return len(args[0]) > 1 && r.says(args[0][1:], word("false"))
	}
	return r.says(args[0], word("true"))
}

// rustFor reads for (a, b) in [(1, 2)] { … }, and gives what follows.
func (r *reader) rustFor(ts []source.Token) ([]source.Token, bool) {
	in := index(ts, "in")
	open := index(ts, "{")
	if in < 2 || open < in {
		return nil, false
	}
	last := closing(ts, open)
	if last < 0 {
		return nil, false
	}
	list := ts[in+1 : open]
	for _, f := range []string{"iter", "into_iter"} {
		if n := len(list); n > 4 && list[n-4].Text == "." && list[n-3].Text == f {
			list = list[:n-4]
		}
	}
	return ts[last+1:], r.loop(ts[1:in], list, func() { r.block(ts[open+1 : last]) })
}
