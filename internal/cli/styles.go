package cli

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/step"
)

// Names of workflow definitions, as journals have them.
const (
	compileDef   = "compile"
	workDef      = "work"
	autoDef      = "auto"
	developDef   = "develop"
	decompileDef = "decompile"
	specDef      = "spec"
)

// Settings of do. A style is a named set of them.
const (
	askNever  = "never"
	askPlan   = "plan"
	askPhases = "phases"

	deliverCommits = "commits"
	deliverOne     = "one"
	deliverPull    = "pr"

	testsWith  = "with"
	testsFirst = "first"

	reviewNone  = "none"
	reviewOne   = "one"
	reviewPanel = "panel"
)

// style is a way to carry a request out: which values of the settings of do it has. The first of a list is its own.
type style struct {
	name, def, about                        string
	ask, deliver, tests, review, size, from []string
}

// styles are those that there are, the default one first.
func styles() []style {
	return []style{
		{
			name: "work", def: workDef, about: "a requirement, a plan of tasks, one verified commit per task",
			ask: []string{askPlan, askNever}, deliver: []string{deliverCommits, deliverPull}, tests: []string{testsWith, testsFirst}, review: []string{reviewNone},
			size: []string{"auto", "s", "m"}, from: []string{"file", "issue"},
		},
		{
			name: "pdca", def: autoDef, about: "plan, design, build, check and improve, with critics and an architect",
			ask: []string{askPlan, askNever, askPhases}, deliver: []string{deliverCommits, deliverPull}, tests: []string{testsWith}, review: []string{reviewOne},
			size: []string{"auto", "s", "l"}, from: []string{"file", "issue", "slack", "gmail"},
		},
		{
			name: "develop", def: developDef, about: "contracts and tests first, checkpoints, review, one commit or PR",
			ask: []string{askPlan, askNever}, deliver: []string{deliverOne, deliverPull}, tests: []string{testsFirst}, review: []string{reviewOne, reviewPanel},
			size: []string{"auto", "s"}, from: []string{"file", "issue"},
		},
	}
}

// styleNames are the names of the styles, the default one first.
func styleNames() (out []string) {
	for _, s := range styles() {
		out = append(out, s.name)
	}
	return out
}

// styleSettings are the settings of do, "" for what nobody has set.
type styleSettings struct {
	style, size, ask, tests, review, deliver, from string

	given map[string]any // settings that no flag of their name has, as they were given
	sizes *pdca.Style    // of that style
	names []string       // of all styles
	fixed bool           // nobody has chosen the style
}

// setting is one of do, with the values that a style has for it.
type setting struct {
	flag  string
	value *string
	of    func(style) []string
}

// all are the values that any style has.
func (x setting) all() (out []string) {
	for _, s := range styles() {
		for _, v := range x.of(s) {
			if !slices.Contains(out, v) {
				out = append(out, v)
			}
		}
	}
	return out
}

func (f *styleSettings) settings() []setting {
	return []setting{
		{"ask", &f.ask, func(s style) []string { return s.ask }},
		{"deliver", &f.deliver, func(s style) []string { return s.deliver }},
		{"tests", &f.tests, func(s style) []string { return s.tests }},
		{"review", &f.review, func(s style) []string { return s.review }},
		{"size", &f.size, func(s style) []string { return s.size }},
	}
}

// unknown are the settings with values that no style has.
func (f *styleSettings) unknown() []setting {
	return slices.DeleteFunc(f.settings(), func(x setting) bool { return *x.value == "" || slices.Contains(x.all(), *x.value) })
}

// chosen is the style that has all that was asked for.
func (f *styleSettings) chosen() (style, error) {
	name := f.style
	kind, _, _ := strings.Cut(f.from, ":")
	if unknown := f.unknown(); len(unknown) > 0 {
		x := unknown[0]
		return style{}, usage("--%s %q: must be one of %s", x.flag, *x.value, strings.Join(x.all(), ", "))
	}
	if f.from != "" && !slices.Contains([]string{"file", "issue", "slack", "gmail"}, kind) {
		return style{}, badFrom(f.from)
	}
	var refused []error
	for _, s := range styles() {
		if name != "" && s.name != name {
			continue
		}
		why := f.lacks(s, kind)
		if why == nil {
			return s, nil
		}
		refused = append(refused, why)
	}
	if len(refused) == 0 {
		return style{}, usage("--style %q: must be one of %s", name, strings.Join(f.names, ", "))
	}
	return style{}, &usageError{errors.Join(refused...)}
}

func badFrom(from string) error {
	return usage("--from %q: must be file:PATH, issue:N, slack:CHANNEL or gmail:QUERY", from)
}

// lacks says which setting a style does not have, and what to remove; nil where it has all. kind is where the request is from.
func (f *styleSettings) lacks(s style, kind string) error {
	for _, x := range append(f.settings(), setting{"from", &kind, func(s style) []string { return s.from }}) {
		if *x.value == "" || slices.Contains(x.of(s), *x.value) {
			continue
		}
		remove := f.says(x.flag, *x.value)
		if f.style != "" && !f.fixed {
			remove = words("%v or %v", f.says("style", f.style), remove)
		}
		return words("style %s supports --%s %s, not %s: remove %v", s.name, x.flag, strings.Join(x.of(s), ", "), *x.value, remove)
	}
	return nil
}

// says is a setting as a person has given it.
func (f *styleSettings) says(flag, value string) any {
	if flag == "from" {
		value = f.from
	}
	return cmp.Or[any](f.given[flag], "--"+flag+" "+value)
}

// take takes settings that nobody has given; under is where they stand.
func (f *styleSettings) take(c doConfig, under string, changed func(flag string) bool) {
	said := map[string]string{"style": c.Style, "ask": c.Ask, "deliver": c.Deliver, "tests": c.Tests, "review": c.Review, "size": c.Size}
	for _, x := range append(f.settings(), setting{flag: "style", value: &f.style}) {
		if v := said[x.flag]; v != "" && *x.value == "" && (x.flag == "style" || !changed(x.flag)) {
			key := x.flag
			if key == "style" && under != "do" {
				key = "base"
			}
			*x.value, f.given[x.flag] = v, words("%s in %s", under+": "+key+": "+v, configFile)
		}
	}
}

// UnmarshalYAML reads settings that some style has.
func (c *doConfig) UnmarshalYAML(n *yaml.Node) error {
	allowed := map[string][]string{"style": nil} // see config.check
	for _, x := range new(styleSettings).settings() {
		allowed[x.flag] = x.all()
	}
	if err := knownKeys(n, "do", slices.Sorted(maps.Keys(allowed))...); err != nil {
		return err
	}
	for i := 1; i < len(n.Content); i += 2 {
		key, v := n.Content[i-1].Value, n.Content[i]
		if key == "style" {
			c.line = v.Line
		}
		if values := allowed[key]; v.Kind == yaml.ScalarNode && v.Value != "" && values != nil && !slices.Contains(values, v.Value) {
			return words("line %d: do: %s %q: must be one of %s", v.Line, key, v.Value, strings.Join(values, ", "))
		}
	}
	type plain doConfig
	return n.Decode((*plain)(c))
}

// styleConf is a style of the project's own: one that there is, with other settings of do. Of pdca it may have other sizes and documents.
type styleConf struct {
	Base      string              `yaml:"base"`
	Ask       string              `yaml:"ask"`
	Tests     string              `yaml:"tests"`
	Review    string              `yaml:"review"`
	Size      string              `yaml:"size"`
	Deliver   string              `yaml:"deliver"`
	Documents []string            `yaml:"documents"`
	Sizes     map[string]sizeConf `yaml:"sizes"`
}

// sizeConf are the limits of a size that differ from those of pdca.OwnStyle.
type sizeConf struct {
	Judges      []string `yaml:"judges"`
	Design      *bool    `yaml:"design"`
	Critics     *int     `yaml:"critics"`
	Feasibility *bool    `yaml:"feasibility"`
	Parts       *bool    `yaml:"parts"`
	Attempts    *int     `yaml:"attempts"`
	Cycles      *int     `yaml:"cycles"`
}

// settings are those of do.
func (c styleConf) settings() doConfig {
	return doConfig{Style: cmp.Or(c.Base, styleNames()[0]), Ask: c.Ask, Tests: c.Tests, Review: c.Review, Size: c.Size, Deliver: c.Deliver}
}

// pdca is what differs from pdca.OwnStyle, nil for nothing.
func (c styleConf) pdca() *pdca.Style {
	if c.Sizes == nil && c.Documents == nil {
		return nil
	}
	s := pdca.OwnStyle()
	if c.Documents != nil {
		s.Documents = c.Documents
	}
	for name, other := range c.Sizes {
		mode := pdca.Mode(strings.ToUpper(name))
		z := s.Sizes[mode]
		if other.Judges != nil {
			z.Judges = other.Judges
		}
		set(&z.Design, other.Design)
		set(&z.Critics, other.Critics)
		set(&z.Feasibility, other.Feasibility)
		set(&z.Parts, other.Parts)
		set(&z.Attempts, other.Attempts)
		set(&z.Cycles, other.Cycles)
		z.Parts = z.Parts && (z.Design || other.Parts != nil) // what nobody has written goes with what it is of
		z.Feasibility = z.Feasibility && (z.Critics > 0 || other.Feasibility != nil)
		s.Sizes[mode] = z
	}
	return &s
}

func set[T any](to, v *T) {
	if v != nil {
		*to = *v
	}
}

// styleForm is what the name of a style looks like.
var styleForm = re.New(`^[a-z][a-z0-9-]*$`)

// The largest limits of a size: what is above them is a slip of the hand.
const (
	maxCritics  = 10
	maxAttempts = 50
	maxCycles   = 20
)

// styleNames are those of all styles, the project's own last.
func (c config) styleNames() []string {
	return append(styleNames(), slices.Sorted(maps.Keys(c.Styles))...)
}

// checkStyles checks the styles of the project's own.
func (c config) checkStyles() (errs []error) {
	for _, name := range slices.Sorted(maps.Keys(c.Styles)) {
		s := c.Styles[name]
		say := func(what error) { errs = append(errs, usage("%s: %s: %v", configFile, "styles: "+name, what)) }
		if !styleForm().MatchString(name) {
			say(words("the name must consist of a-z, 0-9 and -"))
		}
		if slices.Contains(styleNames(), name) {
			say(words("there is a style of that name already"))
		}
		if s.Base != "" && !slices.Contains(styleNames(), s.Base) {
			say(words("base %q: must be one of %s", s.Base, strings.Join(styleNames(), ", ")))
			continue
		}
		f := styleSettings{given: map[string]any{}}
		f.take(s.settings(), "styles: "+name, func(string) bool { return false })
		unknown := f.unknown()
		for _, x := range unknown {
			say(words("%s %q: must be one of %s", x.flag, *x.value, strings.Join(x.all(), ", ")))
		}
		if len(unknown) > 0 {
			continue
		}
		base, err := f.chosen()
		if err != nil {
			say(err)
		} else if base.def != autoDef && s.pdca() != nil {
			say(words("only a style with base: pdca can have documents and sizes"))
		}
		c.checkSizes(s, say)
	}
	return errs
}

// checkSizes checks what differs from pdca.OwnStyle in a style; say takes what is wrong.
func (c config) checkSizes(s styleConf, say func(error)) {
	only := func(what string, list, allowed []string) {
		for i, v := range list {
			if !slices.Contains(allowed, v) || slices.Contains(list[:i], v) {
				say(words("%s %q: must be some of %s, each once", what, v, strings.Join(allowed, ", ")))
			}
		}
	}
	between := func(what string, v *int, least, most int) {
		if v != nil && (*v < least || *v > most) {
			say(words("%s %d: must be between %d and %d", what, *v, least, most))
		}
	}
	only("documents", s.Documents, pdca.Documents())
	style := s.pdca()
	sizes := step.Each(pdca.Modes(), func(m pdca.Mode) string { return strings.ToLower(string(m)) })
	for _, size := range slices.Sorted(maps.Keys(s.Sizes)) {
		z := s.Sizes[size]
		if !slices.Contains(sizes, size) {
			say(words("sizes: %q: must be one of %s", size, strings.Join(sizes, ", ")))
		}
		only(size+": judges", z.Judges, pdca.Judges())
		if i := slices.Index(z.Judges, pdca.Match); i >= 0 && !slices.Contains(z.Judges[:i], pdca.Architect) {
			say(words("%s: judges: match counts what the architect has said: put architect before it", size))
		}
		is := style.Sizes[pdca.Mode(strings.ToUpper(size))]
		if is.Feasibility && is.Critics == 0 {
			say(words("%s: feasibility: an architect looks at the plan before its critics do, and there are none: set critics", size))
		}
		if is.Parts && !is.Design {
			say(words("%s: parts: these are parts of a design: set design: true", size))
		}
		between(size+": critics", z.Critics, 0, maxCritics)
		between(size+": attempts", z.Attempts, 1, maxAttempts)
		between(size+": cycles", z.Cycles, 1, maxCycles)
	}
}
