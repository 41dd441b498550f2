package check

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/jacquard-build/jacquard/internal/example"
)

// prepareJVM compiles the project as its own build does, and writes a program that Java runs from its source: it finds classes by their
// names.
func (u *user) prepareJVM(ctx context.Context, name string) error {
	out, err := u.exec(ctx, u.chain.Classes(), false)
	if err != nil {
		return err
	}
	if !out.clean() {
		u.cannot = "the project cannot be compiled for a program: " + firstLines(out.tail, 3)
		return nil
	}
	file := filepath.Join(u.dir, name, "Call.java")
	if err := os.Mkdir(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	u.program = []string{"java", "-cp", strings.Join(append(u.builtDirs("target/classes", "build/classes/*/main"), u.jars()...), string(filepath.ListSeparator)), file}
	return os.WriteFile(file, example.Java(u.plan), 0o600)
}

// jars are the libraries that the installation has. Those that the manifest names come first: a plug-in may need another version.
func (u *user) jars() []string {
	var named, others []string
	manifest := ""
	for file := range u.entries {
		if name := path.Base(file); name == "pom.xml" || strings.HasPrefix(name, "build.gradle") {
			manifest += string(u.read(file))
		}
	}
	home := u.deps.home(u.place)
	for _, dir := range []string{filepath.Join(home, "repository"), filepath.Join(home, "caches", "modules-2", "files-2.1")} {
		_ = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error { // what is not there has no libraries
			if err != nil || e.IsDir() || filepath.Ext(name) != ".jar" {
				return nil //nolint:nilerr // see above
			}
			artifact := filepath.Base(filepath.Dir(filepath.Dir(name)))
			if len(artifact) > 1 && strings.Contains(manifest, artifact) {
				named = append(named, name)
			} else {
				others = append(others, name)
			}
			return nil
		})
	}
	return append(named, others...)
}
