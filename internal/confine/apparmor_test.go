package confine_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/confine"
)

// TestAppArmorProfile: what Ubuntu is to be told, for a path that has to be quoted too. Where a parser of AppArmor 4 is, as on Ubuntu 24.04, it has to understand it.
func TestAppArmorProfile(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/usr/bin/jacquard", "/opt/my tools/jacquard"} {
		profile := confine.AppArmorProfile(path)
		if want := `profile jacquard "` + path + `" flags=(unconfined) {` + "\n  userns,\n"; !strings.Contains(profile, want) {
			t.Errorf("profile of %s:\n%s", path, profile)
		}
		parser, err := exec.LookPath("apparmor_parser")
		if _, known := os.Stat("/etc/apparmor.d/abi/4.0"); err != nil || known != nil { // older ones do not know of user namespaces
			continue
		}
		file := filepath.Join(t.TempDir(), "jacquard")
		if err := os.WriteFile(file, []byte(profile), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(parser, "--skip-kernel-load", "--skip-cache", "--stdout", file).CombinedOutput(); err != nil {
			t.Errorf("AppArmor does not understand the profile of %s: %v\n%s", path, err, out)
		}
	}
}
