package check

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/git"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// kind is what a changed file is for a judgement.
type kind int

const (
	noKind      kind = iota // documents, configuration: nothing that tests are asked about
	codeKind                // of a language that is known
	foreignCode             // of another one
	testKind
	dataKind // what code or tests may read
)

// judged are the languages that changes are judged in. Of others it was never measured how often a finding would be wrong.
var judged = []string{toolchain.Go, toolchain.Node, toolchain.Python, toolchain.Rust, toolchain.JVM}

func (j *judge) kindOf(ch Change) kind {
	if k := kindOf(ch); k != codeKind || !j.setup[ch.Path] {
		return k
	}
	return testKind
}

// setupFiles are the files of JavaScript that a runner loads before the tests, by its settings.
func (j *judge) setupFiles(ctx context.Context) (map[string]bool, error) {
	code := those(j.changes, func(ch Change) bool {
		return ch.Status != 'D' && ecosystemOf(ch.Path) == toolchain.Node && kindOf(ch) == codeKind
	})
	if len(code) == 0 {
		return nil, nil
	}
	settings, err := j.c.readFiles(ctx, j.proof.Tree, func(e git.Entry) bool { return runnerFile().MatchString(e.Path) })
	out := map[string]bool{}
	for name, text := range settings {
		load := loadsFirst
		if strings.HasPrefix(path.Base(name), ".mocharc") {
			load = mochaLoads
		}
		for _, m := range load().FindAllSubmatch(text, -1) {
			for _, file := range loaded().FindAllString(string(m[1]), -1) {
				out[path.Join(path.Dir(name), file)] = true
			}
		}
	}
	return out, err
}

var (
	// loadsFirst is a setting of a runner that names what is loaded before the tests, or such an option of a script of tests.
	loadsFirst = re.New(`(?:\b(?:setupFiles|setupFilesAfterEnv|globalSetup|globalTeardown)\b["']?\s*:\s*|"(?:pre)?test[\w:.-]*"\s*:\s*"[^"\n]*--(?:import|require|loader)[ =])(\[[^\]]*\]|["']?[^\s"']+)`)
	mochaLoads = re.New(`(?m)\b(?:require|import|file)["']?\s*:\s*(\[[^\]]*\]|.*)`)
	// loaded is a file in it.
	loaded = re.New(`[\w@./-]+\.[cm]?[jt]s\b`)
)

func kindOf(ch Change) kind {
	eco := ecosystemOf(ch.Path)
	switch toolchain.Classify(ch.Path) {
	case toolchain.Test, toolchain.TestData:
		if eco != "" && !slices.Contains(judged, eco) {
			return noKind
		}
		return testKind
	case toolchain.Source:
		switch {
		case !slices.Contains(judged, eco):
			return foreignCode
		case otherCode(ch):
			return codeKind
		case otherTests(ch):
			return testKind
		}
	case toolchain.Other:
		switch {
		case IsCode(ch.Path):
			return foreignCode
		case doesSomething(ch):
			return dataKind
		}
	case toolchain.Config:
	}
	return noKind
}

// generated reports whether a program writes a file: a comment in its head says so, or its first lines are longer than people write.
func generated(text []byte) bool {
	head := text[:min(len(text), longHead)]
	lines := bytes.SplitN(head, []byte("\n"), 4)
	return saysGenerated().Match(head) || slices.ContainsFunc(lines[:min(3, len(lines))], func(l []byte) bool { return len(l) > longLine })
}

const (
	longHead = 2000 // bytes
	longLine = 400
)

// saysGenerated finds what Go's tools, protoc, bundlers and others write above their code.
var saysGenerated = re.New(`(?im)^\s*(?://|#|/\*+!?|\*)\s*(?:code generated\b.*\bdo not edit|@generated\b|this (?:file|code) (?:is|was) (?:auto-?|automatically )?generated\b|.*\bgenerated\b.*\bdo not (?:edit|modify)|.*\bdo not (?:edit|modify)\b.*\bgenerated\b|\*+/ \(.*webpackBootstrap)`)

// otherTests reports whether the tests beside the code of a file are others than before.
func otherTests(ch Change) bool {
	if !mayTest(ch.Path) {
		return false
	}
	_, was := source.Parse(ch.Path, ch.Old).Split()
	_, is := source.Parse(ch.Path, ch.New).Split()
	return !bytes.Equal(was, is)
}

// foreign reports whether a file is code that no toolchain of the project is for, or a program that says itself what runs it.
func (j *judge) foreign(ch Change) bool {
	switch kind := j.kindOf(ch); kind {
	case dataKind:
		return bytes.HasPrefix(ch.New, []byte("#!"))
	case foreignCode:
		return !slices.ContainsFunc(j.q.Chains, func(f toolchain.Found) bool { return compiles(f, ch.Path) })
	default:
		return kind == codeKind && !j.tests(ecosystemOf(ch.Path))
	}
}

// tests reports whether a toolchain of the project is of an ecosystem that changes are judged in.
func (j *judge) tests(eco string) bool {
	return slices.Contains(judged, eco) && slices.ContainsFunc(j.q.Chains, func(f toolchain.Found) bool { return f.Ecosystem == eco })
}

// concerned are the toolchains that the change can be tested by.
func (j *judge) concerned() []toolchain.Found {
	return those(j.q.Chains, func(chain toolchain.Found) bool {
		return slices.Contains(judged, chain.Ecosystem) && (j.installs(chain) || slices.ContainsFunc(j.changes, func(ch Change) bool { return j.mineIn(chain, ch) }))
	})
}

// mineIn reports whether a change is one that a toolchain tests: of its language, or data in its place.
func (j *judge) mineIn(chain toolchain.Found, ch Change) bool {
	if compiles(chain, ch.Path) {
		return true
	}
	k := j.kindOf(ch)
	if (k == noKind || k == foreignCode) && !j.read[ch.Path] || !j.owns(chain, ch.Path) {
		return false
	}
	eco := ecosystemOf(ch.Path)
	return eco == "" || eco == chain.Ecosystem
}

// owns reports whether a path lies in a toolchain, and in none of the same kind below it.
func (j *judge) owns(chain toolchain.Found, file string) bool {
	return below(chain.Root, file) && !slices.ContainsFunc(j.q.Chains, func(o toolchain.Found) bool {
		return o.Ecosystem == chain.Ecosystem && o.Root != chain.Root && below(chain.Root, o.Root) && below(o.Root, file) && !o.Own.Elsewhere
	})
}
