package toolchain

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/jacquard-build/jacquard/internal/commands"
	"github.com/jacquard-build/jacquard/internal/re"
)

// What a project of Python requires, as its files say.

// uvMember reports whether the project in dir is a member of the workspace of uv at root (docs.astral.sh/uv, "Using workspaces").
func (p *Project) uvMember(root, dir string) bool {
	w := readPyproject(string(p.read(join(root, "pyproject.toml")))).Tool.UV.Workspace
	is := func(pattern string) bool {
		return matchParts(strings.Split(join(root, path.Clean(pattern)), "/"), strings.Split(dir, "/"))
	}
	return slices.ContainsFunc(w.Members, is) && !slices.ContainsFunc(w.Exclude, is)
}

// uvWhole is the root of the workspace of uv that a project is tested with all packages of, as its people install them; "" where each is
// installed alone. A root that is no project itself stands for all of them, unless they install some of them.
func (p *Project) uvWhole(f *Found) string {
	root := path.Dir(f.Lock)
	project := readPyproject(string(p.read(join(root, "pyproject.toml"))))
	if f.Manager != "uv" || len(project.Tool.UV.Workspace.Members) == 0 {
		return ""
	}
	apart := project.Project.Name != ""
	for _, c := range p.commands() {
		if c.Purpose != commands.Install || c.Argv[0] != "uv" {
			continue
		}
		if c.Dir == root && slices.Contains(c.Argv, "--all-packages") {
			return root
		}
		apart = apart || c.Dir == root && len(uvPackages(c.Argv)) > 0 || p.uvMember(root, c.Dir)
	}
	if apart {
		return ""
	}
	return root
}

// uvPackages are the arguments of uv that name packages of a workspace.
func uvPackages(argv []string) (out []string) {
	for i, a := range argv {
		if name, joined := strings.CutPrefix(a, "--package="); joined {
			out = append(out, "--package", name)
		} else if a == "--package" && i+1 < len(argv) {
			out = append(out, a, argv[i+1])
		}
	}
	return out
}

// inWorkspace takes what all packages of a workspace of uv are installed for: the groups of its root, and the manifests.
func (f *Found) inWorkspace(p *Project, root string) {
	f.Workspace = root
	project := readPyproject(string(p.read(join(root, "pyproject.toml"))))
	project.Project.Dependencies, project.Project.Extras = nil, nil
	for _, r := range project.requirements() {
		f.declare(requirementOf(r))
	}
	for _, file := range p.files {
		if base := path.Base(file); (base == "pyproject.toml" || base == "setup.py" || base == "setup.cfg") && (path.Dir(file) == root || p.uvMember(root, path.Dir(file))) {
			f.Installs = addOnce(f.Installs, file)
		}
	}
}

// requirementFiles are the names of the files whose requirements are installed.
func requirementFiles() []string {
	return []string{"requirements*.txt", "dev-requirements.txt", "test-requirements.txt"}
}

// readRequirements notes a file of requirements and those that it names.
func (f *Found) readRequirements(p *Project, file string) {
	if !p.set[file] || slices.Contains(f.Installs, file) {
		return
	}
	f.Installs = append(f.Installs, file)
	for line := range strings.SplitSeq(string(p.read(file)), "\n") {
		m := requirementInclude().FindStringSubmatch(line)
		switch {
		case m == nil:
			f.declare(requirementOf(line))
		case m[1] == "c" || m[1] == "-constraint": // versions of what others require
			if other := path.Join(path.Dir(file), m[2]); p.set[other] {
				f.Installs = addOnce(f.Installs, other)
			}
		default:
			f.readRequirements(p, path.Join(path.Dir(file), m[2]))
		}
	}
}

// requirementInclude is a line that names another file of requirements or constraints (pip, "Requirements File Format").
var requirementInclude = re.New(`^\s*-(r|c|-requirement|-constraint)[ =]?\s*([^\s#]+)`)

var requirement = re.New(`^[A-Za-z0-9][A-Za-z0-9._-]*`)

func requirementName(line string) string {
	return strings.ToLower(requirement().FindString(strings.TrimSpace(line)))
}

// requirementOf is the package that a line requires, and what the line says of its version.
func requirementOf(line string) (name, version string) {
	rest := requirement().ReplaceAllString(strings.TrimSpace(line), "")
	for _, end := range []string{";", "#", " --", "\\"} {
		rest, _, _ = strings.Cut(rest, end)
	}
	if strings.HasPrefix(rest, "[") {
		_, rest, _ = strings.Cut(rest, "]")
	}
	return requirementName(line), strings.ReplaceAll(rest, " ", "")
}

// plainName is a requirement's name in the form in which names are compared.
func plainName(line string) string {
	return strings.NewReplacer("_", "-", ".", "-").Replace(requirementName(line))
}

// pyproject is what a pyproject.toml says of dependencies (packaging.python.org, "pyproject.toml specification"; groups: PEP 735).
type pyproject struct {
	BuildSystem map[string]any `toml:"build-system"`
	Project     struct {
		Name         string
		Dependencies []string
		Extras       map[string][]string `toml:"optional-dependencies"`
	}
	Groups map[string][]any `toml:"dependency-groups"` // a requirement, or {include-group = "another"}
	Tool   struct {
		UV struct {
			Dev       []string `toml:"dev-dependencies"`
			Workspace struct{ Members, Exclude []string }
		}
		Poetry struct {
			Name         string
			Dependencies map[string]any
			Dev          map[string]any `toml:"dev-dependencies"`
			Group        map[string]struct{ Dependencies map[string]any }
		}
	}
}

// readPyproject reads a pyproject.toml; what is no TOML says nothing.
func readPyproject(text string) pyproject {
	var out pyproject
	if _, err := toml.Decode(text, &out); err != nil {
		return pyproject{}
	}
	return out
}

// requirements are all that the file names, as it writes them; of Poetry's own tables only the names.
func (t pyproject) requirements() []string {
	out := slices.Clone(t.Project.Dependencies)
	for _, extra := range sortedKeys(t.Project.Extras) {
		if list := t.Project.Extras[extra]; !pinsOnly(list, t.Project.Dependencies) {
			out = append(out, list...)
		}
	}
	for _, group := range sortedKeys(t.Groups) {
		for _, entry := range t.Groups[group] {
			if r, ok := entry.(string); ok {
				out = append(out, r)
			}
		}
	}
	out = append(out, t.Tool.UV.Dev...)
	tables := []map[string]any{t.Tool.Poetry.Dependencies, t.Tool.Poetry.Dev}
	for _, group := range sortedKeys(t.Tool.Poetry.Group) {
		tables = append(tables, t.Tool.Poetry.Group[group].Dependencies)
	}
	for _, table := range tables {
		for _, name := range sortedKeys(table) {
			if name != "python" {
				out = append(out, requirementName(name))
			}
		}
	}
	return out
}

// locked are the packages of pdm.lock, or of poetry.lock since 2.1, in the versions that it has, as requirements: pip installs them as well
// (pdm-project.org, "Lock file specifications"; earlier locks of Poetry do not say for which machines a package is). Those that lie in git
// or in a folder are left out.
func locked(lock []byte) []string {
	var t struct {
		Package []struct {
			Name, Version, Marker, Path, URL, Git string
			Extras                                any            // of pdm those that are installed, of Poetry all that it has
			Optional                              bool           // of Poetry, as all below: for an extra
			Markers                               any            // one, or one for each group
			Source                                map[string]any // if it is no package of the index
		}
		Metadata struct {
			Version string `toml:"lock-version"` // of Poetry
		}
	}
	if _, err := toml.Decode(string(lock), &t); err != nil || t.Metadata.Version != "" && t.Metadata.Version < "2.1" {
		return nil
	}
	var out []string
	for _, l := range t.Package {
		if l.Path+l.URL+l.Git != "" || l.Version == "" || strings.HasPrefix(l.Name, "-") || l.Optional || l.Source != nil {
			continue
		}
		if list, ok := l.Extras.([]any); ok && len(list) > 0 {
			l.Name += strings.ReplaceAll(fmt.Sprint(list), " ", ",")
		}
		switch m := l.Markers.(type) {
		case string:
			l.Marker = m
		case map[string]any:
			var each []string
			for _, group := range sortedKeys(m) {
				each = append(each, fmt.Sprintf("(%v)", m[group]))
			}
			l.Marker = strings.Join(each, " or ")
		}
		if l.Marker != "" {
			l.Marker = "; " + l.Marker
		}
		out = append(out, l.Name+"=="+l.Version+l.Marker)
	}
	return out
}

// pinsOnly reports whether an extra only says one version of each package, among them ones that the project requires anyway: it is for
// a job of its own, such as that with the lowest versions.
func pinsOnly(extra, required []string) bool {
	known := false
	for _, r := range extra {
		if _, version := requirementOf(r); !strings.HasPrefix(version, "==") {
			return false
		}
		known = known || slices.ContainsFunc(required, isOf(plainName(r)))
	}
	return known
}
