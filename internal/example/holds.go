package example

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/jacquard-build/jacquard/internal/re"
)

// Outcome is what a program writes down of one call. Exactly one of Value, Error and Cannot says something.
type Outcome struct {
	ID string `json:"id"`
	// Value is JSON. What JSON cannot say is a [shown].
	Value json.RawMessage `json:"value,omitempty"`
	Error *Thrown         `json:"error,omitempty"`
	// Cannot is why the call could not be made at all.
	Cannot string `json:"cannot,omitempty"`
	// Changed: an argument is not as it was.
	Changed bool `json:"changed,omitempty"`
	// Same: what it gives is a list, map or object that it was given, or that a call before has given. Shared: it has such a one in it.
	Same   bool `json:"same,omitempty"`
	Shared bool `json:"shared,omitempty"`
	// Several: the value is the list of several results, as functions of Go give them.
	Several bool `json:"several,omitempty"`
}

// Thrown is an error: the names of its type and of those above it, and its text.
type Thrown struct {
	Names []string `json:"names"`
	Text  string   `json:"text"`
}

// shown is a value that is none of JSON: an object of a type, a constant with a name, nothing of a second kind.
type shown struct {
	Type   string          `json:"$type"`
	Text   string          `json:"$text"`
	Name   string          `json:"$name,omitempty"`
	Value  json.RawMessage `json:"$value,omitempty"`
	Fields json.RawMessage `json:"$fields,omitempty"`
	Order  json.RawMessage `json:"$order,omitempty"` // the fields in their order
}

// Holds reports whether an outcome is the wanted one. It is not to be asked where the call could not be made.
func (w Want) Holds(o Outcome) bool {
	switch {
	case w.Value.Kind != Name && w.Error != (o.Error != nil):
		return false
	case w.Error:
		return (w.Type == "" || w.thrown(*o.Error)) && inOrder(o.Error.Text, w.Says)
	}
	if w.Value.Kind == Name && o.Error != nil {
		return Want{Type: w.Value.Text}.thrown(*o.Error) && inOrder(o.Error.Text, w.Says)
	}
	if same(w.Value, o.Value) {
		return true
	}
	var list []json.RawMessage
	if !o.Several || json.Unmarshal(o.Value, &list) != nil || len(list) == 0 {
		return false
	}
	return same(w.Value, list[0]) || // 4 of (4, true)
		w.Value.Kind == List && len(w.Value.List) == len(list)+1 && w.Value.List[len(list)].Kind == Null && // (4, nil): no error
			same(Value{Kind: List, List: w.Value.List[:len(list)]}, o.Value)
}

// Comparable reports whether a value is of the kind that is wanted: what differs then is the value, and not how it is written. Nothing
// and an error can be told from everything.
func (w Want) Comparable(o Outcome) bool {
	got := bytes.TrimSpace(o.Value)
	var s shown
	missing := json.Unmarshal(got, &s) == nil && s.Type == "undefined"
	switch {
	case w.Value.Kind == Null && missing, w.Value.Text == "undefined" && string(got) == "null": // nothing, of another kind
		return false
	case w.Error || o.Error != nil || w.Value.Kind == Null || string(got) == "null" || missing:
		return true
	}
	var list []json.RawMessage
	switch {
	case len(got) == 0:
		return false
	case o.Several && w.Value.Kind == List: // one by one
		if json.Unmarshal(got, &list) != nil || len(list) != len(w.Value.List) {
			return false
		}
		for i, v := range w.Value.List {
			if !(Want{Value: v}).Comparable(Outcome{Value: list[i]}) {
				return false
			}
		}
		return true
	}
	return alike(w.Value, got)
}

// alike reports whether a value is of the kind of a literal, or of a type that is based on that. A text of such a type may be written
// in more than one way.
func alike(want Value, got json.RawMessage) bool {
	var s shown
	if got[0] == '{' && json.Unmarshal(got, &s) == nil && len(s.Value) > 0 && want.Kind != String && want.Kind != Name {
		return alike(want, s.Value)
	}
	switch want.Kind {
	case Bool:
		return got[0] == 't' || got[0] == 'f'
	case Number:
		_, err := strconv.ParseFloat(s.Text, 64) // Decimal("1.50")
		return got[0] == '-' || got[0] >= '0' && got[0] <= '9' || s.Type != "" && err == nil
	case String:
		return got[0] == '"'
	case List:
		return got[0] == '['
	case Object:
		return likeFields(want.Fields, got, s)
	case Name:
		return s.Name != ""
	case Null, Made, Code:
	}
	return false
}

// likeFields reports whether an object has the wanted fields: one of a class those, others no further ones. They may be fewer, or none where
// some are wanted: names of its own it has not.
func likeFields(want []Field, got json.RawMessage, s shown) bool {
	var fields map[string]json.RawMessage
	if s.Type != "" {
		got = s.Fields
	}
	if json.Unmarshal(got, &fields) != nil {
		return false
	}
	missing := 0
	for _, f := range want {
		if _, ok := field(fields, f.Name); !ok {
			if f.Value.Empty() && f.Value.Kind != String { // it may have been left out for that
				return false
			}
			missing++
		}
	}
	if s.Type != "" {
		return missing == 0
	}
	return len(want) == 0 || len(fields) == len(want)-missing
}

// field is that of a name. Case counts only where two fields differ in nothing else.
func field(fields map[string]json.RawMessage, name string) (v json.RawMessage, ok bool) {
	if v, ok = fields[name]; ok {
		return v, true
	}
	for other, v := range fields {
		if strings.EqualFold(other, name) {
			return v, true
		}
	}
	return nil, false
}

// inOrder reports whether a text has some others, in their order.
func inOrder(text string, list []string) bool {
	for _, s := range list {
		_, rest, ok := strings.Cut(text, s)
		if !ok {
			return false
		}
		text = rest
	}
	return true
}

func (w Want) thrown(e Thrown) bool {
	return slices.ContainsFunc(e.Names, func(n string) bool { return lastName(n) == w.Type })
}

// Given is the outcome for people.
func (o Outcome) Given() string {
	switch {
	case o.Cannot != "":
		return o.Cannot
	case o.Error != nil:
		name := "an error"
		if len(o.Error.Names) > 0 {
			name = lastName(o.Error.Names[0])
		}
		return clip(strings.TrimSuffix(name+": "+o.Error.Text, ": "))
	}
	var s shown
	if json.Unmarshal(o.Value, &s) == nil && s.Type != "" {
		if silent().MatchString(s.Text) && s.Fields != nil {
			return clip(s.Type + " " + string(s.Fields))
		}
		return clip(s.Text)
	}
	return clip(escape().ReplaceAllStringFunc(string(o.Value), func(s string) string {
		n, err := strconv.ParseUint(strings.TrimPrefix(s, `\u`), 16, 16)
		if r := rune(n); err == nil && r > unicode.MaxASCII && unicode.IsPrint(r) {
			return string(r)
		}
		return s
	}))
}

// silent is the text of an object that has no text of its own, in JavaScript, Python and Java.
var silent = re.New(`^\[object \w+\]$|\bat 0x[0-9a-f]+>$|^[\w.$]+@[0-9a-f]+$`)

// escape is one of a character in JSON.
var escape = re.New(`\\u[0-9a-fA-F]{4}|\\.`)

func clip(s string) string {
	if r := []rune(s); len(r) > 200 {
		return string(r[:200]) + "…"
	}
	return s
}

// same compares a literal with what a program wrote.
func same(want Value, got json.RawMessage) bool {
	got = bytes.TrimSpace(got)
	if len(got) == 0 {
		return false
	}
	var s shown
	if got[0] == '{' && json.Unmarshal(got, &s) == nil && s.Type != "" {
		return s.is(want)
	}
	switch want.Kind {
	case Null:
		return string(got) == "null" && want.Text != "undefined"
	case Bool:
		return string(got) == want.Text
	case Number:
		return sameNumber(want.Text, string(got))
	case String:
		var text string
		return json.Unmarshal(got, &text) == nil && text == want.Text
	case List:
		var list []json.RawMessage
		if json.Unmarshal(got, &list) != nil || len(list) != len(want.List) {
			return false
		}
		for i, v := range want.List {
			at := i
			if want.Text == setText {
				at = slices.IndexFunc(list, func(got json.RawMessage) bool { return same(v, got) })
			}
			if at < 0 || !same(v, list[at]) {
				return false
			}
		}
		return true
	case Object:
		var fields map[string]json.RawMessage
		if json.Unmarshal(got, &fields) != nil {
			return false
		}
		for name, v := range fields { // what JavaScript has and does not count
			if s.Type = ""; json.Unmarshal(v, &s) == nil && s.Type == "undefined" && !slices.ContainsFunc(want.Fields, func(f Field) bool { return f.Name == name }) {
				delete(fields, name)
			}
		}
		return len(fields) == len(want.Fields) && within(want.Fields, fields)
	case Name, Made, Code:
	}
	return false
}

// within reports whether the wanted fields are as wanted.
func within(want []Field, got map[string]json.RawMessage) bool {
	for _, f := range want {
		if v, ok := field(got, f.Name); !ok || !same(f.Value, v) {
			return false
		}
	}
	return true
}

// is compares an object of a type: by its value, where it is a name for one, by its text, or by the fields that are wanted.
func (s shown) is(want Value) bool {
	switch {
	case want.Kind == Name:
		return s.Name == want.Text
	case want.Kind == Null:
		return s.Type == "undefined" && want.Text == "undefined" || s.Type == "nil" && want.Text == ""
	case len(s.Value) > 0 && same(want, s.Value):
		return true
	case want.Kind == List && len(s.Order) > 0 && same(want, s.Order):
		return true
	case want.Kind == String:
		return s.Text == want.Text || s.Name == want.Text
	case want.Kind == Object:
		var fields map[string]json.RawMessage
		return json.Unmarshal(s.Fields, &fields) == nil && within(want.Fields, fields)
	case want.Kind == Number && sameNumber(want.Text, s.Text): // Decimal("0.00") is 0
		return len(s.Value) == 0
	case want.Kind == List, want.Kind == Number:
		return len(s.Value) == 0 && s.Text != "" && squeeze(s.Text) == squeeze(want.String())
	}
	return false
}

// String is the literal as JSON writes it.
func (v Value) String() string {
	switch v.Kind {
	case String:
		return strconv.Quote(v.Text)
	case List:
		var b strings.Builder
		for i, x := range v.List {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(x.String())
		}
		return "[" + b.String() + "]"
	case Object:
		var b strings.Builder
		for i, f := range v.Fields {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(strconv.Quote(f.Name) + ": " + f.Value.String())
		}
		return "{" + b.String() + "}"
	case Null:
		return "null"
	case Made:
		return chainText(v.Call)
	case Bool, Number, Name, Code:
	}
	return v.Text
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }

// tolerance is what two ways to compute with binary fractions may differ by, as a share.
const tolerance = 1e-9

func sameNumber(want, got string) bool {
	if want == got {
		return true
	}
	w, err := strconv.ParseFloat(want, 64)
	if err != nil {
		return false
	}
	g, err := strconv.ParseFloat(got, 64)
	if err != nil {
		return false
	}
	if whole(want) && whole(got) && w != 0 { // large numbers are no fractions
		return false
	}
	return w == g || math.Abs(w-g) <= tolerance*math.Max(math.Abs(w), math.Abs(g))
}

func whole(s string) bool { return !strings.ContainsAny(s, ".eEN") }
