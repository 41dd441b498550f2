package example

import (
	"slices"
	"strconv"
	"strings"
)

// Others are calls like those of a list, with inputs that are in none of them: a number is a little larger, the digits of a text are the
// next ones, or its letters where it has none, an element of a list is missing; then all is much larger, and an object is told the same
// several times; then numbers alone change. What they give nobody has said.
func Others(list []Example) []Example {
	known := map[string]bool{}
	for _, e := range list {
		known[e.Calls()] = true
	}
	var out []Example
	for _, by := range []int{1, much, much + 1, 2, 3} { // what is far away comes before what is nearly the same
		for _, e := range list {
			if slices.ContainsFunc(e.Inputs(), abroad) {
				continue
			}
			s := shift{by: by, numbersOnly: by > much && e.Has(Number)}
			o := Example{Item: e.Item, Before: e.Before, Call: e.Call}.Rewritten(s.value, sameIndex)
			switch told := o.Before; {
			case by < much:
			case len(told) > 1 && told[1].Name == "" && len(told[1].Call[len(told[1].Call)-1].Args) > 0:
				o.Before, s.changed = slices.Insert(told, 1, slices.Repeat(told[1:2], by-1)...), true
			case len(told) == 0 && len(o.Call) > 2 && len(o.Call[1].Args) > 0:
				o.Call, s.changed = slices.Insert(o.Call, 1, slices.Repeat(o.Call[1:2], by-1)...), true
			}
			if text := o.Calls(); s.changed && !known[text] && len(out) < mostOthers {
				known[text] = true
				o.Text = text
				out = append(out, o)
			}
		}
	}
	return out
}

// Crossed are the calls of a list, each with one argument of another call of the same function. What they give nobody has said.
func Crossed(list []Example) []Example {
	known := map[string]bool{}
	for _, e := range list {
		known[e.Calls()] = true
	}
	alone := slices.DeleteFunc(slices.Clone(list), func(e Example) bool {
		return len(e.Chains()) != 1 || e.Call[0].Var || slices.ContainsFunc(e.Inputs(), abroad)
	})
	var out []Example
	for _, e := range alone {
		for _, o := range alone {
			last := len(e.Call) - 1
			if len(out) == mostOthers || e.Symbol() != o.Symbol() || len(e.Call) != len(o.Call) {
				continue
			}
			args := o.Call[last].Args
			if len(args) < 2 || len(args) != len(e.Call[last].Args) {
				continue
			}
			for i := range args {
				c := Example{Item: e.Item, Call: e.Clone().Call}
				c.Call[last].Args[i] = o.Clone().Call[last].Args[i]
				if c.Text = c.Calls(); !known[c.Text] && len(out) < mostOthers {
					known[c.Text] = true
					out = append(out, c)
				}
			}
		}
	}
	return out
}

const (
	much       = 4  // the step from which inputs are much larger
	mostOthers = 24 // calls
)

// shift makes other values of the same kinds.
type shift struct {
	by          int
	numbersOnly bool // what else there is may be a name that nothing but itself stands for
	changed     bool
}

// sameIndex leaves what is read of a result at its place.
func sameIndex(was, now []Link) {
	for i := range now {
		now[i].Index = was[i].Index
	}
}

func (s *shift) value(v Value) Value {
	switch v.Kind {
	case Number:
		if n, err := strconv.ParseInt(v.Text, 10, 64); err == nil {
			if s.by >= much && n < 1_000_000 && n > -1_000_000 {
				n *= 13
			}
			v.Text, s.changed = strconv.FormatInt(n+int64(s.by*s.by), 10), true
		} else if f, err := strconv.ParseFloat(v.Text, 64); err == nil {
			v.Text, s.changed = strconv.FormatFloat(f+float64(s.by)/4, 'f', -1, 64), true
		}
	case String:
		if s.numbersOnly {
			return v
		}
		text := s.text(v.Text)
		s.changed = s.changed || text != v.Text
		v.Text = text
	case List:
		switch {
		case len(v.List) == 0:
		case s.by >= much:
			v.List, s.changed = slices.Repeat(v.List, s.by-1), true
		case s.by > 1 && len(v.List) > 1:
			v.List, s.changed = v.List[:len(v.List)-1], true
		}
	case Null, Bool, Object, Name, Made, Code:
	}
	return v
}

func (s *shift) text(old string) string {
	by := s.by
	digits := strings.ContainsAny(old, "123456789")
	text := turned(old, rune(by), !digits)
	if by >= much && text != "" {
		text = strings.Repeat(text+" ", by)[:len(text)*by+by-1]
		if digits {
			text = strings.ReplaceAll(text, " ", "")
		}
	}
	return text
}

// turned is a text in which each digit, and with letters each letter of the alphabet, is one of the next.
func turned(text string, by rune, letters bool) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= '1' && r <= '9': // no number begins with 0 that did not
			return '1' + (r-'1'+by)%9
		case letters && r >= 'a' && r <= 'z':
			return 'a' + (r-'a'+by)%26
		case letters && r >= 'A' && r <= 'Z':
			return 'A' + (r-'A'+by)%26
		}
		return r
	}, text)
}

// Has reports whether a value of a kind is among what the call gives to the code.
func (e Example) Has(kind Kind) bool {
	has := false
	e.inputs(func(v Value) { has = has || v.Kind == kind })
	return has
}

// Inputs are the texts and numbers that the call gives to the code.
func (e Example) Inputs() []string {
	var out []string
	e.inputs(func(v Value) {
		if v.Kind == String || v.Kind == Number {
			out = append(out, v.Text)
		}
	})
	return out
}

func (e Example) inputs(visit func(Value)) {
	for _, links := range e.Chains() {
		visitAll(links, visit)
	}
}

// visitAll visits the arguments of a chain, and all that is in them.
func visitAll(links []Link, visit func(Value)) {
	rewriter{func(v Value) Value { visit(v); return v }, nil}.links(links)
}

// abroad reports whether an input leads out of the program: to another machine, or to a file somewhere. What is near it is a stranger's.
func abroad(input string) bool {
	return strings.Contains(input, "://") || strings.HasPrefix(input, "/") || strings.HasPrefix(input, "~")
}
