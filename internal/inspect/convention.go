package inspect

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/index"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// Conventions says whether the conventions are where they have to be: in the
// root's CLAUDE.md (for code, a sound code-convention.md will do), and well formed where a module has its own.
type Conventions struct {
	Root        string             `json:"project_root"`
	Project     ConventionState    `json:"project_convention"`
	Code        ConventionState    `json:"code_convention"`
	File        *StyleState        `json:"code_convention_file"` // null when there is no code-convention.md
	ModuleRoots []ModuleConvention `json:"module_roots"`
	Valid       bool               `json:"valid"`
	Errors      []string           `json:"errors"`
}

// StyleState is the code-convention.md of the project's root.
type StyleState struct {
	Valid    bool       `json:"valid"`
	File     string     `json:"file"`
	Style    spec.Style `json:"style"`
	Errors   []string   `json:"errors"`
	Warnings []string   `json:"warnings"`
}

// ConventionState is one section in one file.
type ConventionState struct {
	Valid       bool            `json:"valid"`
	File        string          `json:"file"`
	Found       bool            `json:"section_found"`
	Subsections map[string]bool `json:"required_subsections"`
	Errors      []string        `json:"errors"`
}

// ModuleConvention is a directory with a manifest, and what its spec says. What it
// leaves out it inherits.
type ModuleConvention struct {
	Path     string           `json:"path"`
	Code     ConventionState  `json:"code_convention"`
	Override *ConventionState `json:"project_convention_override"`
}

// required are the subsections of the two sections; any of several names will do.
var required = map[string][][]string{
	"Project Convention": {{"Project Structure"}, {"Module Boundaries"}, {"Naming Conventions"}},
	"Code Convention":    {{"Language & Runtime"}, {"Coding Rules", "Code Style"}, {"Naming Rules"}},
}

var moduleMarkers = []string{
	"package.json", "Cargo.toml", "go.mod", "pyproject.toml", "build.gradle", "build.gradle.kts", "pom.xml", "setup.py", "CMakeLists.txt",
}

// Conventions looks at the root and at each directory with a manifest, or at the given
// module roots.
func (p *Project) Conventions(roots []string) Conventions {
	c := Conventions{Root: p.root, ModuleRoots: []ModuleConvention{}, Errors: []string{}}
	c.Project, c.Code = p.convention(".", "Project Convention"), p.convention(".", "Code Convention")
	if f, ps := p.style(conventionFile); f != nil {
		v := validity(conventionFile, ps, nil)
		c.File = &StyleState{Valid: v.Valid, File: v.File, Style: f.Style, Errors: []string{}, Warnings: v.Warnings}
		for _, e := range v.Errors {
			c.File.Errors = append(c.File.Errors, v.File+": "+e.Message)
		}
		c.Errors = append(c.Errors, c.File.Errors...)
		if v.Valid && !c.Code.Found { // it stands in for the section
			c.Code.Valid, c.Code.Errors = true, []string{}
		}
	}
	c.Errors = append(c.Errors, c.Project.Errors...)
	c.Errors = append(c.Errors, c.Code.Errors...)
	if len(roots) == 0 {
		roots = p.moduleRoots()
	}
	for _, dir := range roots {
		m := ModuleConvention{Path: shown(dir), Code: p.convention(dir, "Code Convention")}
		if dir == "." {
			m.Code = c.Code
		} else {
			if !m.Code.Found { // inherited
				m.Code.Valid, m.Code.Errors = true, []string{}
			}
			if own := p.convention(dir, "Project Convention"); own.Found {
				m.Override = &own
				c.Errors = append(c.Errors, own.Errors...)
			}
			c.Errors = append(c.Errors, m.Code.Errors...)
		}
		c.ModuleRoots = append(c.ModuleRoots, m)
	}
	c.Valid = len(c.Errors) == 0
	return c
}

func (p *Project) moduleRoots() []string {
	found := map[string]bool{}
	for _, f := range p.files {
		if slices.Contains(moduleMarkers, path.Base(f)) && !foreign(f) && !strings.HasPrefix(f, ".") && !strings.Contains(f, "/.") && index.Depth(path.Dir(f)) <= 3 {
			found[path.Dir(f)] = true
		}
	}
	if len(found) == 0 {
		found["."] = true
	}
	return slices.Sorted(maps.Keys(found))
}

func (p *Project) convention(dir, section string) ConventionState {
	d := p.docs[dir]
	if other := p.others[dir]; other != nil && !d.Has(section) && other.Path == path.Join(dir, spec.Name) {
		d = other
	}
	file := path.Join(dir, spec.Name)
	if d != nil {
		file = d.Path
	}
	s := ConventionState{File: file, Subsections: map[string]bool{}, Errors: []string{}}
	for _, names := range required[section] {
		s.Subsections[names[0]] = false
	}
	if d == nil {
		s.Errors = append(s.Errors, section+": CLAUDE.md not found at "+file)
		return s
	}
	if s.Found = d.Has(section); !s.Found {
		s.Errors = append(s.Errors, file+": section '## "+section+"' not found")
		return s
	}
	for _, names := range required[section] {
		ok := slices.ContainsFunc(d.Conventions, func(c spec.Convention) bool {
			return strings.EqualFold(c.Section, section) && slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(c.Name, n) })
		})
		s.Subsections[names[0]] = ok
		if !ok {
			s.Errors = append(s.Errors, file+": missing required subsection '### "+names[0]+"' in '## "+section+"'")
		}
	}
	s.Valid = len(s.Errors) == 0
	return s
}
