package toolchain

import (
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/commands"
)

// Project is what detection and placement may look at: the listing and, on demand, a
// file's bytes. What they find out about all of it they find out once, so that asking for
// thousands of modules takes no longer than reading the listing a few times. It is for one
// goroutine.
type Project struct {
	// Checks are the lines of jacquard.yaml: build, test, lint, format. They come before all that the project says elsewhere.
	Checks map[string]string

	files  []string
	set    map[string]bool
	read   func(string) []byte
	byDir  map[string][]string       // files directly in a directory
	counts map[string]map[string]int // by directory: sources of each language in it and below
	found  map[string]Found          // by language, root and lock file
	styles map[string]testStyle      // by toolchain's root and ecosystem; one without a suffix is none
	stems  map[string]stems          // by language
	named  []commands.Command        // what the project says of how it is checked; nil before it was read
}

// NewProject takes a project's files, which are relative paths with slashes. read gives
// the bytes of one of them, nil if it cannot be read.
func NewProject(files []string, read func(path string) []byte) *Project {
	p := &Project{
		files: files, set: make(map[string]bool, len(files)), read: read, byDir: map[string][]string{},
		counts: map[string]map[string]int{}, found: map[string]Found{}, styles: map[string]testStyle{}, stems: map[string]stems{},
	}
	if p.read == nil {
		p.read = func(string) []byte { return nil }
	}
	for _, f := range files {
		p.set[f] = true
		dir := path.Dir(f)
		p.byDir[dir] = append(p.byDir[dir], f)
		l := LanguageOf(f)
		if l == "" || ignoredDir(f) || Classify(f) == Config {
			continue
		}
		for _, d := range parents(dir) {
			if p.counts[d] == nil {
				p.counts[d] = map[string]int{}
			}
			p.counts[d][l]++
		}
	}
	return p
}

func join(dir, name string) string {
	if dir == "." || dir == "" {
		return name
	}
	return dir + "/" + name
}

// has reports whether dir holds one of the names, and which.
func (p *Project) has(dir string, names ...string) (string, bool) {
	for _, n := range names {
		if f := join(dir, n); p.set[f] {
			return f, true
		}
	}
	return "", false
}

// match lists files directly in dir whose names match one of the patterns.
func (p *Project) match(dir string, patterns ...string) []string {
	var out []string
	for _, f := range p.byDir[cleanDir(dir)] {
		if slices.ContainsFunc(patterns, func(pattern string) bool { ok, _ := path.Match(pattern, path.Base(f)); return ok }) {
			out = append(out, f)
		}
	}
	return out
}

func cleanDir(dir string) string { return path.Clean(strings.Trim(dir, "/")) }

// parents lists dir and the directories above it, the nearest first, "." last.
func parents(dir string) []string {
	dir = cleanDir(dir)
	var out []string
	for {
		out = append(out, dir)
		if dir == "." {
			return out
		}
		dir = path.Dir(dir)
	}
}

func under(f, dir string) bool { return dir == "." || strings.HasPrefix(f, dir+"/") }

// ignoredDirs hold what tools produce or install; they say nothing about a project's own language.
func ignoredDir(f string) bool {
	for part := range strings.SplitSeq(path.Dir(f), "/") {
		switch part {
		case "node_modules", "vendor", "dist", "build", "out", "target", ".git", "__pycache__", ".venv", "venv",
			"coverage", ".jacquard", "testdata":
			return true
		}
	}
	return false
}

// languageCount counts the sources of each language directly in dir.
func (p *Project) languageCount(dir string) map[string]int {
	count := map[string]int{}
	for _, f := range p.byDir[dir] {
		if l := LanguageOf(f); l != "" && !ignoredDir(f) && Classify(f) != Config {
			count[l]++
		}
	}
	return count
}

func majority(count map[string]int) string {
	best := ""
	for _, l := range sortedKeys(count) {
		if best == "" || count[l] > count[best] {
			best = l
		}
	}
	return best
}

// sameEcosystem reports whether all the languages belong to one row.
func sameEcosystem(count map[string]int) bool {
	eco := ""
	for l := range count {
		e := EcosystemOf(l)
		if eco != "" && e != eco {
			return false
		}
		eco = e
	}
	return true
}

// EcosystemOf is the ecosystem of a language, "" for one that the table does not know.
func EcosystemOf(language string) string {
	for _, e := range ecosystems() {
		if slices.Contains(e.languages, language) {
			return e.name
		}
	}
	return ""
}

// language tells the language of dir: by the sources in it, else by those below it, else by its parents' in turn, as
// long as they speak with one voice, else by the only manifest there is. Otherwise it lists the candidates.
func (p *Project) language(dir string) (lang string, choices []string) {
	for i, d := range parents(dir) {
		if c := p.languageCount(d); len(c) > 0 && (i == 0 || sameEcosystem(c)) {
			return majority(c), nil
		}
		c := p.counts[d]
		if len(c) == 0 {
			// A part of the project with a manifest of its own speaks for itself.
			if here := p.manifestsIn(d); len(here) == 1 && d != "." {
				return here[0], nil
			}
			continue
		}
		if sameEcosystem(c) {
			return majority(c), nil
		}
		break
	}
	all := p.counts["."]
	found := map[string]int{}
	for _, e := range ecosystems() {
		for _, d := range parents(dir) {
			if m, ok := p.has(d, e.manifests...); ok {
				found[p.manifestLanguage(e, d, m)]++
				break
			}
		}
	}
	for l := range all {
		found[l]++
	}
	if len(found) == 1 {
		return majority(found), nil
	}
	// A manifest between the directory and the project's root that is alone on its level decides.
	for _, d := range parents(dir) {
		here := p.manifestsIn(d)
		if len(here) == 1 && d != "." {
			return here[0], nil
		}
		if len(here) > 0 {
			break
		}
	}
	return "", sortedKeys(found)
}

// manifestsIn are the languages that the manifests in a directory stand for.
func (p *Project) manifestsIn(dir string) []string {
	var here []string
	for _, e := range ecosystems() {
		if m, ok := p.has(dir, e.manifests...); ok {
			here = append(here, p.manifestLanguage(e, dir, m))
		}
	}
	return here
}

// manifestLanguage is the language that a manifest stands for when there is no source yet.
func (p *Project) manifestLanguage(e ecosystem, dir, manifest string) string {
	switch e.name {
	case Node:
	case JVM:
		if text := string(p.read(manifest)); strings.Contains(text, "kotlin-maven-plugin") || strings.Contains(text, "kotlin(") || strings.Contains(text, "org.jetbrains.kotlin") {
			return LangKotlin
		}
		return LangJava
	default:
		return e.languages[0]
	}
	if len(p.match(dir, "tsconfig*.json")) > 0 || strings.Contains(string(p.read(manifest)), `"typescript"`) {
		return LangTypeScript
	}
	return LangJavaScript
}

// Detect finds the toolchain of dir (relative to the project's root, "." for the root itself). The nearest manifest
// of the directory's language wins, so that a monorepo's packages each have their own. It is false when the language is
// not known; Found then lists the project's languages in Choices.
func (p *Project) Detect(dir string) (Found, bool) { return p.DetectAs(dir, "") }

// DetectAs is Detect for a directory whose language somebody has said; "" = nobody has.
func (p *Project) DetectAs(dir, language string) (Found, bool) {
	f := Found{Root: ".", Language: language}
	if language == "" {
		f.Language, f.Choices = p.language(dir)
	}
	e, ok := rowOf(EcosystemOf(f.Language))
	if !ok {
		return f, false
	}
	f.Ecosystem = e.name
	f.Root, f.Manifest = p.manifest(e, dir)
	for _, d := range parents(f.Root) {
		for _, l := range e.locks {
			if file, has := p.has(d, l.file); has {
				f.Lock, f.Manager = file, l.manager
				break
			}
		}
		if f.Lock != "" {
			break
		}
	}
	key := f.Language + "\n" + f.Root + "\n" + f.Lock
	known, ok := p.found[key]
	if !ok {
		e.inspect(&f, p)
		f.adopt(p)
		known = f
		p.found[key] = f
	}
	known.Choices = f.Choices
	return known, true
}

// manifest is the nearest manifest of an ecosystem to a directory, and where it lies; "." and "" for none. A list of packages, as documentation
// has one, makes no project within another where no test is below it.
func (p *Project) manifest(e ecosystem, dir string) (root, manifest string) {
	root = "."
	for _, d := range parents(dir) {
		m, has := p.has(d, e.manifests...)
		switch {
		case !has:
		case manifest == "":
			root, manifest = d, m
		case path.Base(manifest) == packageList && !p.anyTest(e.name, root):
			root, manifest = d, m
		}
	}
	return root, manifest
}

// anyTest reports whether there is a test of an ecosystem below a directory.
func (p *Project) anyTest(ecosystem, dir string) bool {
	return slices.ContainsFunc(p.files, func(f string) bool {
		return under(f, dir) && IsTest(f) && EcosystemOf(LanguageOf(f)) == ecosystem
	})
}
