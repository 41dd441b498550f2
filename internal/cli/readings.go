package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/inspect"
)

// keeping makes what is read of source files last until they change: one file for each reading, with the caches of the
// user. A disk that is full makes a command slower, not wrong.
func (p *project) keeping(x *inspect.Project) *inspect.Project {
	dir := filepath.Join(p.cache, "readings")
	file := func(key string) string { return filepath.Join(dir, key[:2], key[2:]) }
	warned := false
	x.Keep(inspect.Kept{
		Stamp: definitionVersion(),
		Get: func(key string) []byte {
			b, err := os.ReadFile(file(key))
			if err != nil {
				return nil
			}
			return b
		},
		Put: func(key string, b []byte) {
			f := file(key)
			if os.MkdirAll(filepath.Dir(f), 0o755) == nil {
				_ = check.WriteWhole(f, b)
			}
		},
		Damaged: func() {
			if !warned {
				fmt.Fprint(p.a.Err, p.a.lang().T("⚠ the cache of source files is damaged; reading them again\n"))
			}
			warned = true
		},
	})
	return x
}
