package inspect

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/signature"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// InterfaceDiffs is what changed between two versions of all specs, and whom it concerns.
type InterfaceDiffs struct {
	Base           string                `json:"base"`
	Head           string                `json:"head"`
	Modules        []InterfaceDiff       `json:"modules"` // those whose exports changed
	Breaking       bool                  `json:"breaking_change"`
	Dependencies   map[string]GraphLinks `json:"dependency_graph"`
	Impact         []Impact              `json:"impact_analysis"`
	Recommendation Recommendation        `json:"recommendation"`
	Cycles         [][]string            `json:"circular_dependencies"`
	Summary        ImpactSummary         `json:"summary"`
}

// InterfaceDiff is what changed of one module's exports.
type InterfaceDiff struct {
	Path     string           `json:"path"`
	Before   InterfaceExports `json:"before"`
	After    InterfaceExports `json:"after"`
	Changes  InterfaceChanges `json:"changes"`
	Breaking bool             `json:"breaking_change"`
	Reasons  []string         `json:"breaking_reasons"`

	touched map[string]bool // what users may have used, and whether the change breaks it
}

// InterfaceExports are the signatures of a module, as the spec has them.
type InterfaceExports struct {
	Functions []string `json:"functions"`
	Types     []string `json:"types"`
	Classes   []string `json:"classes"`
	Enums     []string `json:"enums"`
	Variables []string `json:"variables"`
}

// InterfaceChanges are the changes of one module, sorted by name.
type InterfaceChanges struct {
	Added    []ChangedSymbol  `json:"added"`
	Removed  []ChangedSymbol  `json:"removed"`
	Modified []ModifiedSymbol `json:"modified"`
}

// ChangedSymbol is an export that came or went.
type ChangedSymbol struct {
	Kind      string `json:"kind"`
	Name      string `json:"name"`
	Signature string `json:"signature"`
}

// ModifiedSymbol is an export that is not what it was. Type is signature_changed,
// definition_changed, variants_changed, value_changed or kind_changed.
type ModifiedSymbol struct {
	Kind     string   `json:"kind"`
	Name     string   `json:"name"`
	Before   string   `json:"before"`
	After    string   `json:"after"`
	Type     string   `json:"change_type"`
	Breaking bool     `json:"breaking"`
	Details  []string `json:"details"`
}

// GraphLinks are the modules on both sides of one.
type GraphLinks struct {
	DependsOn  []string `json:"depends_on"`
	DependedBy []string `json:"depended_by"`
}

// Impact is whom a change concerns: those who use the module, and those who use them.
type Impact struct {
	Changed    string      `json:"changed_module"`
	Dependents []Dependent `json:"dependents"`
	Transitive []string    `json:"transitive_dependents"`
}

// Dependent is a module that uses a changed one. Level is high when something that it uses
// breaks, medium when something that it uses changed, else low. A module that does not say
// what it uses is taken to use all.
type Dependent struct {
	Path    string   `json:"path"`
	Imports []string `json:"imports"`
	Level   string   `json:"impact_level"`
}

// Recommendation is what to build again.
type Recommendation struct {
	Required  []string `json:"recompile_required"`
	Suggested []string `json:"recompile_suggested"`
	Commands  []string `json:"commands"`
}

// ImpactSummary counts.
type ImpactSummary struct {
	Modules    int `json:"total_modules"`
	Changed    int `json:"changed_modules"`
	Breaking   int `json:"breaking_modules"`
	Direct     int `json:"direct_impact"`
	Transitive int `json:"transitive_impact"`
}

// Diff compares the specs of two versions of a project; base and head name them.
func Diff(before, after *Project, base, head string) InterfaceDiffs {
	d := InterfaceDiffs{
		Base: base, Head: head, Modules: []InterfaceDiff{}, Dependencies: map[string]GraphLinks{}, Impact: []Impact{}, Cycles: [][]string{},
		Recommendation: Recommendation{Required: []string{}, Suggested: []string{}, Commands: []string{}},
	}
	dirs := slices.Concat(before.dirs, after.dirs)
	slices.Sort(dirs)
	for _, dir := range slices.Compact(dirs) {
		if before.HasSpec(dir) && before.docs[dir] == nil || after.HasSpec(dir) && after.docs[dir] == nil {
			continue // one of the two cannot be read, so nothing can be said
		}
		m := interfaceDiff(dir, before.spec(dir), after.spec(dir), after.language(dir, before))
		if len(m.touched) == 0 {
			continue
		}
		d.Modules = append(d.Modules, m)
		d.Breaking = d.Breaking || m.Breaking
		d.Summary.Changed++
		if m.Breaking {
			d.Summary.Breaking++
		}
	}
	d.Cycles = append(d.Cycles, after.index.Cycles()...)
	d.impact(links(before, after))
	return d
}

// spec is the spec of a directory, nil when it has none.
func (p *Project) spec(dir string) *document {
	if d := p.docs[dir]; d != nil && d.IsSpec() {
		return d
	}
	return nil
}

// kindOf is the kind of an export. Go has no classes: what looks like one is a function
// without a result.
func kindOf(e *spec.Export, lang string) spec.Kind {
	if e.Kind == spec.Class && lang == signature.Go {
		return spec.Function
	}
	return e.Kind
}

func exportsIn(d *document, lang string) (InterfaceExports, map[string]*spec.Export) {
	x := InterfaceExports{Functions: []string{}, Types: []string{}, Classes: []string{}, Enums: []string{}, Variables: []string{}}
	byName := map[string]*spec.Export{}
	if d == nil {
		return x, byName
	}
	for i := range d.Exports {
		e := &d.Exports[i]
		list := map[spec.Kind]*[]string{spec.Function: &x.Functions, spec.Type: &x.Types, spec.Class: &x.Classes, spec.Enum: &x.Enums, spec.Variable: &x.Variables}[kindOf(e, lang)]
		if list != nil {
			*list = append(*list, e.Signature)
		}
		byName[e.Name] = e
	}
	return x, byName
}

func interfaceDiff(dir string, before, after *document, lang string) InterfaceDiff {
	m := InterfaceDiff{
		Path: dir, Changes: InterfaceChanges{Added: []ChangedSymbol{}, Removed: []ChangedSymbol{}, Modified: []ModifiedSymbol{}},
		Reasons: []string{}, touched: map[string]bool{},
	}
	var old, now map[string]*spec.Export
	m.Before, old = exportsIn(before, lang)
	m.After, now = exportsIn(after, lang)
	for _, name := range slices.Sorted(maps.Keys(old)) {
		e, x := old[name], now[name]
		if x == nil {
			m.Changes.Removed = append(m.Changes.Removed, ChangedSymbol{string(kindOf(e, lang)), name, e.Signature})
			m.Reasons = append(m.Reasons, titled(e, lang)+" removed")
			m.touched[name] = true
			continue
		}
		c := ModifiedSymbol{Kind: string(kindOf(x, lang)), Name: name, Before: e.Signature, After: x.Signature, Details: []string{}}
		var all []signature.Break
		c.Type, all = changes(e, x, lang)
		for _, b := range all {
			c.Details = append(c.Details, b.Reason)
			if b.Breaking {
				c.Breaking = true
				m.Reasons = append(m.Reasons, b.Reason)
			}
		}
		if len(all) > 0 {
			m.Changes.Modified = append(m.Changes.Modified, c)
			m.touched[name] = c.Breaking
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if old[name] == nil {
			m.Changes.Added = append(m.Changes.Added, ChangedSymbol{string(kindOf(now[name], lang)), name, now[name].Signature})
			m.touched[name] = false
		}
	}
	m.Breaking = len(m.Reasons) > 0
	return m
}

func titled(e *spec.Export, lang string) string {
	kind := string(kindOf(e, lang))
	return strings.ToUpper(kind[:1]) + kind[1:] + " '" + e.Name + "'"
}

// changes compares two versions of one export.
func changes(before, after *spec.Export, lang string) (string, []signature.Break) {
	what, kind := titled(after, lang), kindOf(before, lang)
	if kind != kindOf(after, lang) {
		return "kind_changed", []signature.Break{{Breaking: true, Reason: what + " was a " + string(kind)}}
	}
	same := oneLine(before.Signature) == oneLine(after.Signature)
	switch kind {
	case spec.Function, spec.Class:
		a, ok1 := signature.Parse(before.Signature, lang)
		b, ok2 := signature.Parse(after.Signature, lang)
		if ok1 && ok2 {
			return "signature_changed", signature.Compare(a, b, cmp.Or(lang, b.Lang), what, kind == spec.Class)
		}
		if !same && !ok1 && !ok2 || ok1 != ok2 && kind == spec.Function {
			return "signature_changed", []signature.Break{{Breaking: true, Reason: what + " signature changed"}}
		}
		return "signature_changed", nil
	case spec.Type:
		return "definition_changed", fieldChanges(before, after, lang, what, same)
	case spec.Enum:
		return "variants_changed", variantChanges(before.Variants, after.Variants, what)
	case spec.Variable:
	}
	return valueChange(before, after, lang, what)
}

// fieldChanges: a field that goes, is of another type or becomes required breaks; so does a
// new one that has to be given, but in Go, where values name their fields.
func fieldChanges(before, after *spec.Export, lang, what string, same bool) []signature.Break {
	a, ok1 := signature.Fields(before.Signature, lang)
	b, ok2 := signature.Fields(after.Signature, lang)
	if same || !ok1 && ok2 { // a definition where there was a name alone
		return nil
	}
	if !ok1 || !ok2 {
		return []signature.Break{{Breaking: true, Reason: what + " definition changed"}}
	}
	var out []signature.Break
	find := func(list []signature.Field, name string) *signature.Field {
		if i := slices.IndexFunc(list, func(f signature.Field) bool { return f.Name == name }); i >= 0 {
			return &list[i]
		}
		return nil
	}
	for _, f := range a {
		g := find(b, f.Name)
		switch {
		case g == nil:
			out = append(out, signature.Break{Breaking: true, Reason: what + " removed field '" + f.Name + "'"})
		case f.Type != nil && g.Type != nil && signature.Types(*f.Type, *g.Type, lang, nil) != signature.Same:
			out = append(out, signature.Break{Breaking: true, Reason: what + " field '" + f.Name + "' type changed from '" + signature.Text(*f.Type, lang) + "' to '" + signature.Text(*g.Type, lang) + "'"})
		case f.Optional != g.Optional:
			out = append(out, signature.Break{Breaking: true, Reason: what + " field '" + f.Name + "' " + map[bool]string{true: "may be absent now", false: "became required"}[g.Optional]})
		}
	}
	for _, g := range b {
		if find(a, g.Name) == nil {
			breaking := !g.Optional && lang != signature.Go
			out = append(out, signature.Break{Breaking: breaking, Reason: what + " added " + map[bool]string{true: "required field", false: "field"}[breaking] + " '" + g.Name + "'"})
		}
	}
	return out
}

func variantChanges(before, after []string, what string) []signature.Break {
	var out []signature.Break
	for _, v := range before {
		if !slices.Contains(after, v) {
			out = append(out, signature.Break{Breaking: true, Reason: what + " removed variant '" + v + "'"})
		}
	}
	for _, v := range after {
		if !slices.Contains(before, v) {
			out = append(out, signature.Break{Reason: what + " added variant '" + v + "'"})
		}
	}
	return out
}

// valueChange: another value breaks nobody, another type does.
func valueChange(before, after *spec.Export, lang, what string) (string, []signature.Break) {
	typeOf := func(e *spec.Export) string {
		_, typ, ok := strings.Cut(strings.TrimPrefix(e.Signature, e.Name), ":")
		if !ok {
			return ""
		}
		typ, _, _ = strings.Cut(typ, "=")
		return strings.TrimSpace(typ)
	}
	a, b := typeOf(before), typeOf(after)
	if a != "" && b != "" && signature.Types(signature.ParseType(a, lang), signature.ParseType(b, lang), lang, nil) != signature.Same {
		return "value_changed", []signature.Break{{Breaking: true, Reason: what + " type changed from '" + a + "' to '" + b + "'"}}
	}
	if before.Value != after.Value && (a == "" || a == b) && before.Value != "" && after.Value != "" {
		return "value_changed", []signature.Break{{Reason: what + " value changed from '" + before.Value + "' to '" + after.Value + "'"}}
	}
	return "value_changed", nil
}

// use is what a module uses of another one; no names means that it does not say.
type use struct {
	names []string
	all   bool
}

// links finds for every module of after what it uses of which module, also of one that was
// there before only.
func links(before, after *Project) map[string]map[string]*use {
	out := map[string]map[string]*use{}
	for _, dir := range after.dirs {
		d := after.spec(dir)
		if d == nil {
			continue
		}
		uses := map[string]*use{}
		add := func(ref string, names []string) {
			to, ok := after.index.Locate(dir, ref)
			if !ok {
				to, ok = before.index.Locate(dir, ref)
			}
			if !ok || to == dir {
				return
			}
			if uses[to] == nil {
				uses[to] = &use{}
			}
			uses[to].all = uses[to].all || len(names) == 0
			uses[to].names = append(uses[to].names, names...)
		}
		for _, dep := range d.Dependencies.Internal {
			add(dep.File(), dep.Symbols)
		}
		for _, ref := range d.CrossRefs {
			add(ref.File, []string{ref.Symbol})
		}
		for _, u := range uses {
			slices.Sort(u.names)
			u.names = slices.Compact(u.names)
		}
		out[dir] = uses
	}
	return out
}

// impact follows the dependencies from what changed to who uses it.
func (d *InterfaceDiffs) impact(uses map[string]map[string]*use) {
	users := map[string][]string{}
	for _, from := range slices.Sorted(maps.Keys(uses)) {
		on := slices.Sorted(maps.Keys(uses[from]))
		d.Dependencies[from] = GraphLinks{DependsOn: append([]string{}, on...), DependedBy: []string{}}
		for _, to := range on {
			users[to] = append(users[to], from)
		}
	}
	for to, list := range users {
		g := d.Dependencies[to]
		g.DependedBy, g.DependsOn = list, append([]string{}, g.DependsOn...)
		d.Dependencies[to] = g
	}
	d.Summary.Modules = len(uses)
	direct, far := map[string]bool{}, map[string]bool{}
	required, suggested := map[string]bool{}, map[string]bool{}
	for _, m := range d.Modules {
		i := Impact{Changed: m.Path, Dependents: []Dependent{}, Transitive: []string{}}
		seen := map[string]bool{m.Path: true}
		queue := []string{}
		for _, from := range users[m.Path] {
			u := uses[from][m.Path]
			dep := Dependent{Path: from, Imports: append([]string{}, u.names...), Level: m.level(u)}
			i.Dependents = append(i.Dependents, dep)
			seen[from], direct[from] = true, true
			required[from] = required[from] || dep.Level == "high"
			suggested[from] = suggested[from] || dep.Level == "medium"
			queue = append(queue, from)
		}
		for len(queue) > 0 {
			at := queue[0]
			queue = queue[1:]
			for _, from := range users[at] {
				if seen[from] {
					continue
				}
				seen[from], far[from] = true, true
				suggested[from] = suggested[from] || m.Breaking
				i.Transitive = append(i.Transitive, from)
				queue = append(queue, from)
			}
		}
		slices.Sort(i.Transitive)
		d.Impact = append(d.Impact, i)
	}
	for _, dir := range slices.Sorted(maps.Keys(required)) {
		if required[dir] {
			d.Recommendation.Required = append(d.Recommendation.Required, dir)
			d.Recommendation.Commands = append(d.Recommendation.Commands, "jacquard build "+shellWord(dir))
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(suggested)) {
		if suggested[dir] && !required[dir] {
			d.Recommendation.Suggested = append(d.Recommendation.Suggested, dir)
		}
	}
	d.Summary.Direct, d.Summary.Transitive = len(direct), len(far)
}

// level is how much a change concerns who makes that use of the module.
func (m *InterfaceDiff) level(u *use) string {
	level := "low"
	for name, breaking := range m.touched {
		owner, _, _ := strings.Cut(name, ".")
		used := u.all || slices.Contains(u.names, name) || slices.Contains(u.names, owner)
		added := slices.ContainsFunc(m.Changes.Added, func(c ChangedSymbol) bool { return c.Name == name })
		switch {
		case used && breaking:
			return "high"
		case used && !added:
			level = "medium"
		}
	}
	return level
}

// shellWord is a path as a shell takes it.
func shellWord(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return strings.ContainsRune(" \t'\"$&;|<>()*?[]{}\\`!#~", r) }) {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}
