package git

import (
	"path"
	"strings"
)

// isDotGit reports whether some file system takes name for .git: other case, invisible
// characters (HFS+), trailing dots and spaces, streams and short names (NTFS).
func isDotGit(name string) bool {
	visible := strings.Map(func(r rune) rune {
		switch {
		case r >= 0x200c && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x206a && r <= 0x206f, r == 0xfeff:
			return -1
		}
		return r
	}, name)
	if i := strings.IndexAny(visible, ":\\"); i >= 0 {
		visible = visible[:i]
	}
	visible = strings.ToLower(strings.TrimRight(visible, " ."))
	return visible == ".git" || visible == "git~1"
}

// leaves reports whether the symbolic link at p, or a link it goes through, points out
// of the tree. links maps the paths of all symbolic links of the tree to their targets.
// The target of a link is resolved as the system does it: "s/.." is the parent of what
// s points to.
func leaves(links map[string]string, p string) bool {
	const most = 40 // as many links as Linux follows
	var at []string
	todo := strings.Split(p, "/")
	for hops := 0; len(todo) > 0; {
		part := todo[0]
		todo = todo[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			if len(at) == 0 {
				return true
			}
			at = at[:len(at)-1]
			continue
		}
		at = append(at, part)
		target, ok := links[strings.Join(at, "/")]
		if !ok {
			continue
		}
		if hops++; hops > most || target == "" || path.IsAbs(target) || strings.ContainsAny(target, ":\\") {
			return true
		}
		at = at[:len(at)-1]
		todo = append(strings.Split(target, "/"), todo...)
	}
	return false
}

// quote writes p for a list of paths separated by newlines, where a path that begins
// with a quotation mark or contains a newline has to be in C notation.
func quote(p string) string {
	if !strings.HasPrefix(p, `"`) && !strings.ContainsAny(p, "\n\r") {
		return p
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`).Replace(p) + `"`
}
