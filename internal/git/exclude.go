package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ExcludeLocally keeps a path of the project out of git's sight in this repository alone: by info/exclude, which nobody
// commits. A path that is there already is left as it is.
func (r *Repo) ExcludeLocally(p string) error {
	q, err := r.inside(p)
	if err != nil {
		return err
	}
	file := filepath.Join(r.common, "info", "exclude")
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("exclude %s: %w", p, err)
	}
	line := "/" + q
	if slices.Contains(strings.Split(string(old), "\n"), line) {
		return nil
	}
	if len(old) > 0 && !strings.HasSuffix(string(old), "\n") {
		line = "\n" + line
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("exclude %s: %w", p, err)
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("exclude %s: %w", p, err)
	}
	_, err = f.WriteString(line + "\n")
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
