package confine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// homes are variables that name what a toolchain is installed in.
var homes = []string{
	"GOROOT", "RUSTUP_HOME", "JAVA_HOME", "MAVEN_HOME", "M2_HOME", "PYENV_ROOT", "NVM_DIR", "VOLTA_HOME", "COREPACK_HOME", "PLAYWRIGHT_BROWSERS_PATH", "SDKMAN_DIR",
}

// mixed are folders of a home whose programs are wanted and nothing else: the rest is credentials, settings, other projects.
var mixed = []string{".cargo", ".local", ".config", "go", ".bun", ".deno"}

// Programs are the folders that programs found by env need: those of PATH, what their links lead to, and the installations that
// they are part of. home is the user's; of it nothing is given as a whole.
func Programs(env []string, home string) []string {
	var out []string
	add := func(path string) {
		if path = filepath.Clean(path); path != "." && path != "/" && !within(path, home) && !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		if slices.Contains(homes, name) && filepath.IsAbs(value) {
			add(value)
		}
		if name != "PATH" {
			continue
		}
		for _, dir := range filepath.SplitList(value) {
			if filepath.IsAbs(dir) && !ofSystem(dir) {
				installation(dir, home, add)
			}
		}
	}
	return out
}

// ofSystem reports whether every command sees the path anyhow.
func ofSystem(path string) bool {
	return slices.ContainsFunc([]string{"/usr", "/bin", "/sbin", "/opt", "/nix/store"}, func(dir string) bool { return within(dir, path) })
}

// installation adds a folder of programs.
func installation(dir, home string, add func(string)) {
	add(dir)
	if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
		add(real)
		dir = real
	}
	if prefix := filepath.Dir(dir); whole(prefix, dir, home) {
		add(prefix)
	}
	list, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range list[:min(len(list), 2000)] {
		if e.Type()&os.ModeSymlink == 0 {
			continue
		}
		real, err := filepath.EvalSymlinks(filepath.Join(dir, e.Name()))
		if err != nil || ofSystem(real) || within(dir, real) {
			continue
		}
		if at := filepath.Dir(real); filepath.Base(at) == "bin" && whole(filepath.Dir(at), at, home) {
			add(filepath.Dir(at))
		} else {
			add(real)
		}
	}
}

// whole reports whether a folder is an installation, of which dir has the programs.
func whole(prefix, dir, home string) bool {
	if within(prefix, home) || filepath.Dir(prefix) == filepath.Clean(home) && slices.Contains(mixed, filepath.Base(prefix)) {
		return false
	}
	if filepath.Base(dir) == ".bin" {
		return filepath.Base(prefix) == "node_modules"
	}
	return slices.ContainsFunc([]string{"lib", "libexec", "pyvenv.cfg"}, func(name string) bool {
		_, err := os.Stat(filepath.Join(prefix, name))
		return err == nil
	})
}

// within reports whether path is dir or lies in it.
func within(dir, path string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// Program is what one program needs besides those of PATH: its file, what its links lead to, and the packages that it is part of.
func Program(path, home string) []string {
	out := []string{path}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return out
	}
	dir := filepath.Dir(real)
	if before, _, ok := strings.Cut(real, "/node_modules/"); ok {
		return append(out, real, filepath.Join(before, "node_modules"))
	}
	if filepath.Base(dir) == "bin" && whole(filepath.Dir(dir), dir, home) {
		return append(out, real, filepath.Dir(dir))
	}
	return append(out, real)
}
