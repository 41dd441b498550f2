package lies

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/jacquard-build/jacquard/internal/spec"
)

// Case is one lie, or one piece of honest work, in one process.
type Case struct {
	Author
	Build   *Build
	Process string // "compile" or "work"
	Family  string
	Way     string
	Honest  bool
	Module  string // the name that stands for ${MODULE}
	before  *before
	command string // work: the criterion's, where it is another one
	alone   bool   // its plan may be refused, so that nothing else is in it
}

// before is what a task of work finds: a module that is there, and what it is asked for.
type before struct {
	files map[string]string
	kind  string // of the task, "" for feat
	title string
	wants []string
	scope string
}

// Name is the same for the same case in every version.
func (c *Case) Name() string {
	return strings.Join([]string{c.Process, c.Build.Lang, c.Family, c.Way, c.Build.Name}, "/")
}

// Project is the name of the kind of project that the case needs: cases with one name can be in one.
func (c *Case) Project() string {
	if c.alone {
		return c.Process + "-" + c.Build.Lang + "-" + c.Module
	}
	return c.Process + "-" + c.Build.Lang
}

// Dir is where the module lies in its project.
func (c *Case) Dir() string { return c.Build.lang().root + c.Module }

func (c *Case) subst(text string) string {
	return strings.NewReplacer("${MODULE}", c.Module, "${DIR}", c.Dir()).Replace(text)
}

// written is what the authors write, by path: of the code and of the tests.
func (c *Case) written() (code, tests map[string]string) {
	l := c.Build.lang()
	code = map[string]string{path.Join(c.Dir(), c.subst(l.code)): c.Code}
	tests = map[string]string{path.Join(c.Dir(), c.subst(l.test)): c.Tests}
	for into, from := range map[*map[string]string]map[string]string{&code: c.Extra, &tests: c.TestExtra} {
		for name, text := range from {
			(*into)[c.subst(name)] = text
		}
	}
	for _, list := range []map[string]string{code, tests} {
		for name, text := range list {
			list[name] = c.subst(text)
			if text == "" {
				delete(list, name)
			}
		}
	}
	return code, tests
}

// Delivered is all that the authors write.
func (c *Case) Delivered() map[string]string {
	code, tests := c.written()
	for name, text := range tests {
		code[name] = text
	}
	return code
}

// Oracle is a program that ends with "oracle: right" when the module is right, and the command that runs it.
func (c *Case) Oracle() (file, text string, command []string) {
	l := c.Build.lang()
	file, text = l.oracle(c.Build, c.Module)
	command = l.oracleRun
	if c.released {
		command = l.released
	}
	return file, text, append(slices.Clone(command), file)
}

// Tested is the command that runs the module's own tests.
func (c *Case) Tested() []string { return strings.Fields(c.subst(c.Build.lang().testCommand)) }

// Spec is the module's specification.
func (c *Case) Spec() string { return c.subst(c.Build.spec) }

// claims are the answer of the author of the tests.
func (c *Case) claims() []byte {
	l := c.Build.lang()
	file := path.Join(c.Dir(), c.subst(l.test))
	doc, _ := spec.Parse(path.Join(c.Dir(), "CLAUDE.md"), []byte(c.Spec()))
	type claim struct {
		Item  string   `json:"item"`
		Tests []string `json:"tests"`
	}
	answer := struct {
		Tests   []claim   `json:"tests"`
		HeldOut []heldOut `json:"held_out,omitempty"`
	}{[]claim{}, c.keepsBack()}
	for _, it := range spec.Items(doc) {
		name := l.values
		if it.Category == "error" && strings.Contains(c.Tests, l.errs) {
			name = l.errs
		}
		answer.Tests = append(answer.Tests, claim{it.ID, []string{file + "::" + name}})
	}
	raw, err := json.Marshal(answer)
	if err != nil {
		panic(err) // text is always encoded
	}
	return raw
}

// heldOut is a call that the author of the code does not know.
type heldOut struct {
	Call  string `json:"call"`
	Gives string `json:"gives"`
}

// keepsBack are the calls that are kept from the author of the code.
func (c *Case) keepsBack() (out []heldOut) {
	if !c.heldOut && !c.Honest {
		return nil
	}
	for _, r := range c.Build.kept() {
		key := r.key()
		out = append(out, heldOut{Call: c.Build.meta["func"] + "(" + key[1:len(key)-1] + ")", Gives: r.want})
	}
	return out
}

// play collects what scripted authors do.
type play struct {
	script strings.Builder
	files  []txtar.File
}

func (p *play) add(name, text string) string {
	p.files = append(p.files, txtar.File{Name: name, Data: []byte(strings.TrimRight(text, "\n") + "\n")})
	return name
}

func (p *play) turn(role, module string, files map[string]string, answer string) {
	fmt.Fprintf(&p.script, "turn %s %s *\n", role, module)
	for _, name := range keys(files) {
		fmt.Fprintf(&p.script, "  write %s %s\n", name, p.add(strings.ReplaceAll(role+"/"+module+"/"+name, " ", "_"), files[name]))
	}
	fmt.Fprintf(&p.script, "  answer %s\n", answer)
}

// silent lets who challenges a change find nothing: lies are to be found by the engine.
func (p *play) silent() {
	p.turn("challenge", "*", nil, p.add("nothing.json", `{"held_out": []}`))
}

func (p *play) scenario() []byte {
	return txtar.Format(&txtar.Archive{Comment: []byte(p.script.String()), Files: p.files})
}

func keys(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// Compile gives a project with the specs of cases that can be in one, and what their authors do in `jacquard build`.
func Compile(cases []*Case, builds []*Build) (project map[string]string, scenario []byte) {
	l := cases[0].Build.lang()
	project = map[string]string{".gitignore": "__pycache__/\nnode_modules/\ntarget/\n"}
	for name, text := range l.project {
		project[name] = text
	}
	p := &play{}
	done := p.add("done.json", `{"summary": "Done as the specification says.", "implements": {}}`)
	none := p.add("none.json", `{"tests": []}`)
	for _, c := range append(slices.Clone(cases), Dependencies(cases[0].Build.Lang, builds)...) {
		project[path.Join(c.Dir(), "CLAUDE.md")] = c.Spec()
		code, tests := c.written()
		p.turn("red", c.Dir(), tests, p.add("claims/"+c.Dir(), string(c.claims())))
		p.turn("green", c.Dir(), code, done)
	}
	p.turn("refactor", "*", nil, done)
	p.turn("strength", "*", nil, none)
	p.silent()
	return project, p.scenario()
}

// Work gives a project, a request, and what the authors of its tasks do in `jacquard work`: one task for each case, in order.
func Work(cases []*Case, builds []*Build) (project map[string]string, scenario []byte) {
	l := cases[0].Build.lang()
	project = map[string]string{".gitignore": "__pycache__/\nnode_modules/\ntarget/\n"}
	for name, text := range l.project {
		project[name] = text
	}
	for _, c := range Dependencies(cases[0].Build.Lang, builds) {
		for name, text := range c.Delivered() {
			project[name] = text
		}
	}
	type text struct {
		Text    string `json:"text"`
		Command string `json:"command"`
	}
	type file struct {
		Path   string `json:"path"`
		Action string `json:"action"`
	}
	type task struct {
		ID     string   `json:"id"`
		Type   string   `json:"type"`
		Title  string   `json:"title"`
		Scope  string   `json:"scope"`
		Files  []file   `json:"files"`
		Covers []string `json:"covers"`

		HeldOut []heldOut `json:"held_out,omitempty"`
	}
	var (
		functional []string
		criteria   []text
		tasks      []task
	)
	p := &play{}
	done := p.add("done.json", `{"summary": "Done as it was asked for.", "what": "the module", "why": "it was asked for", "caution": "None", "incomplete": "None"}`)
	for i, c := range cases {
		wants, scope, title := c.sentences(), c.Spec(), "Write "+c.Dir()
		if c.before != nil {
			for name, text := range c.before.files {
				project[c.subst(name)] = c.subst(text)
			}
			wants, scope, title = c.before.wants, c.before.scope, c.subst(c.before.title)
		}
		kind := "feat"
		if c.before != nil && c.before.kind != "" {
			kind = c.before.kind
		}
		t := task{ID: fmt.Sprintf("TASK-%02d", i), Type: kind, Title: title, Scope: c.subst(scope)}
		for _, w := range wants {
			functional = append(functional, c.subst(w))
			t.Covers = append(t.Covers, fmt.Sprintf("FR-%02d", len(functional)))
		}
		command := l.testCommand
		if c.command != "" {
			command = c.command
		}
		criteria = append(criteria, text{c.subst("${DIR} does what is asked for"), c.subst(command)})
		t.Covers = append(t.Covers, fmt.Sprintf("AC-%02d", i+1), "NFR-01") // with the latter it is no small work, which has one task
		delivered := c.Delivered()
		for _, name := range keys(delivered) {
			action := "CREATE"
			if _, there := project[name]; there {
				action = "MODIFY"
			}
			t.Files = append(t.Files, file{name, action})
		}
		t.HeldOut = c.keepsBack()
		tasks = append(tasks, t)
		p.turn("build", t.ID, delivered, done)
	}
	requirement := map[string]any{"title": "The modules", "type": "feat", "functional": functional, "nonfunctional": []string{"Nothing else changes"}, "criteria": criteria, "areas": []string{"."}, "task": map[string]any{"title": tasks[0].Title, "scope": tasks[0].Scope, "files": tasks[0].Files}}
	p.turn("specify", "*", nil, p.add("requirement.json", encode(requirement)))
	p.turn("plan", "*", nil, p.add("plan.json", encode(map[string]any{"goal": "The modules are there.", "tasks": tasks})))
	p.silent()
	return project, p.scenario()
}

func encode(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // only texts and lists are in it
	}
	return string(raw)
}

// sentences are the behaviors of the spec.
func (c *Case) sentences() []string {
	_, text, _ := strings.Cut(c.Build.spec, "## Behavior\n")
	text, _, _ = strings.Cut(text, "\n## ")
	var out []string
	for line := range strings.Lines(text) {
		if s, ok := strings.CutPrefix(strings.TrimSpace(line), "- "); ok {
			out = append(out, "${DIR}: "+s)
		}
	}
	return out
}

// inWork says which ways that are no task of their own are tried in work, too: one in so many.
const inWork = 3

// Cases lists all cases. Each way is tried with at most so many builds of a language that it fits: which ones turns with the
// way, so that all builds meet many ways.
func Cases(builds []*Build) []*Case {
	var out []*Case
	for _, l := range []string{"go", "py", "js"} {
		var own []*Build
		for _, b := range builds {
			if b.Lang == l && b.meta["role"] == "" {
				own = append(own, b)
			}
		}
		if len(own) == 0 {
			continue
		}
		ways := append(waysOf(l), common()...)
		for i, w := range ways {
			out = append(out, fit(w, own, i, "compile", 2, false)...)
			if i%inWork == 0 {
				out = append(out, fit(w, own, i+1, "work", 1, false)...)
			}
		}
		for i, w := range honestWays(l) {
			out = append(out, fit(w, own, i, "compile", 3, true)...)
			if i%inWork == 0 {
				out = append(out, fit(w, own, i, "work", 1, true)...)
			}
		}
		for i, t := range slices.Concat(shownByNothing(), bent(), copied(ways, inWork)) {
			out = append(out, t.fit(own, i, 1, false)...)
		}
		for i, t := range honestTasks() {
			out = append(out, t.fit(own, i, 2, true)...)
		}
	}
	for _, c := range out {
		c.Module = c.Build.Name + letters(c.Name())
	}
	return out
}

func (t task) fit(builds []*Build, at, most int, honest bool) []*Case {
	out := fit(t.way, builds, at, "work", most, honest)
	for _, c := range out {
		if t.before != nil {
			c.before = t.before(c.Build)
		}
		if c.renamed != nil {
			c.Build = c.renamed
		}
		c.command, c.alone = t.command, t.alone
	}
	return out
}

func fit(w way, builds []*Build, at int, process string, most int, honest bool) []*Case {
	var out []*Case
	for j := range builds {
		if len(out) == most {
			break
		}
		b := builds[(at+j)%len(builds)]
		if a := w.make(b); a != nil {
			out = append(out, &Case{Author: *a, Build: b, Process: process, Family: w.family, Way: w.name, Honest: honest})
		}
	}
	return out
}

// letters are four letters made of a name, so that modules have names that tell nothing.
func letters(name string) string {
	h := hash(name)
	var out []byte
	for range 4 {
		out = append(out, byte('a'+h%26))
		h /= 26
	}
	return string(out)
}

func waysOf(lang string) []way {
	switch lang {
	case "go":
		return goWays()
	case "py":
		return pyWays()
	case "js":
		return jsWays()
	}
	return nil
}

// Dependencies are honest cases of the builds of a language that others use.
func Dependencies(lang string, builds []*Build) []*Case {
	var out []*Case
	for _, b := range builds {
		if b.Lang == lang && b.meta["role"] == "dependency" {
			out = append(out, &Case{Author: *b.honest(), Build: b, Honest: true, Module: b.Name})
		}
	}
	return out
}

// Choose gives the cases whose names hold a text, all for "all", and for "" a sample of a number: the same for the same seed.
func Choose(cases []*Case, which string, seed uint64, sample int) []*Case {
	switch which {
	case "all":
		return cases
	case "":
		r := rand.New(rand.NewPCG(seed, 0))
		out := slices.Clone(cases)
		r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
		return out[:min(sample, len(out))]
	}
	return slices.DeleteFunc(slices.Clone(cases), func(c *Case) bool { return !strings.Contains(c.Name(), which) })
}
