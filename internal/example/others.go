package example

import (
	"slices"
	"strconv"
	"strings"
)

// Others are calls like those of a list, with inputs that are in none of them: a number is a little larger, the digits of a text are the
// next ones, or its letters where it has none, an element of a list is missing; then all is much larger, and an object is told the same
// several times. There are at most n. What they give nobody has said.
func Others(list []Example, n int) []Example {
	known := map[string]bool{}
	for _, e := range list {
		known[e.Calls()] = true
	}
	var out []Example
	for step := 1; step <= 5; step++ {
		for _, e := range list {
			if slices.ContainsFunc(e.Inputs(), abroad) {
				continue
			}
			o := Example{Item: e.Item, Call: make([]Link, len(e.Call))}
			changed := false
			for i, l := range e.Call {
				l.Args = shifted(l.Args, step, &changed)
				l.Fields = shiftedFields(l.Fields, step, &changed)
				o.Call[i] = l
			}
			if step > 3 && len(o.Call) > 2 && len(o.Call[1].Args) > 0 {
				o.Call, changed = slices.Insert(o.Call, 1, slices.Repeat(o.Call[1:2], step-1)...), true
			}
			if text := o.Calls(); changed && !known[text] && len(out) < n {
				known[text] = true
				o.Text = text
				out = append(out, o)
			}
		}
	}
	return out
}

// Calls is the call as it was understood, without what it is to give.
func (e Example) Calls() string {
	text, _, _ := strings.Cut(Example{Call: e.Call, Want: Want{Value: Value{Kind: Name, Text: "\x00"}}}.String(), " = \x00")
	return text
}

func shifted(vs []Value, by int, changed *bool) []Value {
	out := make([]Value, len(vs))
	for i, v := range vs {
		out[i] = v.shifted(by, changed)
	}
	return out
}

func shiftedFields(fs []Field, by int, changed *bool) []Field {
	if fs == nil {
		return nil
	}
	out := make([]Field, len(fs))
	for i, f := range fs {
		out[i] = Field{f.Name, f.Value.shifted(by, changed), f.Number}
	}
	return out
}

// shifted is another value of the same kind.
func (v Value) shifted(by int, changed *bool) Value {
	switch v.Kind {
	case Number:
		if n, err := strconv.ParseInt(v.Text, 10, 64); err == nil {
			if by > 3 && n < 1_000_000 && n > -1_000_000 {
				n *= 13
			}
			v.Text, *changed = strconv.FormatInt(n+int64(by*by), 10), true
		} else if f, err := strconv.ParseFloat(v.Text, 64); err == nil {
			v.Text, *changed = strconv.FormatFloat(f+float64(by)/4, 'f', -1, 64), true
		}
	case String:
		digits := strings.ContainsAny(v.Text, "123456789")
		text := strings.Map(func(r rune) rune {
			switch {
			case r >= '1' && r <= '9':
				return '1' + (r-'1'+rune(by))%9
			case digits:
			case r >= 'a' && r <= 'z':
				return 'a' + (r-'a'+rune(by))%26
			case r >= 'A' && r <= 'Z':
				return 'A' + (r-'A'+rune(by))%26
			}
			return r
		}, v.Text)
		if by > 3 && text != "" {
			text = strings.Repeat(text+" ", by)[:len(text)*by+by-1]
			if digits {
				text = strings.ReplaceAll(text, " ", "")
			}
		}
		*changed = *changed || text != v.Text
		v.Text = text
	case List:
		switch {
		case len(v.List) == 0:
		case by > 3:
			v.List, *changed = slices.Repeat(v.List, by-1), true
		case by > 1 && len(v.List) > 1:
			v.List, *changed = v.List[:len(v.List)-1], true
		}
		v.List = shifted(v.List, by, changed)
	case Object:
		v.Fields = shiftedFields(v.Fields, by, changed)
	case Made:
		v.List = shifted(v.List, by, changed)
	case Null, Bool, Name:
	}
	return v
}

// HasText reports whether a text is among what the call gives to the code.
func (e Example) HasText() bool {
	has := false
	e.inputs(func(v Value) { has = has || v.Kind == String })
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
	var walk func(Value)
	walk = func(v Value) {
		visit(v)
		for _, x := range v.List {
			walk(x)
		}
		for _, f := range v.Fields {
			walk(f.Value)
		}
	}
	for _, l := range e.Call {
		walk(Value{Kind: List, List: l.Args, Fields: l.Fields})
	}
}

// abroad reports whether an input leads out of the program: to another machine, or to a file somewhere. What is near it is a stranger's.
func abroad(input string) bool {
	return strings.Contains(input, "://") || strings.HasPrefix(input, "/") || strings.HasPrefix(input, "~")
}
