package check

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
)

// Limits of the search for branches that no test takes, of one module or task.
const (
	maxBranches = 8
	maxBranched = 30 * time.Second
)

// branchAt is a branch of new code in a file.
type branchAt struct {
	source.Branch
	file string
	src  []byte
}

func (b branchAt) at(m source.Mutant) mutantAt { return mutantAt{Mutant: m, file: b.file, src: b.src} }

// untested are the new branches of functions that differ in two versions of some files, in which tests have not noticed one of the mutants
// killed. Those that refuse something are left out, as those for what is not there, and those that give what the function has kept.
func untested(old, now map[string][]byte, killed []mutantAt) (out []branchAt) {
	for _, file := range slices.Sorted(maps.Keys(now)) {
		if string(old[file]) == string(now[file]) {
			continue
		}
		f, lines := source.Parse(file, now[file]), newLines(old[file], now[file])
		code := source.Code(f.Tokens)
		for _, b := range f.Branches() {
			inside := func(x mutantAt) bool { return x.file == file && b.Body <= x.Off && x.End <= b.Stop }
			if lines[b.Line] && !slices.ContainsFunc(killed, inside) && decides(f, code, b) {
				out = append(out, branchAt{b, file, now[file]})
			}
			if len(out) == maxBranches {
				return out
			}
		}
	}
	return out
}

// decides reports whether a branch is for values, and not for mistakes, for what is missing, or for what the function keeps for later.
func decides(f source.File, code []source.Token, b source.Branch) bool {
	if skipsUnder().Match(f.Source()[b.Off:b.End]) { // of another machine, or for people to choose
		return false
	}
	body := within(code, b.Body, b.Stop)
	for i := range body {
		if raises(body, i) {
			return false
		}
	}
	fn, ok := f.FuncAt(b.Line)
	if !ok {
		return false
	}
	before, after := within(code, fn.Body, b.Head), within(code, b.Stop, fn.Stop)
	for _, t := range within(code, b.Head, b.End) {
		switch {
		case slices.Contains([]string{"err", "error", "nil", "null", "None", "undefined"}, t.Text):
			return false
		case t.Kind == source.Ident && (keepsIn(before, t.Text) || keepsIn(after, t.Text)):
			return false
		}
	}
	return true
}

// keepsIn reports whether code puts something into what has a name: seen[key] = r, seen.add(key). A condition on what a call
// before has left there is met by a second call alone.
func keepsIn(code []source.Token, name string) bool {
	for i, t := range code {
		if t.Kind != source.Ident || t.Text != name {
			continue
		}
		text := textAt(code, i)
		switch text(1) {
		case ".":
			if slices.Contains([]string{"add", "set", "put", "store", "Store", "setdefault", "update"}, text(2)) {
				return true
			}
		case "[":
			depth := 0
			for k := 1; text(k) != ""; k++ {
				if text(k) == "[" {
					depth++
				}
				if text(k) == "]" {
					if depth--; depth == 0 {
						if text(k+1) == "=" {
							return true
						}
						break
					}
				}
			}
		}
	}
	return false
}

// untaken are the branches that no test takes, and that would give something else if they were: nothing shows that they are right.
func (p *place) untaken(ctx context.Context, list []branchAt, tests func(file string) []string, proof *Proof) (out []branchAt, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, maxBranched, errMutateTime)
	defer cancel()
	for _, b := range list {
		found := true
		for _, x := range []struct {
			source.Mutant
			killed bool
		}{{b.Fails(), false}, {b.Left(), false}, {b.Taken(), true}} {
			killed, valid, err := p.mutant(ctx, b.at(x.Mutant), tests(b.file), nil, proof)
			if errors.Is(err, errMutateTime) {
				return out, nil
			}
			if err != nil {
				return out, err
			}
			if found = valid && killed == x.killed; !found {
				break
			}
		}
		if found {
			out = append(out, b)
		}
	}
	return out, nil
}

// warning says that no test takes a branch; format takes the branch and the function that it is of.
func (b branchAt) warning(format string) step.Finding {
	return warn("low-coverage", b.file, b.Line, fmt.Sprintf(format, shortLine(b.at(b.Taken())), b.Func))
}

// skipsUnder finds that tests are skipped under a condition that is for people to choose or for a machine to have: an option, a variable, a
// system, a version.
var skipsUnder = re.New(`getoption|environ|[gG]etenv|process\.env|process\.platform|sys\.platform|GOOS|version_info|skipif|importorskip|find_spec|testing\.Short`)
