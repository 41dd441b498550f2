package toolchain

import (
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

// declare notes a package that a manifest names, with its version there where that is one version or one comparison.
func (f *Found) declare(name, version string) {
	f.Declared = addOnce(f.Declared, name)
	version = strings.TrimPrefix(strings.TrimSpace(version), "==")
	if f.versions[name] != "" || !oneVersion().MatchString(version) {
		return
	}
	if f.versions == nil {
		f.versions = map[string]string{}
	}
	f.versions[name] = version
}

var oneVersion = re.New(`^(?:[\^~<>]|[<>~!]?=)?v?\d[\w.*+-]*$`)

// Package is the declared package that an import means, as the manifest names it, false where that cannot be told: it is
// of the language itself, has another name to import it by, or could come from several.
func (f Found) Package(imported string) (Dependency, bool) {
	best, twice := "", false
	for _, d := range f.Declared {
		switch n := f.means(d, imported); {
		case !n:
		case f.Ecosystem == JVM && groupID(d) == groupID(best):
			twice = true
		case best == "" || len(groupID(d)) > len(groupID(best)):
			best, twice = d, false
		}
	}
	return Dependency{Name: best, Version: f.versions[best]}, best != "" && !twice
}

// means reports whether an import may be of a declared package.
func (f Found) means(declared, imported string) bool {
	switch f.Ecosystem {
	case Go:
		return strings.HasPrefix(imported+"/", declared+"/")
	case Node:
		return NodePackage(imported) == declared
	case Python:
		for name := imported; name != ""; name = name[:max(0, strings.LastIndexByte(name, '.'))] {
			if plainName(name) == plainName(declared) {
				return true
			}
		}
	case Rust:
		crate, _, _ := strings.Cut(imported, "::")
		return crate == strings.ReplaceAll(declared, "-", "_")
	case JVM:
		return strings.Contains(declared, ":") && strings.HasPrefix(imported+".", groupID(declared)+".")
	}
	return false
}

// groupID is the first part of the name of a package of Maven, and the whole name of others.
func groupID(declared string) string {
	g, _, _ := strings.Cut(declared, ":")
	return g
}

// NodePackage is the name of the package that an import of Node names.
func NodePackage(imported string) string {
	parts := strings.SplitN(imported, "/", 3)
	if strings.HasPrefix(imported, "@") && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}
