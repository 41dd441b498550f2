package inspect

import (
	"bytes"
	"cmp"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

// Boundary is what belongs to the module of a directory, and which references leave it.
type Boundary struct {
	Path        string           `json:"path"`
	Files       []BoundaryFile   `json:"direct_files"`
	Subdirs     []BoundaryDir    `json:"subdirs"`
	SourceFiles int              `json:"source_file_count"`
	SubdirCount int              `json:"subdir_count"`
	Violations  []BoundaryBreach `json:"violations"`
	// ClaudeMdError says why a spec that was named cannot be read; violations are then not looked for.
	ClaudeMdError string `json:"claude_md_error,omitempty"`
}

// BoundaryFile is a file directly in the directory, with the language or kind of it.
type BoundaryFile struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// BoundaryDir is a directory directly in it.
type BoundaryDir struct {
	Name        string `json:"name"`
	HasClaudeMd bool   `json:"has_claude_md"`
}

// BoundaryBreach is a reference in Dependencies or Structure that leaves the module.
type BoundaryBreach struct {
	Type      string `json:"violation_type"` // Parent or Sibling
	Reference string `json:"reference"`
	Line      int    `json:"line_number"`
	Reason    string `json:"reason"`

	inside bool // the reference is as it has to be, and what it says is no dependency that a module may have
}

// upward is why a module may not depend on one that it lies in. One beside it is another matter: that is what
// interfaces are for.
const upward = "a module must not depend on a module that contains it: move what both need into a separate module"

// above reports whether a module lies in another one.
func (p *Project) above(up, dir string) bool { return up != dir && Below(up)(dir) && p.docs[up] != nil }

// Boundary looks at one directory. What is a breach: a module knows others by their
// interface alone, so a reference to the spec of another module, wherever that lies,
// is how a dependency is declared and no breach; a way out of the directory ("../") is
// one, and so is a path to anything else within another module. (The tools before called
// every path whose first part is no child a breach, and with it the very form in which
// dependencies are written, and the names of packages.)
func (p *Project) Boundary(dir string) Boundary {
	b := Boundary{Path: shown(dir), Files: []BoundaryFile{}, Subdirs: []BoundaryDir{}, Violations: []BoundaryBreach{}}
	subdirs := map[string]bool{}
	for _, f := range p.files {
		rest, ok := below(dir, f)
		if !ok || foreign(f) {
			continue
		}
		first, _, nested := strings.Cut(rest, "/")
		if nested {
			if !strings.HasPrefix(first, ".") {
				subdirs[first] = true
			}
			continue
		}
		b.Files = append(b.Files, BoundaryFile{first, cmp.Or(fileTypes[path.Ext(first)], "other")})
		if isCode(f) {
			b.SourceFiles++
		}
	}
	for d := range subdirs {
		b.Subdirs = append(b.Subdirs, BoundaryDir{d, p.HasSpec(path.Join(dir, d))})
	}
	slices.SortFunc(b.Subdirs, func(x, y BoundaryDir) int { return strings.Compare(x.Name, y.Name) })
	b.SubdirCount = len(b.Subdirs)
	if d := p.docs[dir]; d != nil {
		p.breaches(&b, dir, d)
	}
	return b
}

func (p *Project) breaches(b *Boundary, dir string, d *document) {
	breach := func(kind, ref string, line int, why string) {
		b.Violations = append(b.Violations, BoundaryBreach{Type: kind, Reference: ref, Line: line, Reason: why})
	}
	for _, dep := range d.Dependencies.Internal {
		switch ref := slashed(dep.Ref); {
		case strings.HasPrefix(ref, "../") || strings.Contains(ref, "/../"):
			to := dep.Path
			if p.Has(to) {
				to = path.Dir(to)
			}
			breach("Parent", dep.Ref, dep.Line, "write the path from the project's root: "+p.SpecPath(to))
		case p.above(dep.Path, dir):
			b.Violations = append(b.Violations, BoundaryBreach{Type: "Parent", Reference: dep.Ref, Line: dep.Line, Reason: upward, inside: true})
		case dep.IsSpec || dep.Path == dir || strings.HasPrefix(dep.Path, dir+"/") || dir == ".":
		default:
			if owner, ok := p.owner(dep.Path); ok && owner != dep.Path && owner != dir {
				breach("Sibling", dep.Ref, dep.Line, "it is inside the module "+owner+"; depend on "+p.SpecPath(owner))
			}
		}
	}
	for _, dep := range d.Dependencies.Leaving {
		breach("Parent", dep.Ref, dep.Line, "it points outside the project")
	}
	for _, pr := range d.problems { // in the prose of Dependencies
		kind, _ := typeOf(pr.Text)
		if kind != "ForbiddenReference" || slices.ContainsFunc(b.Violations, func(v BoundaryBreach) bool { return v.Line == pr.Line }) {
			continue
		}
		line, _, _ := strings.Cut(string(lineAt(d.src, pr.Line)), "\n")
		if ref := wayOut().FindString(slashed(line)); ref != "" {
			breach("Parent", ref, pr.Line, cmp.Or(pr.Hint, "write the path from the project's root"))
		}
	}
	for _, s := range d.Structure {
		if strings.HasPrefix(slashed(s.Path), "../") {
			breach("Parent", s.Path, s.Line, "Structure lists what is in this directory")
		}
	}
	slices.SortStableFunc(b.Violations, func(x, y BoundaryBreach) int { return x.Line - y.Line })
}

var wayOut = re.New(`\.\./[\w./-]*`)

// lineAt is what follows the beginning of a line.
func lineAt(src []byte, line int) []byte {
	for ; line > 1; line-- {
		_, src, _ = bytes.Cut(src, []byte("\n"))
	}
	return src
}

// slashed is a path as it is written on other systems than Windows.
func slashed(path string) string { return strings.ReplaceAll(path, "\\", "/") }

// owner is the module that a path lies in.
func (p *Project) owner(at string) (string, bool) {
	for d := range upwards(at) {
		if p.docs[d] != nil {
			return d, true
		}
	}
	return "", false
}

// upwards are a directory and all that it lies in, up to the root.
func upwards(dir string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for yield(dir) && dir != "." && dir != "/" {
			dir = path.Dir(dir)
		}
	}
}

func below(dir, file string) (string, bool) {
	if dir == "." {
		return file, true
	}
	return strings.CutPrefix(file, dir+"/")
}

var fileTypes = map[string]string{
	".ts": "typescript", ".tsx": "typescript", ".js": "javascript", ".jsx": "javascript", ".mjs": "javascript", ".cjs": "javascript",
	".py": "python", ".pyi": "python", ".rs": "rust", ".go": "go", ".java": "java", ".kt": "kotlin", ".kts": "kotlin", ".rb": "ruby",
	".c": "c", ".h": "c", ".cpp": "cpp", ".cc": "cpp", ".cxx": "cpp", ".hpp": "cpp", ".cs": "csharp", ".swift": "swift", ".php": "php",
	".scala": "scala", ".md": "markdown", ".json": "json", ".yaml": "yaml", ".yml": "yaml", ".toml": "toml", ".html": "html",
	".css": "css", ".scss": "css", ".sass": "css",
}
