package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// LookPath finds the program name in path, which is the value of a PATH variable, and
// returns an absolute path. Empty and relative entries are skipped: what is run must
// not depend on the working directory. The error is ErrNotFound, or ErrPermission with
// the path of what may not be executed.
func LookPath(name, path string) (string, error) {
	if name == "" || strings.ContainsRune(filepath.ToSlash(name), '/') {
		return "", fmt.Errorf("look up %q: %w", name, ErrNotFound)
	}
	denied := ""
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		for _, file := range candidates(filepath.Join(dir, name)) {
			info, err := os.Stat(file)
			switch {
			case errors.Is(err, fs.ErrPermission):
				denied = file
			case err != nil || info.IsDir():
			case !executable(info):
				denied = file
			default:
				return file, nil
			}
		}
	}
	if denied != "" {
		return denied, fmt.Errorf("look up %s: %s: %w", name, denied, ErrPermission)
	}
	return "", fmt.Errorf("look up %s: %w", name, ErrNotFound)
}
