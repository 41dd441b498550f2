package spec

import (
	"strings"
)

// ItemKind is what an item asks of the code.
type ItemKind string

// The kinds of items. The first letter of an id says the same: E, B, C, S, T, L, K, D, R, Q.
const (
	ItemExport        ItemKind = "export"
	ItemBehavior      ItemKind = "behavior"
	ItemContract      ItemKind = "contract"
	ItemState         ItemKind = "state"
	ItemTransition    ItemKind = "transition"
	ItemLifecycle     ItemKind = "lifecycle"
	ItemConstant      ItemKind = "constant"
	ItemRationale     ItemKind = "rationale"
	ItemConstraint    ItemKind = "constraint"
	ItemCompatibility ItemKind = "compatibility"
)

// Item is one thing that the code can be held to. Two items of a document never share an ID.
type Item struct {
	ID       string   `json:"id"`
	Kind     ItemKind `json:"kind"`
	Symbol   string   `json:"symbol,omitempty"` // the export that it belongs to, where that is said
	Text     string   `json:"text"`
	Category string   `json:"category,omitempty"` // of a behavior: "success" or "error"
	Hash     string   `json:"hash"`
	Line     int      `json:"line"`
	// Input and Output are those of a behavior.
	Input  string `json:"-"`
	Output string `json:"-"`
}

// itemSet collects items; two with one id become one whose hash covers both.
type itemSet struct {
	items []Item
	seen  map[string]int
}

func (s *itemSet) add(id string, it Item, hashed ...string) {
	it.ID, it.Hash = id, digestOf(short, hashed...)
	if i, ok := s.seen[id]; ok {
		if s.items[i].Hash != it.Hash {
			s.items[i].Hash = digestOf(short, s.items[i].Hash, it.Hash)
			s.items[i].Text += "\n" + it.Text
		}
		return
	}
	s.seen[id] = len(s.items)
	s.items = append(s.items, it)
}

// Items cuts a document into its items, in the order of the document's sections. See the package
// comment for how ids are made.
func Items(d *Document) []Item {
	s := &itemSet{seen: map[string]int{}}
	for i := range d.Exports {
		e := &d.Exports[i]
		s.add("E:"+e.Name, Item{Kind: ItemExport, Symbol: e.Name, Text: e.Signature, Line: e.Line},
			string(e.Kind), tight(e.Signature), tight(e.Value), strings.Join(e.Variants, "|"), norm(e.Description))
	}
	s.behaviors(d)
	for i := range d.Contracts {
		c := &d.Contracts[i]
		s.clauses(c.Function, "pre", c.Preconditions)
		s.clauses(c.Function, "post", c.Postconditions)
		s.clauses(c.Function, "throws", c.Throws)
		s.clauses(c.Function, "inv", c.Invariants)
	}
	for _, st := range d.Protocol.States {
		s.add("S:"+st.Text, Item{Kind: ItemState, Text: st.Text, Line: st.Line}, st.Text)
	}
	for _, t := range d.Protocol.Transitions {
		text := t.From + " + " + t.Trigger + " → " + t.To
		s.add("T:"+tight(t.From)+"+"+tight(t.Trigger)+"→"+tight(t.To), Item{Kind: ItemTransition, Text: text, Line: t.Line}, norm(text))
	}
	for _, l := range d.Protocol.Lifecycle {
		text := l.Method + " - " + l.Description
		s.add("L:"+l.Method, Item{Kind: ItemLifecycle, Symbol: l.Method, Text: text, Line: l.Line}, norm(text))
	}
	s.context(d)
	return s.items
}

// behaviors names a behavior after what goes in; where several share that, the output belongs to
// the name.
func (s *itemSet) behaviors(d *Document) {
	same := map[string]int{}
	key := func(b *Behavior) string {
		return digestOf(long, b.UseCase, norm(b.Subject), norm(b.Input), b.Category)
	}
	for i := range d.Behaviors {
		same[key(&d.Behaviors[i])]++
	}
	for i := range d.Behaviors {
		b := &d.Behaviors[i]
		k := key(b)
		if same[k] > 1 {
			k = digestOf(long, k, norm(b.Output))
		}
		text := b.Input + " → " + b.Output
		if b.Subject != "" {
			text = b.Subject + ": " + text
		}
		symbol := ""
		if isIdent(b.Subject) {
			symbol = b.Subject
		}
		s.add("B:"+k[:8], Item{Kind: ItemBehavior, Symbol: symbol, Text: text, Category: b.Category, Line: b.Line, Input: b.Input, Output: b.Output},
			norm(b.Input), norm(b.Output), b.Category)
	}
}

func (s *itemSet) clauses(function, kind string, cs []Clause) {
	label := map[string]string{"pre": "Precondition", "post": "Postcondition", "throws": "Throws", "inv": "Invariant"}[kind]
	for _, c := range cs {
		id := "C:" + strings.ReplaceAll(function, " ", "_") + ":" + kind + "-" + digestOf(8, norm(c.Text))
		s.add(id, Item{Kind: ItemContract, Symbol: function, Text: label + ": " + c.Text, Line: c.Line}, norm(c.Text))
	}
}

func (s *itemSet) context(d *Document) {
	lists := []struct {
		letter  string
		kind    ItemKind
		clauses []Clause
	}{
		{"D:", ItemRationale, d.Context.Rationale},
		{"R:", ItemConstraint, d.Context.Constraints},
		{"Q:", ItemCompatibility, d.Context.Compatibility},
		{"R:", ItemConstraint, d.Constraints},
	}
	for _, l := range lists {
		for _, c := range l.clauses {
			id, kind := l.letter+digestOf(8, norm(c.Text)), l.kind
			if name, _, ok := constantName(c.Text); ok {
				id, kind = "K:"+name, ItemConstant
			}
			s.add(id, Item{Kind: kind, Text: c.Text, Line: c.Line}, norm(c.Text))
		}
	}
}
