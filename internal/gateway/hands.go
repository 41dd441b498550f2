package gateway

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/jacquard-build/jacquard/internal/scenario"
)

// longestWait is how long Codex waits at most for a command before it lets the
// model go on beside it.
const longestWait = 30_000

// command calls the agent's shell.
func (p *part) command(i int, line string) {
	if p.call.req.isOpencode() {
		p.tool(i, "", "bash", map[string]any{"command": line, "description": "scripted"})
		return
	}
	if !p.call.req.isCodex() {
		p.tool(i, "", "Bash", map[string]any{"command": line, "description": "scripted"})
		return
	}
	input := map[string]any{"cmd": line, "yield_time_ms": longestWait}
	if p.call.req.hasTool("exec_command") {
		p.tool(i, "", "exec_command", input)
		return
	}
	p.code(i, "exec_command", input, "text(done.output)")
}

// isCodex reports whether the tools are those of Codex: of its own, or, with
// most models, of the JavaScript that they write.
func (r request) isCodex() bool { return r.hasTool("exec_command") || r.hasTool("exec") }

// isOpencode reports whether the tools are those of opencode, of which a judge has
// some only.
func (r request) isOpencode() bool { return r.hasTool("read") && r.hasTool("grep") }

// code calls a tool through JavaScript.
func (p *part) code(i int, name string, input any, then string) {
	data, err := json.Marshal(input)
	if err != nil {
		p.say("the input of " + name + " has no JSON form: " + err.Error())
		return
	}
	p.tool(i, "", "exec", "const done = await tools."+name+"("+string(data)+"); "+then)
}

// patch calls the tool with which Codex changes files.
func (p *part) patch(i int, lines ...string) {
	text := "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch"
	if p.call.req.hasTool("exec_command") {
		p.tool(i, "", "apply_patch", text)
		return
	}
	p.code(i, "apply_patch", text, "text(done)")
}

// file turns a step on a file into the calls with which the agent does it.
func (p *part) file(i int, s scenario.Step) {
	path := filepath.FromSlash(s.Path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.call.access.turn.Dir, path)
	}
	old, err := os.ReadFile(path)
	if p.call.req.isCodex() {
		p.patchFile(i, s, path, string(old), err == nil)
		return
	}
	if s.Verb == scenario.Delete {
		p.command(i, "rm -- "+shellQuote(path))
		return
	}
	read, edit, write, at, before, after := "Read", "Edit", "Write", "file_path", "old_string", "new_string"
	if p.call.req.isOpencode() {
		read, edit, write, at, before, after = "read", "edit", "write", "filePath", "oldString", "newString"
	}
	if err == nil { // a file that is there must be read before it is changed
		p.tool(i, "r", read, map[string]any{at: path})
	}
	if s.Verb == scenario.Edit {
		p.tool(i, "", edit, map[string]any{at: path, before: s.Old, after: s.New})
		return
	}
	data, err := scenario.Apply(s, old)
	if err != nil {
		p.say(err.Error())
		return
	}
	p.tool(i, "", write, map[string]any{at: path, "content": string(data)})
}

// patchFile does a step on a file by a patch, which knows whole lines only: a
// content without an end of its last line is written by the shell.
func (p *part) patchFile(i int, s scenario.Step, path, old string, there bool) {
	if s.Verb == scenario.Delete {
		p.patch(i, "*** Delete File: "+path)
		return
	}
	data, err := scenario.Apply(s, []byte(old))
	content, whole := strings.CutSuffix(string(data), "\n")
	switch {
	case err != nil:
		p.say(err.Error())
	case !whole || (there && !strings.HasSuffix(old, "\n")):
		p.command(i, "mkdir -p -- "+shellQuote(filepath.Dir(path))+" && printf %s "+shellQuote(string(data))+" > "+shellQuote(path))
	case !there:
		p.patch(i, append([]string{"*** Add File: " + path}, marked("+", content)...)...)
	case string(data) == old:
		p.command(i, "cat -- "+shellQuote(path))
	default:
		lines := append([]string{"*** Update File: " + path, "@@"}, marked("-", strings.TrimSuffix(old, "\n"))...)
		p.patch(i, append(lines, marked("+", content)...)...)
	}
}

// marked returns the lines of a text with a mark before each.
func marked(mark, text string) []string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = mark + lines[i]
	}
	return lines
}

func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
