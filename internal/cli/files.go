package cli

import (
	"os"
	"path/filepath"
	"runtime"
)

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// configDir is the folder of the user's own configuration.
func (a *app) configDir() string {
	base := a.env["XDG_CONFIG_HOME"]
	if runtime.GOOS == "windows" {
		base = a.env["APPDATA"]
	}
	if base == "" {
		base = filepath.Join(a.env["HOME"], ".config")
	}
	return filepath.Join(base, "jacquard")
}
