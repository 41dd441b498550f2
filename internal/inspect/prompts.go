package inspect

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/jacquard-build/jacquard/internal/re"
)

// Prompts is what is wrong with the skills and agents of a project: what they say about
// themselves, whom they call, and in which form they answer.
type Prompts struct {
	Root      string         `json:"root"`
	Skills    int            `json:"skills_count"`
	Agents    int            `json:"agents_count"`
	Valid     bool           `json:"valid"` // no issue is an error
	Issues    []PromptIssue  `json:"issues"`
	CrossRefs PromptRefs     `json:"cross_reference_summary"`
	Tools     []PromptTools  `json:"tool_consistency_issues"`
	Commands  PromptCommands `json:"cli_reference_summary"`
}

// PromptIssue is one of them. Severity is Error or Warning, Kind Skill or Agent.
type PromptIssue struct {
	Severity string `json:"severity"`
	Kind     string `json:"kind"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Message  string `json:"message"`
}

// PromptRefs counts calls of agents and skills. What is unresolved is a pair: the name and
// the file that has it.
type PromptRefs struct {
	Tasks            int         `json:"task_references"`
	Skills           int         `json:"skill_references"`
	UnresolvedTasks  [][2]string `json:"unresolved_task_refs"`
	UnresolvedSkills [][2]string `json:"unresolved_skill_refs"`
}

// PromptTools is an agent that declares other tools than it names. Only Skill and Task are
// named where they are used.
type PromptTools struct {
	File        string   `json:"file"`
	NotUsed     []string `json:"declared_not_used"`
	NotDeclared []string `json:"used_not_declared"`
}

// PromptCommands counts commands that prompts run; an invalid one is a pair of the command
// and the file.
type PromptCommands struct {
	All     int         `json:"cli_references"`
	Valid   int         `json:"valid_cli_refs"`
	Invalid [][2]string `json:"invalid_cli_refs"`
}

// knownTools are the tools that agents can have.
var knownTools = []string{
	"Bash", "Read", "Write", "Glob", "Grep", "Task", "Skill", "AskUserQuestion", "Edit", "WebFetch", "WebSearch", "NotebookRead", "TodoWrite",
	"Agent", "BashOutput", "ExitPlanMode", "KillShell", "LS", "MultiEdit", "NotebookEdit", "SlashCommand",
}

// statuses are the words with which a result begins.
var statuses = []string{"approve", "feedback", "warning", "error"}

var (
	taskRef     = re.New(`\bTask\(\s*"?(?:[a-z][-a-z0-9]*:)?([a-z][-a-z0-9]*)`)
	skillRef    = re.New(`\bSkill\(\s*["'](?:[a-z][-a-z0-9]*:)?([a-z][-a-z0-9]*)["']`)
	resultStart = re.New(`^---([a-z][-a-z0-9]*)-result---\s*$`)
	resultEnd   = re.New(`^---end-([a-z][-a-z0-9]*)-result---\s*$`)
	statusLine  = re.New(`^ {0,2}status:\s*(.*?)\s*(?:#.*)?$`)
	oldCommand  = re.New(`\bclaude-md-core\s+([a-z][-a-z]*)`)
	ownCommand  = re.New(`\bjacquard\s+spec\s+([a-z][-a-z]*)`)
)

// prompt is a skill or an agent.
type prompt struct {
	file, kind, name string // as it has to be called
	tools            []string
	declares         bool // it says which tools it has
	lines            []string
	first            int // line of the file at which lines begin
}

// Prompts validates skills/*/SKILL.md and agents/*.md, at the root and in .claude. commands
// are those that prompts may run.
func (p *Project) Prompts(commands []string) Prompts {
	v := &Prompts{
		Root: p.root, Issues: []PromptIssue{}, Tools: []PromptTools{},
		CrossRefs: PromptRefs{UnresolvedTasks: [][2]string{}, UnresolvedSkills: [][2]string{}}, Commands: PromptCommands{Invalid: [][2]string{}},
	}
	var all []*prompt
	has := map[string]bool{}
	for _, f := range p.files {
		kind, name := promptAt(f)
		if kind == "" {
			continue
		}
		src := p.read(f)
		if kind == "Skill" {
			v.Skills++
		} else {
			v.Agents++
		}
		has[kind+" "+name] = true
		x := &prompt{file: f, kind: kind, name: name}
		if src == nil {
			x.issue(v, "Error", 1, "Cannot read file")
			continue
		}
		x.read(v, src)
		all = append(all, x)
	}
	for _, x := range all {
		x.results(v)
		x.references(v, has)
		x.used(v)
		x.commands(v, commands)
	}
	slices.SortStableFunc(v.Issues, func(a, b PromptIssue) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line)
	})
	v.Valid = !slices.ContainsFunc(v.Issues, func(i PromptIssue) bool { return i.Severity == "Error" })
	return *v
}

// promptAt is the kind and name of the prompt in a file, by its place.
func promptAt(file string) (kind, name string) {
	parts := strings.Split(strings.TrimPrefix(file, ".claude/"), "/")
	switch {
	case len(parts) == 3 && parts[0] == "skills" && parts[2] == "SKILL.md":
		return "Skill", parts[1]
	case len(parts) == 2 && parts[0] == "agents" && path.Ext(file) == ".md" && parts[1] != "CLAUDE.md" && parts[1] != "README.md":
		return "Agent", strings.TrimSuffix(parts[1], ".md")
	}
	return "", ""
}

func (x *prompt) issue(v *Prompts, severity string, line int, format string, args ...any) {
	v.Issues = append(v.Issues, PromptIssue{severity, x.kind, x.file, line, fmt.Sprintf(format, args...)})
}

// toolList is a list of tools, or their names behind each other.
type toolList []string

// UnmarshalYAML takes both.
func (t *toolList) UnmarshalYAML(n *yaml.Node) error {
	var list []string
	if n.Kind == yaml.ScalarNode {
		depth := 0
		list = strings.FieldsFunc(n.Value, func(r rune) bool {
			switch r {
			case '(':
				depth++
			case ')':
				depth--
			}
			return depth == 0 && (r == ',' || r == ' ')
		})
	} else if err := n.Decode(&list); err != nil {
		return err
	}
	*t = toolList{}
	for _, tool := range list {
		name, _, _ := strings.Cut(strings.TrimSpace(tool), "(")
		*t = append(*t, name)
	}
	return nil
}

// read takes a prompt apart: what it says about itself, and its text.
func (x *prompt) read(v *Prompts, src []byte) {
	src = bytes.TrimPrefix(bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n")), []byte("\xef\xbb\xbf"))
	lines := strings.Split(string(src), "\n")
	x.lines, x.first = lines, 1
	end := -1
	if strings.TrimRight(lines[0], " ") == "---" {
		end = slices.IndexFunc(lines[1:], func(l string) bool { return strings.TrimRight(l, " ") == "---" })
	}
	if end < 0 {
		x.issue(v, "Error", 1, "Invalid YAML frontmatter: the file has to begin with it, between two lines of ---")
		return
	}
	x.lines, x.first = lines[end+2:], end+3
	var head struct {
		Name        string    `yaml:"name"`
		Description string    `yaml:"description"`
		Allowed     *toolList `yaml:"allowed-tools"`
		Tools       *toolList `yaml:"tools"`
	}
	if err := yaml.Unmarshal([]byte(strings.Join(lines[1:end+1], "\n")), &head); err != nil {
		x.issue(v, "Error", 1, "Invalid YAML frontmatter: %v", err)
		return
	}
	for _, f := range [][2]string{{"name", head.Name}, {"description", head.Description}} {
		if f[1] == "" {
			x.issue(v, "Error", 1, "Invalid YAML frontmatter: missing field '%s'", f[0])
		}
	}
	field, list := "allowed-tools", head.Allowed
	if x.kind == "Agent" {
		field, list = "tools", head.Tools
	}
	if head.Name != "" && head.Name != x.name {
		where := "directory"
		if x.kind == "Agent" {
			where = "file name"
		}
		x.issue(v, "Error", 1, "%s name '%s' does not match %s '%s'", x.kind, head.Name, where, x.name)
	}
	if list == nil {
		x.issue(v, "Warning", 1, "%s does not list its tools: add the field '%s'", x.kind, field)
		return
	}
	x.declares, x.tools = true, *list
	for _, tool := range x.tools {
		if !slices.Contains(knownTools, tool) && !strings.HasPrefix(tool, "mcp__") && tool != "*" {
			x.issue(v, "Error", 1, "Unknown tool '%s' in '%s'", tool, field)
		}
	}
}

// results checks the blocks in which a prompt answers.
func (x *prompt) results(v *Prompts) {
	open, at, status := "", 0, false
	for i, l := range x.lines {
		line := x.first + i
		l = strings.TrimRight(l, " \t")
		if m := resultEnd().FindStringSubmatch(strings.TrimSpace(l)); m != nil {
			switch {
			case open == "":
				x.issue(v, "Error", line, "Result block '%s-result' has no matching start delimiter", m[1])
			case open != m[1]:
				x.issue(v, "Error", at, "Result block '%s-result' has no matching end delimiter: '%s-result' ends there", open, m[1])
			case !status:
				x.issue(v, "Error", at, "Result block '%s-result' is missing 'status' field", open)
			}
			open = ""
			continue
		}
		if m := resultStart().FindStringSubmatch(strings.TrimSpace(l)); m != nil {
			if open != "" {
				x.issue(v, "Error", at, "Result block '%s-result' has no matching end delimiter", open)
			}
			open, at, status = m[1], line, false
			continue
		}
		if m := statusLine().FindStringSubmatch(l); m != nil && open != "" && !status {
			status = true
			for value := range strings.SplitSeq(strings.Trim(m[1], "{} "), "|") {
				if value = strings.Trim(value, "{}\"' "); !slices.Contains(statuses, value) {
					x.issue(v, "Error", line, "Invalid status '%s' in result block '%s-result': want %s", value, open, strings.Join(statuses, ", "))
				}
			}
		}
	}
	if open != "" {
		x.issue(v, "Error", at, "Result block '%s-result' has no matching end delimiter", open)
	}
}

// references checks whom a prompt calls.
func (x *prompt) references(v *Prompts, has map[string]bool) {
	for i, l := range x.lines {
		for _, m := range taskRef().FindAllStringSubmatch(l, -1) {
			v.CrossRefs.Tasks++
			if !has["Agent "+m[1]] {
				v.CrossRefs.UnresolvedTasks = append(v.CrossRefs.UnresolvedTasks, [2]string{m[1], x.file})
				x.issue(v, "Error", x.first+i, "Task(%s): there is no agent agents/%s.md", m[1], m[1])
			}
		}
		for _, m := range skillRef().FindAllStringSubmatch(l, -1) {
			v.CrossRefs.Skills++
			if !has["Skill "+m[1]] {
				v.CrossRefs.UnresolvedSkills = append(v.CrossRefs.UnresolvedSkills, [2]string{m[1], x.file})
				x.issue(v, "Error", x.first+i, "Skill(%q): there is no skill skills/%s/SKILL.md", m[1], m[1])
			}
		}
	}
}

// used compares the tools that an agent declares with those that it names.
func (x *prompt) used(v *Prompts) {
	if x.kind != "Agent" || !x.declares || slices.Contains(x.tools, "*") {
		return
	}
	t := PromptTools{File: x.file, NotUsed: []string{}, NotDeclared: []string{}}
	text := strings.Join(x.lines, "\n")
	for _, tool := range []string{"Skill", "Task"} {
		declared, used := slices.Contains(x.tools, tool), strings.Contains(text, tool+"(")
		switch {
		case declared && !used:
			t.NotUsed = append(t.NotUsed, tool)
		case used && !declared:
			t.NotDeclared = append(t.NotDeclared, tool)
		}
	}
	if len(t.NotUsed)+len(t.NotDeclared) > 0 {
		v.Tools = append(v.Tools, t)
	}
}

// commands checks the commands that a prompt runs.
func (x *prompt) commands(v *Prompts, known []string) {
	for i, l := range x.lines {
		for _, m := range append(oldCommand().FindAllStringSubmatch(l, -1), ownCommand().FindAllStringSubmatch(l, -1)...) {
			v.Commands.All++
			if slices.Contains(known, m[1]) {
				v.Commands.Valid++
				continue
			}
			v.Commands.Invalid = append(v.Commands.Invalid, [2]string{m[1], x.file})
			x.issue(v, "Error", x.first+i, "Unknown command: %s", m[0])
		}
	}
}
