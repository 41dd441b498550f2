package check

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ast/astutil"

	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Prune removes tests, named by their ids, from a tree and says which it removed. A test that cannot be cut out without
// touching anything else (it shares its lines, is the last of its group, or leaves an import behind that a compiler would
// complain about) is left to an author.
func (c *Checker) Prune(ctx context.Context, tree string, ids []string) (pruned string, removed []string, err error) {
	entries, err := c.repo.ReadTree(ctx, tree)
	if err != nil {
		return "", nil, fmt.Errorf("remove tests: %w", err)
	}
	byFile := map[string][]string{}
	for _, id := range ids {
		if file, name := toolchain.SplitID(id); file != "" && name != "" {
			byFile[file] = append(byFile[file], name)
		}
	}
	var edits []git.Edit
	for _, e := range entries {
		names := byFile[e.Path]
		if len(names) == 0 || e.Mode == linkMode || e.Mode == moduleMode {
			continue
		}
		src, err := c.repo.ReadBlob(ctx, e.ID)
		if err != nil {
			return "", nil, fmt.Errorf("remove tests: %w", err)
		}
		rest, gone, ok := cut(e.Path, src, names)
		if !ok || len(gone) == 0 {
			continue
		}
		edit := git.Edit{Path: e.Path, Mode: e.Mode}
		if rest != nil {
			if edit.ID, err = c.repo.WriteBlob(ctx, rest); err != nil {
				return "", nil, fmt.Errorf("remove tests: %w", err)
			}
		}
		edits = append(edits, edit)
		removed = append(removed, each(gone, func(name string) string { return e.Path + "::" + name })...)
	}
	if pruned, err = c.repo.EditTree(ctx, tree, edits); err != nil {
		return "", nil, fmt.Errorf("remove tests: %w", err)
	}
	return pruned, removed, nil
}

// cut removes tests from a file. rest is nil when nothing is left that is worth a file.
func cut(file string, src []byte, names []string) (rest []byte, gone []string, ok bool) {
	f := source.Parse(file, src)
	var kept []string
	drop := map[int]bool{} // lines, from 1
	lines := strings.SplitAfter(string(src), "\n")
	for _, t := range f.Tests {
		if !slices.Contains(names, t.Name) {
			kept = append(kept, t.Name)
			continue
		}
		if t.Line < 1 || t.End > len(lines) || !testBegins().MatchString(lines[t.Line-1]) || !testEnds().MatchString(lines[t.End-1]) {
			return nil, nil, false
		}
		gone = append(gone, t.Name)
		from := t.Line
		for from > 1 && belongsBelow().MatchString(lines[from-2]) {
			from--
		}
		for n := from; n <= t.End; n++ {
			if drop[n] {
				return nil, nil, false
			}
			drop[n] = true
		}
	}
	if len(gone) == 0 || !sameGroups(kept, gone) {
		return nil, nil, false
	}
	helps := slices.ContainsFunc(f.Funcs, func(fn source.Func) bool { return !slices.Contains(gone, fn.Name) })
	if len(kept) == 0 && (!helps || source.LangOf(file) != source.Go) {
		return nil, gone, true
	}
	var b strings.Builder
	for i, l := range lines {
		// Of the blank lines around what goes, those before it stay, unless what they are in ends there.
		if drop[i] && !drop[i+1] && strings.HasPrefix(strings.TrimSpace(l), "}") && strings.HasSuffix(b.String(), "\n\n") {
			text := strings.TrimSuffix(b.String(), "\n")
			b.Reset()
			b.WriteString(text)
		}
		if !drop[i+1] && (!drop[i] || strings.TrimSpace(l) != "") {
			b.WriteString(l)
		}
	}
	rest = []byte(b.String())
	if !bytes.HasSuffix(src, []byte("\n\n")) { // what went was the end
		rest = append(bytes.TrimRight(rest, "\n"), '\n')
	}
	if rest, ok = tidy(file, src, rest); !ok {
		return nil, nil, false
	}
	left := each(source.Parse(file, rest).Tests, func(t source.Test) string { return t.Name })
	return rest, gone, slices.Equal(left, kept)
}

var (
	testBegins   = re.New(`^\s*(func Test|func Fuzz|it\b|test\b|async def test|def test|@\w|(?:pub )?(?:async )?fn |(?:[a-z]+ )*void |(?:[a-z]+ )*fun )`)
	testEnds     = re.New(`^\s*([})\];]+|.*\S)\s*$`)
	belongsBelow = re.New(`^\s*(//|#|@\w)`)
)

// sameGroups reports whether every describe block and every class that loses a test keeps one.
func sameGroups(kept, gone []string) bool {
	for _, g := range gone {
		for _, sep := range []string{" > ", "::", "."} {
			i := strings.LastIndex(g, sep)
			if i >= 0 && !slices.ContainsFunc(kept, func(k string) bool { return strings.HasPrefix(k, g[:i+len(sep)]) }) {
				return len(kept) == 0
			}
		}
	}
	return true
}

// tidy removes the imports of a Go file that nothing uses any more; in languages whose compiler may complain about
// them or about what they name, such an import is a reason to leave the file alone.
func tidy(file string, before, after []byte) ([]byte, bool) {
	switch source.LangOf(file) {
	case source.Go:
		return tidyGo(before, after)
	case source.TypeScript, source.Rust, source.Java, source.Kotlin:
		f := source.Parse(file, after)
		for _, imp := range f.Imports {
			if imp.Path { // it is no line of its own
				continue
			}
			for _, name := range imp.Names {
				word := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`)
				if len(word.FindAllIndex(after, 2)) < 2 && len(word.FindAllIndex(before, 2)) == 2 {
					return nil, false
				}
			}
		}
	}
	return after, true
}

func tidyGo(before, after []byte) ([]byte, bool) {
	fset := token.NewFileSet()
	old, err := parser.ParseFile(fset, "", before, parser.SkipObjectResolution)
	if err != nil {
		return nil, false
	}
	f, err := parser.ParseFile(fset, "", after, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, false
	}
	was, is := usedPackages(old), usedPackages(f)
	changed := false
	for _, imp := range slices.Clone(f.Imports) {
		p, err := strconv.Unquote(imp.Path.Value)
		if err != nil {
			return nil, false
		}
		name := ""
		if imp.Name != nil {
			name = imp.Name.Name
		}
		local := name
		if local == "" {
			local = packageName(p)
		}
		switch {
		case local == "_" || local == "." || is[local]:
		case !was[local]: // its name is not what its path says
			return nil, false
		default:
			changed = astutil.DeleteNamedImport(fset, f, name, p) || changed
		}
	}
	if !changed {
		return after, true
	}
	var b bytes.Buffer
	if err := format.Node(&b, fset, f); err != nil {
		return nil, false
	}
	return b.Bytes(), true
}

// usedPackages are the names in front of a dot.
func usedPackages(f *ast.File) map[string]bool {
	out := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok {
				out[x.Name] = true
			}
		}
		return true
	})
	return out
}
