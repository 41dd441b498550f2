package cli

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
)

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func replaceFile(file string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = cmp.Or(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
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
