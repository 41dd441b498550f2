package check

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// installs reports whether the change may have a toolchain install something else than before: by its own manifests, or by those of
// what it is installed with.
func (p *taskProof) installs(chain toolchain.Found) bool {
	return slices.ContainsFunc(p.manifests, func(file string) bool {
		return slices.ContainsFunc(p.t.Chains, func(o toolchain.Found) bool {
			return o.Ecosystem == chain.Ecosystem && (o.Manifest == file || o.Lock == file || slices.Contains(o.Installs, file)) && (o.Same(chain) || o.Workspace != "" && o.Workspace == chain.Workspace || below(o.Root, chain.Root))
		})
	})
}

// asItWas is a checkout of the tree before the change with what was installed there, where that is something else: what the change removes
// was there. It is nil where it is not, and where it cannot be installed any more.
func (p *taskProof) asItWas(ctx context.Context, chain toolchain.Found) (*place, error) {
	if p.then == nil || !p.installs(chain) {
		return nil, nil
	}
	chains, err := p.then()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(chains, chain.Same)
	if i < 0 {
		return nil, nil
	}
	pl, err := p.c.open(ctx, step.OnBefore, p.before, p.before, chains[i])
	if errors.Is(err, ErrSetup) {
		return nil, nil
	}
	return pl, err
}

// depends is the part of a manifest or a lock file that can say what is installed: not the version of the project itself, nor how people
// begin its scripts.
func depends(name string, text []byte) string {
	if kind := toolchain.ConfigKindOf(name); kind != toolchain.ManifestConfig && kind != toolchain.LockConfig {
		return ""
	}
	switch path.Base(name) {
	case "package.json":
		return withoutKeys(text, "version", "scripts", "description", "keywords", "author", "contributors", "repository", "bugs", "homepage", "funding", "files", "license", "publishConfig")
	case "package-lock.json":
		return withoutKeys(text, "version")
	}
	return linesOf(text, func(section, line string) bool {
		own := !strings.HasPrefix(section, "[") || ofProject().MatchString(section)
		return strings.TrimSpace(line) != "" && (!own || !ownVersion().MatchString(line))
	})
}

// withoutKeys is a JSON object without some keys, as text. So is the entry that a lock file has of the project itself.
func withoutKeys(text []byte, keys ...string) string {
	var m map[string]json.RawMessage
	if json.Unmarshal(text, &m) != nil {
		return string(text)
	}
	for _, key := range keys {
		delete(m, key)
	}
	var packages map[string]json.RawMessage
	if json.Unmarshal(m["packages"], &packages) == nil && packages[""] != nil {
		packages[""] = json.RawMessage(withoutKeys(packages[""], keys...))
		m["packages"], _ = json.Marshal(packages) // of what was read
	}
	b, _ := json.Marshal(m) // of what was read
	return string(b)
}

var (
	ofProject  = re.New(`^\[(?:project|package|workspace\.package|tool\.poetry|metadata|bumpversion)\]`)
	ownVersion = re.New(`^\s*(?:version|description|classifiers|authors|readme)\s*=|^\s*"Programming Language|^\s*#`)
)

// affected runs the tests that nothing else of the change reaches, where what is installed is something else than before: any of them
// may need it.
func (x *chainJudge) affected(ctx context.Context) error {
	if !x.installs(x.chain) {
		return nil
	}
	return x.inTurn(ctx, batches(x.runnable(without(x.testFiles(), func(f string) bool { return x.ran[f] })), mostAtOnce), "tests that the changed dependencies can reach: %d files")
}

// readByCode notes which changed files that are no code are named in code, as a file is that code reads: tests may see that it changed.
// What people read only stands in few places, and is not looked for.
func (j *judge) readByCode(ctx context.Context) error {
	files := pathsOf(those(j.changes, func(ch Change) bool {
		k := kindOf(ch)
		return (k == noKind || k == foreignCode) && toolchain.Classify(ch.Path) == toolchain.Other && !forPeople().MatchString(ch.Path)
	}))
	if files = files[:min(mostData, len(files))]; len(files) == 0 {
		return nil
	}
	sources, err := j.c.readFiles(ctx, j.proof.Tree, func(e git.Entry) bool {
		return e.Mode != linkMode && e.Mode != moduleMode && toolchain.LanguageOf(e.Path) != ""
	})
	if err != nil {
		return err
	}
	j.read = map[string]bool{}
	for code, src := range sources {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		embeds := bytes.Contains(src, []byte("//go:embed "))
		named := func(file string) bool { return embeds || bytes.Contains(src, []byte(path.Base(file))) }
		if !slices.ContainsFunc(files, named) {
			continue
		}
		tokens := source.Tokens(code, src)
		for _, file := range files {
			j.read[file] = j.read[file] || named(file) && namesFile(path.Dir(code), tokens, file)
		}
	}
	return nil
}

// mostData is how many changed files that are no code are looked for in code.
const mostData = 20

// namesFile reports whether a text in code of a directory has the name of another file, or the code has its compiler embed it
// (pkg.go.dev/embed).
func namesFile(dir string, tokens []source.Token, file string) bool {
	name, within := path.Base(file), strings.TrimPrefix(file, dir+"/")
	return slices.ContainsFunc(tokens, func(t source.Token) bool {
		pattern, embedded := strings.CutPrefix(t.Text, "//go:embed ")
		switch {
		case t.Kind == source.String:
			return strings.Contains(t.Text, name) && slices.ContainsFunc(strings.FieldsFunc(t.Text, func(r rune) bool { return strings.ContainsRune("\"'` \n\t", r) }), func(word string) bool { return path.Base(word) == name })
		case t.Kind == source.Comment && embedded:
			return slices.ContainsFunc(strings.Fields(pattern), func(p string) bool {
				p = strings.TrimPrefix(p, "all:")
				return within == p || strings.HasPrefix(within, p+"/") || toolchain.Match(p, within)
			})
		}
		return false
	})
}

// forPeople finds files that people read and no code does.
var forPeople = re.New(`(?i)(?:^|/)(?:docs?|\.github|examples?)/|(?:^|/)(?:readme|change|history|license|licence|copying|notice|authors|contribut|security|code_of_conduct|claude|agents|implements|spec|todo|news)[^/]*$`)
