package pdca

import (
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/task"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Mode is how much of the workflow a request gets.
type Mode string

// The modes, from small to large.
const (
	Light    Mode = "LIGHT"
	Standard Mode = "STANDARD"
	Heavy    Mode = "HEAVY"
)

// Next is the mode one step up; Heavy has none above it.
func (m Mode) Next() Mode {
	if m == Light {
		return Standard
	}
	return Heavy
}

// Above reports whether a mode is larger than another.
func (m Mode) Above(o Mode) bool {
	order := Modes()
	return slices.Index(order, m) > slices.Index(order, o)
}

// Estimate is what a request will probably touch.
type Estimate struct {
	Files        []task.File `json:"files"`
	Dependencies []string    `json:"dependencies,omitempty"` // packages and services that are new
	NewPattern   bool        `json:"new_pattern,omitempty"`  // it brings a structure that the project does not have
	Pattern      string      `json:"pattern,omitempty"`      // why, or why not
}

// Point is one criterion of the score.
type Point struct {
	Name   string `json:"name"`
	Value  int    `json:"value"` // 0 or 1
	Reason string `json:"reason,omitempty"`
}

// Score is how complex a request is, of 5 points.
type Score struct {
	Points []Point `json:"points"` // files, architecture, dependencies, modules, explicit
	Total  int     `json:"total"`
	Mode   Mode    `json:"mode"`
}

// The criteria of the score.
const (
	PointFiles        = "files"
	PointArchitecture = "architecture"
	PointDependencies = "dependencies"
	PointModules      = "modules"
	PointExplicit     = "explicit"
)

// manyFiles and manyModules give a point each, from so many on.
const (
	manyFiles   = 3
	manyModules = 2
)

// appetite are words of a request that ask for care: the keyword of the earlier tool, and those of its later versions.
var appetite = re.New(`(?i)\bralplan\b|제대로|production[- ]ready`)

// Rate gives a request its score. Four of the five points are computed; whether a pattern is new is the estimate's
// judgement. Tests and documents come with every change and make none larger. explicit says that the user asked for the large
// way, roots are the directories of manifests.
func Rate(e Estimate, request string, explicit bool, roots []string) Score {
	files := slices.DeleteFunc(slices.Clone(e.Files), func(f task.File) bool { return Beside(f.Path) })
	modules := Modules(files, roots)
	var manifests []string
	for _, f := range files {
		if slices.ContainsFunc(manifestNames, func(m string) bool { ok, _ := path.Match(m, path.Base(f.Path)); return ok }) {
			manifests = append(manifests, f.Path)
		}
	}
	word := appetite().FindString(request)
	if explicit {
		word = "--heavy"
	}
	s := Score{Points: []Point{
		point(PointFiles, len(files) >= manyFiles, task.Paths(files)),
		point(PointArchitecture, e.NewPattern, []string{e.Pattern}),
		point(PointDependencies, len(e.Dependencies)+len(manifests) > 0, slices.Concat(e.Dependencies, manifests)),
		point(PointModules, len(modules) >= manyModules, modules),
		point(PointExplicit, word != "", []string{word}),
	}}
	for _, p := range s.Points {
		s.Total += p.Value
	}
	s.Mode = ModeOf(s.Total)
	return s
}

// ModeOf is the mode that points make: LIGHT up to 1, STANDARD up to 3.
func ModeOf(points int) Mode {
	switch {
	case points <= 1:
		return Light
	case points <= 3:
		return Standard
	default:
		return Heavy
	}
}

// Beside reports whether a file goes with a change and is none by itself: a test with its data, or a document.
func Beside(file string) bool {
	switch toolchain.Classify(file) {
	case toolchain.Test, toolchain.TestData:
		return true
	case toolchain.Other:
		return slices.Contains([]string{".md", ".mdx", ".rst", ".adoc", ".txt"}, strings.ToLower(path.Ext(file)))
	default:
		return false
	}
}

var manifestNames = []string{"go.mod", "package.json", "pyproject.toml", "requirements*.txt", "Cargo.toml", "pom.xml", "build.gradle", "build.gradle.kts"}

func point(name string, yes bool, reasons []string) Point {
	p := Point{Name: name}
	if yes {
		p.Value = 1
	}
	const most = 5
	p.Reason = strings.Join(reasons[:min(len(reasons), most)], ", ")
	if len(reasons) > most {
		p.Reason += ", …"
	}
	return p
}

// Modules are the modules that files lie in: the nearest directory below the top that has a manifest (roots), else the
// first two parts of their own.
func Modules(files []task.File, roots []string) []string {
	var out []string
	for _, f := range files {
		dir := path.Dir(path.Clean(f.Path))
		parts := strings.Split(dir, "/")
		m := strings.Join(parts[:min(len(parts), 2)], "/")
		for d := dir; d != "." && d != "/"; d = path.Dir(d) {
			if slices.Contains(roots, d) {
				m = d
				break
			}
		}
		if !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	slices.Sort(out)
	return out
}

// slug is a name that a feature may have.
var slug = re.New(`^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$`)

// Feature makes the name of a feature from what an author calls it: lower case, [a-z0-9-], at most 40 characters. "" when
// nothing of it is left.
func Feature(name string) string {
	name = strings.Trim(notSlug().ReplaceAllString(strings.ToLower(name), "-"), "-")
	name = strings.Trim(name[:min(len(name), maxFeature)], "-")
	if !slug().MatchString(name) {
		return ""
	}
	return name
}

const maxFeature = 40

var notSlug = re.New(`[^a-z0-9]+`)
