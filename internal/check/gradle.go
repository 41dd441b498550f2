package check

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// staysAt is where an installation in dir has an environment that cannot be moved or shared by links, "" for none: Gradle notes where its
// files are, and writes into them.
func staysAt(dir string, chain toolchain.Found) string {
	if chain.Manager == "gradle" {
		return dir + ofGradle
	}
	return ""
}

// ofGradle ends the name of Gradle's home of an installation.
const ofGradle = ".gradle"

// gradleProperties tells Gradle the port of our proxy: it does not ask the environment. Each installation writes it anew.
func (p *place) gradleProperties(proxy int) error {
	var b strings.Builder
	for _, scheme := range []string{"http", "https"} {
		fmt.Fprintf(&b, "systemProp.%[1]s.proxyHost=127.0.0.1\nsystemProp.%[1]s.proxyPort=%[2]d\n", scheme, proxy)
	}
	return os.WriteFile(filepath.Join(p.deps.stays, "gradle.properties"), []byte(b.String()), 0o644)
}
