package check

import (
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// strayRule names what is left behind by commands and was taken away.
const strayRule = "stray-removed"

// documents are files that people and the engine read; a new one is never a leftover.
var documents = setOf([]string{"claude.md", "implements.md", "jacquard.lock", "jacquard.yaml", "code-convention.md", "agents.md", "gemini.md"})

// stray reports whether a change is a new file that nobody asked for and that means nothing: the output of a command,
// notes, an empty __init__.py. It is taken away instead of costing the attempt. Whatever could be read by a tool, a person
// or the engine as something that counts is no stray: sources, tests, configuration, documents, links, binary files.
func (m Module) stray(ch Change) bool {
	if ch.Status != 'A' || ch.NewMode != "100644" || strings.HasPrefix(ch.Path, "../") || m.Place.AllowsTest(ch.Path) {
		return false
	}
	if documents[strings.ToLower(path.Base(ch.Path))] || binary(ch.New) || len(ch.New) > hugeFile {
		return false
	}
	switch toolchain.Classify(ch.Path) {
	case toolchain.Other, toolchain.TestData:
		return true
	case toolchain.Source, toolchain.Test:
		return emptyInit(ch) && !m.Place.AllowsSource(ch.Path)
	default:
		return false
	}
}

func emptyInit(ch Change) bool {
	return path.Base(ch.Path) == "__init__.py" && len(strings.TrimSpace(string(ch.New))) == 0
}

// neededInit reports whether a new, empty __init__.py of RED makes a directory the package that the module's tests import
// from. It may be in the module, although it is no test.
func neededInit(m Module, ch Change, all []Change) bool {
	if m.Chain.Ecosystem != toolchain.Python || ch.Status != 'A' || !emptyInit(ch) {
		return false
	}
	dir := path.Dir(ch.Path)
	if !m.Place.AllowsSource(ch.Path) && !toolchain.IsTest(ch.Path) {
		return false
	}
	for _, other := range all {
		if other.Status == 'D' || !toolchain.IsTest(other.Path) || !strings.HasSuffix(other.Path, ".py") {
			continue
		}
		for _, imp := range source.Parse(other.Path, other.New).Imports {
			if strings.HasPrefix(imp.From, ".") && path.Dir(other.Path) == dir {
				return true
			}
			for _, t := range importTargets(m.Chain, other.Path, imp.From, "") {
				if t == dir || strings.HasPrefix(t, dir+"/") {
					return true
				}
			}
		}
	}
	return false
}

func strayFinding(p string) step.Finding {
	return warn(strayRule, p, 0, "This new file is not part of the work and was removed. Leave no output and no notes behind.")
}

// redScope says what RED may write.
func (m Module) redScope() string {
	text := "This phase writes tests and test data of " + m.Dir + " only"
	if len(m.Place.Tests) > 0 {
		text += " (in " + strings.Join(m.Place.Tests, ", ") + ")"
	}
	if names := toolchain.TestNames(m.Chain.Language); len(names) > 0 {
		text += "; tests are files named " + strings.Join(names, ", ")
		if m.Place.NewTest != "" {
			text += ", for example " + m.Place.NewTest
		}
	}
	return text + "."
}

// ownTest reports whether a file is a test of the module that an author of this engine wrote: no kept one.
func (m Module) ownTest(file string) bool {
	return toolchain.IsTest(file) && (m.Place.AllowsTest(file) || slices.Contains(m.Tests, file)) && !slices.Contains(m.Kept, file)
}
