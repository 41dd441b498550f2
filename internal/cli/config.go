package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

// config is jacquard.yaml: committed, optional, checked once. Unknown keys
// are errors, so that a typing mistake does not silently do nothing.
type config struct {
	Agent   string               `yaml:"agent"`     // claude, codex, opencode, scripted or one of acp
	ACP     map[string]acpConf   `yaml:"acp"`       // more agents, by name: programs that speak the Agent Client Protocol
	Model   string               `yaml:"model"`     // given to the agent; "" = its default
	Models  map[string]string    `yaml:"models"`    // seats of the tiers low, medium, high
	Roles   map[string]string    `yaml:"roles"`     // tiers or seats of roles
	Panel   []string             `yaml:"panel"`     // seats of those who design at the same time
	Auth    string               `yaml:"auth"`      // key, login or auto
	Budget  string               `yaml:"budget"`    // 5usd or 2Mtok
	Jobs    jobsConf             `yaml:"jobs"`      // modules at once
	Lang    string               `yaml:"lang"`      // en or ko
	Setup   []string             `yaml:"setup"`     // commands that prepare a check tree
	Engine  string               `yaml:"engine"`    // where runs are kept: local or temporal
	Project string               `yaml:"project"`   // its name on a cluster
	Pool    string               `yaml:"pool"`      // workers that runs are given to
	Hub     string               `yaml:"hub"`       // remote or address that workers share work through; "" is origin
	Copy    []string             `yaml:"copy"`      // ignored files that checks need, for example .env.test
	Checks  checksConf           `yaml:"checks"`    // build, test, lint, format: commands instead of the table's; report: where tests write theirs
	PR      bool                 `yaml:"pr"`        // develop ends with a pull request
	Docs    string               `yaml:"documents"` // commit or keep; "" is as the project does
	Issue   bool                 `yaml:"issue"`     // auto tells the issue that a task is about, or opens one
	Do      doConfig             `yaml:"do"`        // settings of do
	Styles  map[string]styleConf `yaml:"styles"`    // more styles of do, by name
	Sandbox sandboxConf          `yaml:"sandbox"`   // of agents and checks
	Work    struct {             // limits of the modes of work
		DirectRequirements int `yaml:"direct_requirements"`
		DirectCriteria     int `yaml:"direct_criteria"`
		PipelineTasks      int `yaml:"pipeline_tasks"`
	} `yaml:"work"`
	Callbacks struct { // who is told of runs of work
		Task     string `yaml:"task"`
		Progress string `yaml:"progress"`
		Stage    string `yaml:"stage"`
		Header   string `yaml:"header"` // X-Runner-Api-Key, or Authorization
	} `yaml:"callbacks"`
	Limits struct {
		Turn    duration `yaml:"turn"`      // longest agent turn
		Idle    duration `yaml:"idle"`      // longest silence of an agent
		Check   duration `yaml:"check"`     // longest check
		Beat    duration `yaml:"heartbeat"` // longest silence of a machine of a cluster
		CI      duration `yaml:"ci"`        // longest run of CI on a pull request
		CIStart duration `yaml:"ci_start"`  // how long CI has to begin
	} `yaml:"limits"`
}

// doConfig are settings of do that hold where no flag is given.
type doConfig struct {
	Style   string `yaml:"style"`
	Ask     string `yaml:"ask"`
	Tests   string `yaml:"tests"`
	Review  string `yaml:"review"`
	Size    string `yaml:"size"`
	Deliver string `yaml:"deliver"`

	line int // of style
}

// checksConf are the commands of checks by what they check.
type checksConf map[string]string

// UnmarshalYAML reads checks that there are.
func (c *checksConf) UnmarshalYAML(n *yaml.Node) error {
	if err := knownKeys(n, "checks", "build", "test", "lint", "format", "report"); err != nil {
		return err
	}
	return n.Decode((*map[string]string)(c))
}

// knownKeys refuses a key of a map of the file that is not allowed there: the decoder does not hand on that unknown keys are errors.
func knownKeys(n *yaml.Node, of string, allowed ...string) error {
	for i := 0; n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
		if key := n.Content[i]; key.Tag != "!!merge" && !slices.Contains(allowed, key.Value) {
			return words("line %d: unknown key %s in %s: must be one of %s", key.Line, key.Value, of, strings.Join(allowed, ", "))
		}
	}
	return nil
}

// unknownIn are the keys that no setting has, below the i-th key of a map that is read into a type; of is what that map is called.
func unknownIn(n *yaml.Node, t reflect.Type, of string, i int) (list []error) {
	key, value := n.Content[i], n.Content[i+1]
	inner := t
	if t.Kind() == reflect.Map {
		inner = t.Elem()
	} else {
		var names []string
		found := false
		for f := range t.Fields() {
			name := f.Tag.Get("yaml")
			if name == "" { // it is in no file
				continue
			}
			names = append(names, name)
			if name == key.Value {
				inner, found = f.Type, true
			}
		}
		if !found && of != "" {
			return []error{usage("%s: %s", configFile, words("line %d: unknown key %s in %s: must be one of %s", key.Line, key.Value, of, strings.Join(names, ", ")))}
		}
		if !found {
			return nil // of the whole file, where one is guessed that is meant
		}
	}
	if value.Kind != yaml.MappingNode || inner.Kind() != reflect.Struct && (inner.Kind() != reflect.Map || inner.Elem().Kind() != reflect.Struct) {
		return nil
	}
	for k := 0; k < len(value.Content); k += 2 {
		list = append(list, unknownIn(value, inner, strings.TrimPrefix(of+"."+key.Value, "."), k)...)
	}
	return list
}

// maxJobs is more than any machine or account goes along with: what is above it is a slip of the hand.
const maxJobs = 256

// jobsConf is how many modules at once; 0 is where nobody says.
type jobsConf int

// UnmarshalYAML reads a number that --jobs takes too.
func (j *jobsConf) UnmarshalYAML(n *yaml.Node) error {
	if err := n.Decode((*int)(j)); err != nil {
		return err
	}
	if *j < 1 || *j > maxJobs {
		return words("line %d: jobs %d: must be between 1 and %d", n.Line, int(*j), maxJobs)
	}
	return nil
}

type duration time.Duration

func (d *duration) UnmarshalYAML(n *yaml.Node) error {
	v, err := time.ParseDuration(n.Value)
	if err != nil || v <= 0 {
		return words("line %d: %q: must be a duration such as 30m", n.Line, n.Value)
	}
	*d = duration(v)
	return nil
}

// configFile is the name of the settings, and strayConfig one that many give them by habit.
const (
	configFile  = "jacquard.yaml"
	strayConfig = "jacquard.yml"
)

func defaults() config { return config{Agent: "claude", Auth: "auto", Budget: defaultBudget} }

func readConfig(root string) (config, error) {
	c := defaults()
	raw, err := os.ReadFile(filepath.Join(root, configFile))
	if errors.Is(err, fs.ErrNotExist) {
		if exists(filepath.Join(root, strayConfig)) {
			return c, usage("found %s, but settings are read from %s: rename the file", strayConfig, configFile)
		}
		return c, nil
	}
	if errors.Is(err, syscall.EISDIR) {
		return c, usage("%s is a folder, but settings are read from a file of that name: move the folder away", configFile)
	}
	if err != nil {
		return c, usage("%s cannot be read: %v", configFile, errors.Unwrap(err))
	}
	return parseConfig(raw)
}

// parseConfig reads the text of the settings.
func parseConfig(raw []byte) (config, error) {
	c := defaults()
	d := yaml.NewDecoder(bytes.NewReader(raw))
	d.KnownFields(true)
	if err := d.Decode(&c); err != nil && !errors.Is(err, io.EOF) {
		if list := mistakes(raw); len(list) > 0 {
			return c, errors.Join(list...)
		}
		return c, notSettings(configFile, raw, err)
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return c, usage("%s has more than one document: keep all settings in the first, and delete the line --- and what follows", configFile)
	}
	return c, errors.Join(inOrder(raw, c.check())...)
}

// mistakes are all that is wrong with the settings, in the order of their lines: a decoder stops at many. It is empty for a file whose
// keys cannot be read one by one.
func mistakes(raw []byte) []error {
	var file yaml.Node
	if yaml.Unmarshal(raw, &file) != nil || len(file.Content) != 1 || file.Content[0].Kind != yaml.MappingNode {
		return nil
	}
	keys, lines := file.Content[0].Content, strings.SplitAfter(string(raw), "\n")
	c, list := defaults(), []error(nil)
	for i := 0; i < len(keys); i += 2 {
		from, to := keys[i].Line-1, len(lines)
		if i+2 < len(keys) {
			to = keys[i+2].Line - 1
		}
		if to <= from { // several on one line
			return nil
		}
		if found := unknownIn(file.Content[0], reflect.TypeFor[config](), "", i); len(found) > 0 {
			list = append(list, found...)
			continue
		}
		d := yaml.NewDecoder(strings.NewReader(strings.Repeat("\n", from) + strings.Join(lines[from:to], "")))
		d.KnownFields(true)
		if err := d.Decode(&c); err != nil {
			list = append(list, usage("%s: %s", configFile, yamlMistake{err, raw}))
		}
	}
	if len(list) == 0 {
		return nil
	}
	return inOrder(raw, errors.Join(append(list, c.check())...))
}

// inOrder are the mistakes of an error in the order in which the settings stand that they are about.
func inOrder(raw []byte, err error) []error {
	var list []error
	var flat func(error)
	flat = func(err error) {
		if many, ok := err.(interface{ Unwrap() []error }); ok {
			for _, one := range many.Unwrap() {
				flat(one)
			}
		} else if err != nil {
			list = append(list, err)
		}
	}
	flat(err)
	var file yaml.Node
	_ = yaml.Unmarshal(raw, &file)
	line := func(err error) int {
		text := strings.TrimPrefix(err.Error(), configFile+": ")
		if m := lineNumber().FindStringSubmatch(text); m != nil {
			n, _ := strconv.Atoi(m[1])
			return n
		}
		key := text[:max(0, strings.IndexAny(text, ": "))]
		for _, doc := range file.Content {
			for i := 0; i < len(doc.Content); i += 2 {
				if doc.Content[i].Value == key {
					return doc.Content[i].Line
				}
			}
		}
		return 0
	}
	slices.SortStableFunc(list, func(a, b error) int { return cmp.Compare(line(a), line(b)) })
	return list
}

// notSettings says why a file has no settings: for tabs and merges a parser of YAML has no good words.
func notSettings(file string, raw []byte, err error) error {
	if !utf8.Valid(raw) {
		return usage("%s is not UTF-8: save it as UTF-8 in your editor", file)
	}
	if mistake := new(yaml.TypeError); errors.As(err, &mistake) || !strings.HasPrefix(err.Error(), "yaml: ") {
		return usage("%s: %s", file, yamlMistake{err, raw})
	}
	for i, line := range strings.Split(string(raw), "\n") {
		if mergeMark().MatchString(line) {
			return usage("%s: line %d is a marker of a merge conflict: resolve the conflict, then try again", file, i+1)
		}
		if tabbed().MatchString(line) {
			return usage("%s: line %d begins with a tab: indent it with spaces", file, i+1)
		}
	}
	return usage("%s: %s", file, yamlMistake{err, raw})
}

var (
	wrongType  = re.New("line ([0-9]+): cannot unmarshal !!\\w+ (?:`([^`]*)` )?into (\\S+)")
	unknownKey = re.New(`field (\S+) not found in type \S+`)
	lineNumber = re.New(`line ([0-9]+): `)
	mergeMark  = re.New(`^(<<<<<<<|=======|>>>>>>>)( |\r?$)`)
	tabbed     = re.New(`^ *\t`)
)

// yamlMistake says what is wrong with a file of settings, a line each, and what helps.
type yamlMistake struct {
	err error
	raw []byte
}

func (m yamlMistake) Error() string { return m.in(report.English) }

func (m yamlMistake) in(l report.Lang) string {
	wants := map[string]string{
		"int": l.T("a whole number"), "bool": l.T("true or false"), "string": l.T("a string"), "[]string": l.T("a list of strings"),
		"map[string]string": l.T("a map of names to strings"), "float64": l.T("a number"),
	}
	text := strings.TrimPrefix(strings.TrimPrefix(inLang(l, m.err), "yaml: unmarshal errors:\n  "), "yaml: ")
	var file yaml.Node
	_ = yaml.Unmarshal(m.raw, &file)
	text = wrongType().ReplaceAllStringFunc(text, func(s string) string {
		found := wrongType().FindStringSubmatch(s)
		line, _ := strconv.Atoi(found[1])
		at, want := found[0][:len("line ")+len(found[1])+len(": ")], cmp.Or(wants[found[3]], l.T("a map of names to values"))
		if key := keyAt(&file, line); key != "" {
			at += key + ": "
		}
		if found[2] == "" {
			return at + fmt.Sprintf(l.T("must be %v"), want)
		}
		return at + fmt.Sprintf(l.T("%q: must be %s"), found[2], want)
	})
	text = unknownKey().ReplaceAllStringFunc(text, func(s string) string {
		key := unknownKey().FindStringSubmatch(s)[1]
		if near, ok := nearest(key, settingNames()); ok {
			return fmt.Sprintf(l.T("unknown key %s (did you mean %s?)"), key, near)
		}
		return fmt.Sprintf(l.T("unknown key %s"), key)
	})
	text = lineNumber().ReplaceAllString(text, l.T("line $1: "))
	return strings.ReplaceAll(text, "\n  ", "; ") + l.T(". All keys: https://github.com/jacquard-build/jacquard/blob/main/docs/reference/configuration.md")
}

// keyAt is the innermost key of a map whose value begins in a line; "" for none.
func keyAt(n *yaml.Node, line int) string {
	for i, child := range n.Content {
		if key := keyAt(child, line); key != "" {
			return key
		}
		if n.Kind == yaml.MappingNode && i%2 == 1 && child.Line == line {
			return n.Content[i-1].Value
		}
	}
	return ""
}

// settingNames are the keys of a file of settings.
func settingNames() []string {
	var out []string
	t := reflect.TypeFor[config]()
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
		out = append(out, name)
	}
	return out
}

func (c config) check() error {
	in := func(name, v string, allowed ...string) error {
		if slices.Contains(allowed, v) {
			return nil
		}
		want := strings.TrimPrefix(strings.Join(allowed, ", "), ", ")
		if near, ok := nearest(v, allowed); ok && near != "" {
			return usage("%s: %s %q: must be one of %s; did you mean %s?", configFile, name, v, want, near)
		}
		return usage("%s: %s %q: must be one of %s", configFile, name, v, want)
	}
	_, budget := parseBudget(c.Budget)
	if budget != nil {
		budget = usage("%s: %v", configFile, budget)
	}
	var project error
	if c.Project != "" && !projectForm().MatchString(c.Project) {
		project = usage("%s: project %q: must contain only letters, digits and . _ - /", configFile, c.Project)
	}
	var work error
	if least := min(c.Work.DirectRequirements, c.Work.DirectCriteria, c.Work.PipelineTasks); least < 0 {
		work = usage("%s: work: %d: must be at least 0", configFile, least)
	}
	styles := errors.Join(c.checkStyles()...)
	if names := c.styleNames(); c.Do.Style != "" && !slices.Contains(names, c.Do.Style) {
		styles = errors.Join(styles, usage("%s: %v", configFile, words("line %d: do: %s %q: must be one of %s", c.Do.line, "style", c.Do.Style, strings.Join(names, ", "))))
	}
	return errors.Join(budget, work, styles, c.checkACP(), in("agent", c.Agent, slices.Concat(step.AgentNames(), c.moreAgents())...), in("auth", c.Auth, "key", "login", "auto"), in("lang", c.Lang, "", "en", "ko"), in("engine", c.Engine, "", onLocal, onTemporal), in("documents", c.Docs, "", act.CommitDocuments, act.KeepDocuments), project, c.checkSeats(), c.Sandbox.check(configFile))
}

// maxPanel is how many design at the same time.
const maxPanel = 3

// seatForm is what a seat looks like; names of models have colons, strokes and brackets.
var seatForm = re.New(`^[\w.@][\w.:@/\[\]+-]*[\w\]]$`)

// checkSeats checks who is to do which role.
func (c config) checkSeats() error {
	var errs []error
	known := func(key, name string, names []string) bool {
		ok := slices.Contains(names, name)
		if !ok {
			errs = append(errs, usage("%s: %s: %q: must be one of %s", configFile, key, name, strings.Join(names, ", ")))
		}
		return ok
	}
	seat := func(key, text string, tiers bool) {
		want, tier := words("agent/model, an agent (%s) or a model", c.agentNames()), slices.Contains(step.Tiers(), text)
		if tiers {
			want = words("a tier (%s), %v", strings.Join(step.Tiers(), ", "), want)
		}
		if tier && !tiers || !seatForm().MatchString(text) {
			errs = append(errs, usage("%s: %s %q: must be %v", configFile, key, text, want))
		}
	}
	for _, tier := range slices.Sorted(maps.Keys(c.Models)) {
		if known("models", tier, step.Tiers()) {
			seat("models: "+tier, c.Models[tier], false)
		}
	}
	for _, role := range slices.Sorted(maps.Keys(c.Roles)) {
		if known("roles", role, step.Roles()) {
			seat("roles: "+role, c.Roles[role], true)
		}
	}
	for _, text := range c.Panel {
		seat("panel", text, false)
	}
	if len(c.Panel) > maxPanel {
		errs = append(errs, usage("%s: panel has %d models: must be at most %d", configFile, len(c.Panel), maxPanel))
	}
	return errors.Join(errs...)
}

// findRoot finds the project: the nearest jacquard.yaml or jacquard.lock upwards, else the git top level, else the nearest manifest.
// Nothing above a repository is looked at: one that lies in the folder of another project is a project of its own.
func findRoot(from string) string {
	abs, err := filepath.Abs(from)
	if err != nil {
		return from
	}
	groups := [][]string{
		{configFile, strayConfig, "jacquard.lock"},
		{".git"},
		{"package.json", "go.mod", "pyproject.toml", "Cargo.toml", "pom.xml", "build.gradle", "build.gradle.kts", "setup.py"},
	}
	for _, names := range groups {
		for dir := abs; ; dir = filepath.Dir(dir) {
			for _, n := range names {
				if exists(filepath.Join(dir, n)) {
					return dir
				}
			}
			if dir == filepath.Dir(dir) || exists(filepath.Join(dir, ".git")) {
				break
			}
		}
	}
	return abs
}

// projectForm is what the name of a project on a cluster looks like.
var projectForm = re.New(`^[\w.][\w./-]{0,199}$`)

// Where a run is carried on.
const (
	onLocal    = "local"
	onTemporal = "temporal"
)
