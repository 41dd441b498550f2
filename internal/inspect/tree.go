package inspect

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/index"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Tree says which directories need a CLAUDE.md: those with source files, and those with
// two or more directories.
type Tree struct {
	Root     string      `json:"root"`
	Needs    []TreeEntry `json:"needs_claude_md"`
	Excluded []string    `json:"excluded"`
}

// TreeEntry is one such directory.
type TreeEntry struct {
	Path        string `json:"path"` // "" is the root
	SourceFiles int    `json:"source_file_count"`
	Subdirs     int    `json:"subdir_count"`
	Reason      string `json:"reason"`
	Depth       int    `json:"depth"`
	HasClaudeMd bool   `json:"has_claude_md"`
}

// counted is what is directly in a directory.
type counted struct {
	sources int
	subdirs map[string]bool
}

func (p *Project) count() (dirs map[string]*counted, excluded map[string]bool) {
	dirs, excluded = map[string]*counted{".": {subdirs: map[string]bool{}}}, map[string]bool{}
	at := func(dir string) *counted {
		if dirs[dir] == nil {
			dirs[dir] = &counted{subdirs: map[string]bool{}}
		}
		return dirs[dir]
	}
	for _, f := range p.files {
		if foreign(f) {
			excluded[foreignRoot(f)] = true
			continue
		}
		dir := path.Dir(f)
		if isCode(f) {
			at(dir).sources++
		}
		for dir != "." {
			at(dir)
			up := path.Dir(dir)
			if !strings.HasPrefix(path.Base(dir), ".") {
				at(up).subdirs[dir] = true
			}
			dir = up
		}
	}
	return dirs, excluded
}

// isCode reports whether a file is code, also of a language that cannot be built yet but has specs all the same.
func isCode(f string) bool {
	switch path.Ext(f) {
	case ".scala", ".c", ".cpp", ".cc", ".cxx", ".h", ".hpp", ".cs", ".rb", ".swift", ".php":
		return true
	}
	return toolchain.LanguageOf(f) != ""
}

// foreignRoot is the directory because of which a file is foreign.
func foreignRoot(file string) string {
	var at []string
	for part := range strings.SplitSeq(path.Dir(file), "/") {
		at = append(at, part)
		if slices.Contains(foreignDirs, part) {
			break
		}
	}
	return strings.Join(at, "/")
}

// Tree lists the directories that need a CLAUDE.md, sorted by path.
func (p *Project) Tree() Tree {
	a := p.Audit(false)
	t := Tree{Root: p.root, Needs: []TreeEntry{}, Excluded: a.Excluded}
	for _, n := range a.Nodes {
		var reasons []string
		if n.SourceFiles > 0 {
			reasons = append(reasons, fmt.Sprintf("%d source files", n.SourceFiles))
		}
		if n.Subdirs > 1 {
			reasons = append(reasons, fmt.Sprintf("%d subdirectories", n.Subdirs))
		}
		if n.Needs {
			t.Needs = append(t.Needs, TreeEntry{n.Path, n.SourceFiles, n.Subdirs, strings.Join(reasons, " and "), n.Depth, n.HasClaudeMd})
		}
	}
	return t
}

// Audit says of every directory whether it has the documents that it needs.
type Audit struct {
	Root     string       `json:"root"`
	Nodes    []AuditNode  `json:"nodes"`
	Excluded []string     `json:"excluded"`
	Summary  AuditSummary `json:"summary"`
}

// AuditNode is one directory. Status is complete, missing (needs a CLAUDE.md and has
// none), unexpected (has one and needs none) or not_required.
type AuditNode struct {
	Path          string `json:"path"`
	SourceFiles   int    `json:"source_file_count"`
	Subdirs       int    `json:"subdir_count"`
	Depth         int    `json:"depth"`
	Needs         bool   `json:"meets_con1"`
	HasClaudeMd   bool   `json:"has_claude_md"`
	HasImplements bool   `json:"has_implements_md"`
	Status        string `json:"status"`
}

// AuditSummary counts all directories, also when only those with issues are listed.
type AuditSummary struct {
	Total       int `json:"total_directories"`
	Needs       int `json:"meets_con1"`
	HasClaudeMd int `json:"has_claude_md"`
	Implements  int `json:"has_implements_md"`
	Complete    int `json:"complete"`
	Missing     int `json:"missing"`
	Unexpected  int `json:"unexpected"`
	NotRequired int `json:"not_required"`
}

// Audit lists all directories, or with onlyIssues those that are missing or unexpected.
func (p *Project) Audit(onlyIssues bool) Audit {
	dirs, excluded := p.count()
	a := Audit{Root: p.root, Nodes: []AuditNode{}, Excluded: append([]string{}, slices.Sorted(maps.Keys(excluded))...)}
	count := map[string]int{}
	for dir, c := range dirs {
		n := AuditNode{
			Path: shown(dir), SourceFiles: c.sources, Subdirs: len(c.subdirs), Depth: index.Depth(dir),
			Needs: c.sources > 0 || len(c.subdirs) > 1, HasClaudeMd: p.HasSpec(dir), HasImplements: p.Has(path.Join(dir, implementsFile)),
		}
		switch {
		case n.Needs && n.HasClaudeMd:
			n.Status = "complete"
		case n.Needs:
			n.Status = "missing"
		case n.HasClaudeMd:
			n.Status = "unexpected"
		default:
			n.Status = "not_required"
		}
		count[n.Status]++
		if n.HasImplements {
			a.Summary.Implements++
		}
		if !onlyIssues || n.Status == "missing" || n.Status == "unexpected" {
			a.Nodes = append(a.Nodes, n)
		}
	}
	s := &a.Summary
	s.Complete, s.Missing, s.Unexpected, s.NotRequired = count["complete"], count["missing"], count["unexpected"], count["not_required"]
	s.Total, s.Needs, s.HasClaudeMd = len(dirs), s.Complete+s.Missing, s.Complete+s.Unexpected
	slices.SortFunc(a.Nodes, func(x, y AuditNode) int { return strings.Compare(x.Path, y.Path) })
	return a
}
