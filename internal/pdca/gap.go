package pdca

import "slices"

// Presence is what code found of an item of a checklist.
type Presence struct {
	ID     string `json:"id"`
	Path   bool   `json:"path"`
	Symbol bool   `json:"symbol"` // or none was asked for
	Test   bool   `json:"test"`   // or none was asked for
}

// There reports whether all that was asked for is there.
func (p Presence) There() bool { return p.Path && p.Symbol && p.Test }

// Judgement is what a reader says of the behaviour of an item.
type Judgement struct {
	ID      string `json:"id"`
	Matches bool   `json:"matches"`
	Why     string `json:"why,omitempty"`
}

// GapItem is an item of the checklist with what was found of it.
type GapItem struct {
	Check    Check    `json:"check"`
	Matches  bool     `json:"matches"`
	Missing  []string `json:"missing,omitempty"` // path, symbol, test, behaviour
	Judgment string   `json:"judgment,omitempty"`
}

// Gap is how much of a design is there.
type Gap struct {
	Items   []GapItem `json:"items"`
	Matched int       `json:"matched"`
	// Rate is matched/total in whole percent, rounded down; 0 for an empty checklist.
	Rate int `json:"rate"`
}

// GapThreshold is the rate from which a design counts as built.
const GapThreshold = 90

// MeasureGap puts together what code found and what a reader judged. An item that nobody has judged does not match.
func MeasureGap(list []Check, found []Presence, judged []Judgement) Gap {
	g := Gap{Items: make([]GapItem, 0, len(list))}
	for _, k := range list {
		item := GapItem{Check: k}
		p := Presence{}
		if i := slices.IndexFunc(found, func(p Presence) bool { return p.ID == k.ID }); i >= 0 {
			p = found[i]
		}
		missing := func(is bool, what string) {
			if !is {
				item.Missing = append(item.Missing, what)
			}
		}
		missing(p.Path, "path")
		missing(p.Symbol, "symbol")
		missing(p.Test, "test")
		i := slices.IndexFunc(judged, func(j Judgement) bool { return j.ID == k.ID })
		missing(i >= 0 && judged[i].Matches, "behaviour")
		if i >= 0 {
			item.Judgment = judged[i].Why
		}
		if item.Matches = len(item.Missing) == 0; item.Matches {
			g.Matched++
		}
		g.Items = append(g.Items, item)
	}
	if len(list) > 0 {
		g.Rate = g.Matched * 100 / len(list)
	}
	return g
}
