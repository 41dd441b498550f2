package inspect

import (
	"cmp"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/signature"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// constants compares the constants that Domain Context and Constraints name with those of the code.
func (m *module) constants() {
	for i, k := range m.fixed {
		again := func(o spec.Constant) bool { return o.Name == k.Name }
		if k.Name == "" || k.Value == "" || slices.ContainsFunc(m.fixed[:i], again) || slices.ContainsFunc(m.fixed[i+1:], again) {
			continue // of two values nobody knows which one is meant where
		}
		values := m.valuesOf(k.Name)
		if len(values) == 0 {
			continue
		}
		why := m.note(k.Name, valueFact(k, values))
		if why == "" {
			continue
		}
		section := "Domain Context"
		if slices.ContainsFunc(m.doc.Constraints, func(c spec.Clause) bool { return c.Line == k.Line }) {
			section = "Constraints"
		}
		m.issue(Drift{Type: "MISMATCH", Section: section, File: m.doc.Path, Line: k.Line, Symbol: k.Name, Message: why})
	}
}

// valuesOf are the values that the module's code gives to a constant, "" where it computes one. A name of another case is
// the same one, where the code has none in this: languages differ.
func (m *module) valuesOf(name string) []string {
	var exact, folded []string
	add := func(is, value string) {
		switch {
		case is == name || lastPart(is) == name:
			exact = append(exact, value)
		case bareWord(lastPart(is)) == bareWord(lastPart(name)):
			folded = append(folded, value)
		}
	}
	for _, f := range m.names {
		file := m.files[f]
		known := map[string]bool{}
		for _, e := range slices.Concat(file.Exports, file.Fields) {
			if e.Kind == "constant" {
				known[e.Name] = true
				add(memberName(e), cmp.Or(e.Value, file.Constants[e.Name]))
			}
		}
		for is, value := range file.Constants {
			if !known[is] {
				add(is, value)
			}
		}
	}
	if len(exact) > 0 {
		folded = exact
	}
	slices.Sort(folded)
	return slices.Compact(folded)
}

func bareWord(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}

// valueFact compares the value that a spec states with those that the code has under the name.
func valueFact(k spec.Constant, values []string) []signature.Fact {
	differ := true
	for _, v := range values {
		switch sameAmount(k, v) {
		case signature.Same:
			return agrees("its value")
		case signature.Unknown:
			differ = false
		case signature.Different:
		}
	}
	said := strings.TrimSpace(k.Value + " " + k.Unit)
	switch {
	case differ:
		return differs("its value", "The spec sets "+k.Name+" to "+said+", the code to "+values[0])
	case values[0] == "":
		return open("its value", "the code computes it")
	}
	return open("its value", "whether "+values[0]+" is the "+said+" of the spec is not known")
}

// sameAmount compares the value that a spec states with one of the code, "" where that is computed.
func sameAmount(k spec.Constant, value string) signature.Verdict {
	text := strings.Trim(value, "\"'`")
	if x, ok := signature.Number(text); ok {
		switch is, sure := k.Is(x); {
		case is:
			return signature.Same
		case sure:
			return signature.Different
		}
		return signature.Unknown
	}
	a, b := bareWord(text), bareWord(k.Value)
	switch {
	case text == value || text == "": // no text
	case a == b || k.In(text):
		return signature.Same
	case k.Value[0] > '9' && strings.ContainsAny(k.Value, "0123456789") && !strings.Contains(a, b) && !strings.Contains(b, a): // RS256 is no description
		return signature.Different
	}
	return signature.Unknown
}

// fixes reports whether the spec states a constant of the code beside its exports: by its name, or as a limit of that value.
func (m *module) fixes(x found) bool {
	if x.Kind != "constant" {
		return false
	}
	value, isNumber := signature.Number(cmp.Or(x.Value, m.constant(x.Name)))
	for _, k := range m.fixed {
		if k.Name != "" {
			if bareWord(lastPart(k.Name)) == bareWord(x.Name) {
				return true
			}
		} else if isNumber {
			if is, _ := k.Is(value); is {
				return true
			}
		}
	}
	if !isNumber || value.IsInt() && value.Num().BitLen() < 2 { // 0 and 1 stand everywhere
		return false
	}
	return slices.ContainsFunc(m.doc.Contracts, func(c spec.Contract) bool {
		return slices.ContainsFunc(slices.Concat(c.Preconditions, c.Postconditions, c.Throws, c.Invariants), func(cl spec.Clause) bool {
			return slices.ContainsFunc(numbers().FindAllString(cl.Text, -1), func(n string) bool {
				said, ok := signature.Number(n)
				return ok && said.Cmp(value) == 0
			})
		})
	})
}

var numbers = re.New(`\d[\d_]*(?:\.\d+)?`)
