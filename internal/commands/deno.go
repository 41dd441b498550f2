package commands

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

// DenoConfigs are the names of Deno's configuration.
var DenoConfigs = []string{"deno.json", "deno.jsonc"}

// deno follows a task of Deno (docs.deno.com, "deno task"); all else is its own.
func (r *reader) deno(argv []string, where at) {
	rest := flagless(argv[1:])
	if len(rest) < 2 || rest[0] != "task" {
		r.add(argv, where)
		return
	}
	for rest = rest[1:]; len(rest) > 0 && strings.HasPrefix(rest[0], "-"); {
		n := 1
		if flag, dir, joined := strings.Cut(rest[0], "="); slices.Contains([]string{"--cwd", "-c", "--config", "-f", "--filter"}, flag) && !joined && len(rest) > 1 {
			if n = 2; flag == "--cwd" {
				where.dir = path.Join(where.dir, rest[1])
			}
		} else if joined && flag == "--cwd" {
			where.dir = path.Join(where.dir, dir)
		}
		rest = rest[n:]
	}
	if len(rest) > 0 {
		where.args = append(slices.Clone(rest[1:]), where.args...)
		r.denoTask(rest[0], where)
	}
}

// denoTask follows a task of the nearest configuration of Deno, with those that it depends on; the scripts of a package.json are tasks as well.
func (r *reader) denoTask(name string, where at) {
	if where.depth > deepest {
		return
	}
	for _, dir := range above(where.dir) {
		for _, base := range DenoConfigs {
			file := path.Join(dir, base)
			var config struct {
				Tasks map[string]json.RawMessage `json:"tasks"`
			}
			if json.Unmarshal(PlainJSON([]byte(r.text(file))), &config) != nil || config.Tasks[name] == nil {
				continue
			}
			var task struct {
				Command      string   `json:"command"`
				Dependencies []string `json:"dependencies"`
			}
			if json.Unmarshal(config.Tasks[name], &task.Command) != nil && json.Unmarshal(config.Tasks[name], &task) != nil {
				return
			}
			inner := where.in(file+": "+name, where.args...)
			if where.from == base {
				inner.from = file + ": " + name
			}
			inner.dir = dir
			for _, other := range task.Dependencies {
				before := inner
				before.args = nil
				r.denoTask(other, before)
			}
			r.shell(task.Command, inner)
			return
		}
	}
	r.npmScript(name, where)
}

var (
	jsonComment  = re.New(`("(?:[^"\\]|\\.)*")|//[^\n]*|(?s:/\*.*?\*/)`)
	jsonTrailing = re.New(`("(?:[^"\\]|\\.)*")|,(\s*[}\]])`)
)

// PlainJSON is a text of JSON without comments and without commas behind the last of a list.
func PlainJSON(text []byte) []byte {
	return jsonTrailing().ReplaceAll(jsonComment().ReplaceAll(text, []byte("$1")), []byte("$1$2"))
}
