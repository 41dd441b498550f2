package toolchain

import (
	"path"
	"strings"
)

// project is what detection may look at: the listing and, on demand, a file's bytes.
type project struct {
	files []string
	set   map[string]bool
	read  func(string) []byte
}

func newProject(files []string, read func(string) []byte) *project {
	p := &project{files: files, set: make(map[string]bool, len(files)), read: read}
	for _, f := range files {
		p.set[f] = true
	}
	if p.read == nil {
		p.read = func(string) []byte { return nil }
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
func (p *project) has(dir string, names ...string) (string, bool) {
	for _, n := range names {
		if f := join(dir, n); p.set[f] {
			return f, true
		}
	}
	return "", false
}

// match lists files directly in dir whose names match one of the patterns.
func (p *project) match(dir string, patterns ...string) []string {
	var out []string
	for _, f := range p.files {
		if path.Dir(f) != cleanDir(dir) {
			continue
		}
		for _, pat := range patterns {
			if ok, err := path.Match(pat, path.Base(f)); err == nil && ok {
				out = append(out, f)
				break
			}
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

// languageCount counts the sources of each language in dir, or also below it.
func (p *project) languageCount(dir string, deep bool) map[string]int {
	count := map[string]int{}
	for _, f := range p.files {
		if deep && !under(f, dir) || !deep && path.Dir(f) != dir || ignoredDir(f) {
			continue
		}
		if l := LanguageOf(f); l != "" && Classify(f) != Config {
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
		e := ecosystemOf(l)
		if eco != "" && e != eco {
			return false
		}
		eco = e
	}
	return true
}

func ecosystemOf(language string) string {
	for _, e := range ecosystems() {
		if contains(e.languages, language) {
			return e.name
		}
	}
	return ""
}

// language tells the language of dir: by the sources in it, else by those below it, else by its parents' in turn, as
// long as they speak with one voice, else by the only manifest there is. Otherwise it lists the candidates.
func (p *project) language(dir string) (lang string, choices []string) {
	for i, d := range parents(dir) {
		if c := p.languageCount(d, false); len(c) > 0 && (i == 0 || sameEcosystem(c)) {
			return majority(c), nil
		}
		c := p.languageCount(d, true)
		if len(c) == 0 {
			continue
		}
		if sameEcosystem(c) {
			return majority(c), nil
		}
		break
	}
	all := p.languageCount(".", true)
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
		var here []string
		for _, e := range ecosystems() {
			if m, ok := p.has(d, e.manifests...); ok {
				here = append(here, p.manifestLanguage(e, d, m))
			}
		}
		if len(here) == 1 && d != "." {
			return here[0], nil
		}
		if len(here) > 0 {
			break
		}
	}
	return "", sortedKeys(found)
}

// manifestLanguage is the language that a manifest stands for when there is no source yet.
func (p *project) manifestLanguage(e ecosystem, dir, manifest string) string {
	if e.name != Node {
		return e.languages[0]
	}
	if len(p.match(dir, "tsconfig*.json")) > 0 || strings.Contains(string(p.read(manifest)), `"typescript"`) {
		return LangTypeScript
	}
	return LangJavaScript
}

// Detect finds the toolchain of dir (relative to the project's root, "." for the root itself) among files, which are
// all relative paths with slashes. read gives the bytes of one of them, nil if it cannot be read. The nearest manifest
// of the directory's language wins, so that a monorepo's packages each have their own. It is false when the language is
// not known; Found then lists the project's languages in Choices.
func Detect(files []string, read func(path string) []byte, dir string) (Found, bool) {
	return detect(newProject(files, read), dir, "")
}

// DetectAs is Detect for a directory whose language somebody has said.
func DetectAs(files []string, read func(path string) []byte, dir, language string) (Found, bool) {
	return detect(newProject(files, read), dir, language)
}

func detect(p *project, dir, language string) (Found, bool) {
	f := Found{Root: ".", Language: language}
	if language == "" {
		f.Language, f.Choices = p.language(dir)
	}
	e, ok := rowOf(ecosystemOf(f.Language))
	if !ok {
		return f, false
	}
	f.Ecosystem = e.name
	for _, d := range parents(dir) {
		if m, has := p.has(d, e.manifests...); has {
			f.Root, f.Manifest = d, m
			break
		}
	}
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
	e.inspect(&f, p)
	return f, true
}
