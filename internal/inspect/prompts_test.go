package inspect_test

import (
	"slices"
	"strings"
	"testing"
)

// TestPrompts has one prompt in each way in which it can be wrong.
func TestPrompts(t *testing.T) {
	t.Parallel()
	agent := func(body string) map[string]string {
		return map[string]string{"agents/compiler.md": "---\nname: compiler\ndescription: Compile code\ntools: [Read, Write]\n---\n\n" + body}
	}
	skill := func(head, body string) map[string]string {
		return map[string]string{"skills/diff/SKILL.md": "---\n" + head + "\n---\n" + body}
	}
	good := "name: diff\ndescription: Finds changes\nallowed-tools: [Read, Grep]"
	for name, c := range map[string]struct {
		files map[string]string
		want  []string // severity and a part of each message
	}{
		"a skill":                {skill(good+"\nversion: 1.1.0", "Body"), nil},
		"a skill in .claude":     {map[string]string{".claude/skills/x/SKILL.md": "---\nname: y\ndescription: d\nallowed-tools: Read\n---\n"}, []string{"Error does not match directory 'x'"}},
		"another name":           {skill("name: other\ndescription: d\nallowed-tools: [Read]", ""), []string{"Error Skill name 'other' does not match directory 'diff'"}},
		"no description":         {skill("name: diff\nallowed-tools: [Read]", ""), []string{"Error Invalid YAML frontmatter: missing field 'description'"}},
		"no name":                {skill("description: d\nallowed-tools: [Read]", ""), []string{"Error Invalid YAML frontmatter: missing field 'name'"}},
		"much at once":           {skill("name: other\nallowed-tools: [Reed]", ""), []string{"Error missing field 'description'", "Error does not match directory 'diff'", "Error Unknown tool 'Reed'"}},
		"no YAML":                {skill("name: [", ""), []string{"Error Invalid YAML frontmatter: yaml"}},
		"no frontmatter":         {map[string]string{"agents/a.md": "# a\n"}, []string{"Error Invalid YAML frontmatter"}},
		"no end of it":           {map[string]string{"agents/a.md": "---\nname: a\n"}, []string{"Error Invalid YAML frontmatter"}},
		"no tools":               {map[string]string{"agents/a.md": "---\nname: a\ndescription: d\n---\n"}, []string{"Warning add the field 'tools'"}},
		"unknown tool":           {skill("name: diff\ndescription: d\nallowed-tools: [Read, Reed]", ""), []string{"Error Unknown tool 'Reed'"}},
		"tools in a line":        {skill("name: diff\ndescription: d\nallowed-tools: Read, Bash(git diff:*), mcp__x__y", ""), nil},
		"another agent":          {map[string]string{"agents/a.md": "---\nname: b\ndescription: d\ntools: []\n---\n"}, []string{"Error Agent name 'b' does not match file name 'a'"}},
		"a document":             {map[string]string{"agents/README.md": "# x\n", "agents/deep/x.md": "x", "skills/x.md": "x"}, nil},
		"a result":               {agent("---compiler-result---\nstatus: approve\n---end-compiler-result---\n"), nil},
		"several values":         {agent("---x-result---\nstatus: {approve|warning} # which\n---end-x-result---\n---x-result---\nstatus: approve | feedback\nfiles:\n    status: anything\n---end-x-result---\n"), nil},
		"no end of a result":     {agent("---compiler-result---\nstatus: approve\n"), []string{"Error no matching end delimiter"}},
		"no start of a result":   {agent("status: approve\n---end-compiler-result---\n"), []string{"Error no matching start delimiter"}},
		"another result":         {agent("---a-result---\nstatus: approve\n---end-b-result---\n"), []string{"Error no matching end delimiter"}},
		"a result in a result":   {agent("---a-result---\n---b-result---\nstatus: error\n---end-b-result---\n"), []string{"Error 'a-result' has no matching end delimiter"}},
		"no status":              {agent("---compiler-result---\noutput: x\n    status: approve\n---end-compiler-result---\n"), []string{"Error is missing 'status' field"}},
		"another status":         {agent("---compiler-result---\nstatus: approve | completed\n---end-compiler-result---\n"), []string{"Error Invalid status 'completed'"}},
		"no such agent":          {agent("Task(reviewer, x=1) and Task(compiler)"), []string{"Error Task(reviewer): there is no agent agents/reviewer.md"}},
		"no such skill":          {skill(good, `Skill("claude-md-plugin:diff") and Skill("lost")`), []string{`Error Skill("lost"): there is no skill skills/lost/SKILL.md`}},
		"commands":               {skill(good, "claude-md-core parse-tree --root . and jacquard spec tree"), nil},
		"no such command":        {skill(good, "x\n`claude-md-core parse-forest`, jacquard spec forest"), []string{"Error Unknown command: claude-md-core parse-forest", "Error Unknown command: jacquard spec forest"}},
		"with line feeds of DOS": {map[string]string{"agents/a.md": "\uFEFF---\r\nname: a\r\ndescription: d\r\ntools: [Read]\r\n---\r\nTask(b)\r\n"}, []string{"Error Task(b)"}},
		"empty":                  {map[string]string{"agents/a.md": ""}, []string{"Error Invalid YAML frontmatter"}},
		"nothing at all":         {map[string]string{"x.go": ""}, nil},
	} {
		v := project(c.files).Prompts([]string{"parse-tree", "tree"})
		var got []string
		for _, i := range v.Issues {
			got = append(got, i.Severity+" "+i.Message)
			if i.Line < 1 || c.files[i.File] == "" && name != "empty" {
				t.Errorf("%s: no place: %+v", name, i)
			}
		}
		same := len(got) == len(c.want)
		for i := range min(len(got), len(c.want)) {
			severity, part, _ := strings.Cut(c.want[i], " ")
			same = same && strings.HasPrefix(got[i], severity) && strings.Contains(got[i], part)
		}
		errors := slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "Error") })
		if !same || v.Valid == errors {
			t.Errorf("%s: valid %t\n%s\nwant\n%s", name, v.Valid, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

func TestPromptsCountReferencesAndTools(t *testing.T) {
	t.Parallel()
	v := project(map[string]string{
		"agents/compiler.md": "---\nname: compiler\ndescription: d\ntools: [Read, Task]\n---\nSkill(\"diff\")\n",
		"skills/diff/SKILL.md": "---\nname: diff\ndescription: d\nallowed-tools: [Read, Task]\n---\nTask(compiler, phase=red)\nTask(compiler)\nTask(lost)\n" +
			"claude-md-core parse-tree\nclaude-md-core nothing\n",
	}).Prompts([]string{"parse-tree"})
	if v.Skills != 1 || v.Agents != 1 || v.CrossRefs.Tasks != 3 || v.CrossRefs.Skills != 1 || !slices.Equal(v.CrossRefs.UnresolvedTasks, [][2]string{{"lost", "skills/diff/SKILL.md"}}) ||
		len(v.CrossRefs.UnresolvedSkills) != 0 {
		t.Errorf("counts %+v", v)
	}
	if len(v.Tools) != 1 || v.Tools[0].File != "agents/compiler.md" || !slices.Equal(v.Tools[0].NotUsed, []string{"Task"}) || !slices.Equal(v.Tools[0].NotDeclared, []string{"Skill"}) {
		t.Errorf("tools %+v", v.Tools)
	}
	if v.Commands.All != 2 || v.Commands.Valid != 1 || !slices.Equal(v.Commands.Invalid, [][2]string{{"nothing", "skills/diff/SKILL.md"}}) {
		t.Errorf("commands %+v", v.Commands)
	}
}
