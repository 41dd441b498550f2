package commands

import (
	"path"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// XTask is what Runs says of a command that runs a task of the project by a program of its own, as cargo xtask does.
const XTask = "xtask"

// cargo follows the aliases of Cargo (doc.rust-lang.org/cargo, "Configuration", alias). A task that is a program of the project itself is
// taken as it is, by its name.
func (r *reader) cargo(argv []string, where at) {
	full, named := argv, false
	for range deepest {
		i := 1
		for i < len(full) && (strings.HasPrefix(full[i], "-") || strings.HasPrefix(full[i], "+")) {
			if i++; slices.Contains(cargoValued, full[i-1]) {
				i++
			}
		}
		if i >= len(full) {
			break
		}
		if full[i] == "run" {
			r.cargoTask(argv, full[i+1:], named, where)
			return
		}
		words, file := r.cargoAlias(full[i], where.dir)
		if file == "" {
			break
		}
		named = true
		where.from += " → " + file + ": " + full[i]
		full = slices.Concat(full[:i], words, full[i+1:])
	}
	r.add(full, where)
}

// cargoValued are options of Cargo, and of cargo run, whose value is the next word.
var cargoValued = []string{"-p", "--package", "--bin", "--manifest-path", "--features", "-F", "--profile", "--target", "--target-dir", "--color", "--config", "-Z", "-C", "-j", "--jobs"}

// cargoAlias is what a name stands for, as the configuration says that is nearest to a directory; no file where it is a command of Cargo.
func (r *reader) cargoAlias(name, dir string) (words []string, file string) {
	if slices.Contains([]string{"test", "build", "check", "bench", "doc", "install"}, name) { // which cannot be others
		return nil, ""
	}
	for _, dir := range above(dir) {
		for _, base := range []string{".cargo/config.toml", ".cargo/config"} {
			file = path.Join(dir, base)
			var config map[string]any
			if _, err := toml.Decode(r.text(file), &config); err != nil {
				continue
			}
			switch v := look(config, "alias", name).(type) {
			case string:
				return strings.Fields(v), file
			case []any:
				for _, word := range v {
					if word, ok := word.(string); ok {
						words = append(words, word)
					}
				}
				return words, file
			}
		}
	}
	return nil, ""
}

// cargoTask takes a call of a program of the project that its people have for their tasks: by an alias, or of a package that is named.
func (r *reader) cargoTask(argv, args []string, named bool, where at) {
	task := ""
	for i := 0; i < len(args) && task == ""; i++ {
		name, _, joined := strings.Cut(args[i], "=")
		switch {
		case args[i] == "--":
		case !strings.HasPrefix(name, "-"):
			task = name
		default:
			named = named || slices.Contains([]string{"-p", "--package", "--bin", "--manifest-path"}, name)
			if !joined && slices.Contains(cargoValued, name) {
				i++
			}
		}
	}
	purpose := map[string]Purpose{"test": Test, "tests": Test, "ci": Test, "lint": Lint, "clippy": Lint, "tidy": Lint, "check": Lint, "build": Build}[task]
	if !named || purpose == "" {
		r.strange++
		return
	}
	before := len(r.out)
	r.command(purpose, slices.Concat(argv, where.args), where)
	for i := range r.out[before:] {
		r.out[before+i].Runs = XTask
	}
}
