package check

import (
	"context"
	"fmt"
	"go/ast"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/signature"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// What new tests leave out of what a change adds. It blocks nothing: a person may know why.

// repeated names new tests that compute what they expect as the code does: a mistake there is one here.
func (x *chainJudge) repeated(context.Context) error {
	returned := each(x.writes(), computed)
	for _, t := range x.fresh {
		tests := x.files[t.File]
		if t.Off >= t.Stop || t.Stop > len(tests) {
			continue
		}
		text := joined(within(source.Code(source.Tokens(t.File, tests)), t.Off, t.Stop))
		for _, values := range returned {
			for _, name := range slices.Sorted(maps.Keys(values)) {
				if strings.Contains(text, values[name]) && strings.Contains(text, " "+bareName(name)+" ") {
					x.say(warn("test-repeats-code", t.File, t.Line, fmt.Sprintf("The test %s computes what it expects as %s does, so it can't notice a mistake there. Write the value.", t.Name, name)), nil)
				}
			}
		}
	}
	return nil
}

// unrefused names functions that refuse less than before.
func (x *chainJudge) unrefused(context.Context) error {
	for _, l := range unrefused(x.t.Asked, x.writes()) {
		x.say(fix("behavior-changed", l.path, l.line, fmt.Sprintf("%s no longer refuses what it refused with %s. If that is intended, test what it gives now.", l.name, l.says)), nil)
	}
	return nil
}

// writes are the changes of the toolchain's code but of files that are gone.
func (x *chainJudge) writes() []Change {
	return those(x.changes, func(ch Change) bool { return ch.Status != 'D' && x.kindOf(ch) == codeKind && x.mineIn(x.chain, ch) })
}

// computed are the values that functions return in new lines, and that take more than one step to get.
func computed(ch Change) map[string]string {
	f, lines := source.Parse(ch.Path, ch.New), newLines(ch.Old, ch.New)
	code := source.Code(f.Tokens)
	out := map[string]string{}
	for i, t := range code {
		if t.Text != "return" || !lines[t.Line] {
			continue
		}
		fn, ok := f.FuncAt(t.Line)
		if !ok {
			continue
		}
		end := i + 1
		for end < len(code) && code[end].Line == t.Line && code[end].Text != ";" && code[end].Text != "}" {
			end++
		}
		value := code[i+1 : end]
		steps := len(those(value, func(t source.Token) bool {
			return t.Text == "(" || slices.Contains([]string{"+", "-", "*", "/", "%", "//"}, t.Text)
		}))
		if steps > 1 {
			out[fn.Name] = joined(value)
		}
	}
	return out
}

// joined is the text of tokens with one blank around each.
func joined(code []source.Token) string {
	return " " + strings.Join(each(code, func(t source.Token) string { return t.Text }), " ") + " "
}

// unused names what new functions that new tests call take and never use. Methods may have to take it, and in Go functions that are handed
// over: there only what is of their own package, or of none, counts.
func (x *chainJudge) unused(context.Context) error {
	called := x.mentionedBy(x.redTests())
	for _, ch := range x.writes() {
		f, was := source.Parse(ch.Path, ch.New), functions(ch.Path, ch.Old)
		code := source.Code(f.Tokens)
		for _, fn := range f.Funcs {
			method := strings.Contains(fn.Name, ".")
			if was[fn.Name] != "" || !called[bareName(fn.Name)] || method && f.Lang != source.Go {
				continue
			}
			sig, ok := signatureOf(f, fn)
			body := within(code, fn.Body, fn.Stop)
			if !ok || short(body) || slices.ContainsFunc(body, func(t source.Token) bool { return t.Text == "locals" || t.Text == "arguments" }) {
				continue
			}
			for _, p := range bound(sig) {
				_, typ, _ := strings.Cut(string(ch.New[fn.Off:fn.Body]), p.Name+" ")
				own := !strings.Contains(typ[:max(0, strings.IndexAny(typ, ",)"))], ".")
				if anywhere, _ := uses(body, p.Name); !anywhere && !strings.HasPrefix(p.Name, "_") && !slices.Contains(prescribed, p.Name) && (f.Lang != source.Go || own) {
					x.say(warn("ignored-parameter", ch.Path, fn.Line, fn.Name+" never uses its parameter "+p.Name+"."), nil)
				}
			}
		}
	}
	return nil
}

// nearTokens is how many tokens behind a comparison are about it.
const nearTokens = 12

// limits names new limits at which no test near them is: moved by one, all of them pass. Only a number that somebody chose is a limit.
func (x *chainJudge) limits(ctx context.Context) error {
	if x.took > tooLong {
		return nil
	}
	tried := 0
	for _, t := range x.trialled {
		for _, m := range t.mutants {
			if tried == mostTries {
				return nil
			}
			told := slices.ContainsFunc(x.out.Findings, func(f Fact) bool { return f.Rule == "low-coverage" && f.Path == t.Path && f.Line == m.Line })
			if told || len(t.far) > mostFar || !m.anew || !m.Limit() || t.Noticed == 0 || slices.Contains(t.tried, m.Off) || !chosen(m) {
				continue
			}
			tried++
			moved := &trial{Function: Function{Name: t.Name}}
			if err := x.mutate(ctx, moved, m, slices.Concat(t.near, t.far)); err != nil {
				if late(ctx, err) {
					return nil
				}
				return err
			}
			if moved.Tried > 0 && moved.Noticed == 0 {
				x.say(warn("unnoticed-change", t.Path, m.Line, fmt.Sprintf("No test checks the limit in line %d of %s: tests also pass where %s.", m.Line, t.Name, describe(m.Mutant))), nil)
			}
		}
	}
	return nil
}

// vague names new tests that show the change and pass when one of its functions gives them another value.
func (x *chainJudge) vague(ctx context.Context) error {
	if x.took > tooLong {
		return nil
	}
	changed, _ := changedNames(x.sources(pathsOf(x.writes())))
	found, err := x.pl.substituted(ctx, x.redTests(), changed, &x.proof)
	for _, v := range found {
		for _, f := range v.findings(step.Warn) {
			x.say(f, nil)
		}
	}
	if late(ctx, err) {
		return nil
	}
	return err
}

// chosen reports whether a comparison is with a number other than 0 and 1, a constant or a parameter, that is not what follows from it as well: what
// is cut off at a limit is the same at the limit.
func chosen(m mutantAt) bool {
	f := source.Parse(m.file, m.src)
	code := source.Code(f.Tokens)
	i := slices.IndexFunc(code, func(t source.Token) bool { return t.Off == m.Off })
	if i < 1 || i+1 >= len(code) {
		return false
	}
	var params []string
	if fn, ok := f.FuncAt(m.Line); ok {
		if sig, ok := signatureOf(f, fn); ok {
			params = each(bound(sig), func(p signature.Param) string { return p.Name })
		}
	}
	if slices.Contains([]string{"for", "while"}, code[lineBegin(code, i)].Text) {
		return false
	}
	after := code[i+2 : min(i+2+nearTokens, len(code))]
	return slices.ContainsFunc([]source.Token{code[i-1], code[i+1]}, func(t source.Token) bool {
		number := t.Kind == source.Number && t.Text != "0" && t.Text != "1"
		name := t.Kind == source.Ident && (len(t.Text) > 2 && t.Text == strings.ToUpper(t.Text) || slices.Contains(params, t.Text))
		return (number || name) && !slices.ContainsFunc(after, func(o source.Token) bool { return o.Text == t.Text })
	})
}

// untaken names the new branches that no test which reaches them takes, where these are quick. A function of which no test notices
// anything is named already.
func (x *chainJudge) untaken(ctx context.Context) error {
	if x.took > tooLong {
		return nil
	}
	old, now := map[string][]byte{}, map[string][]byte{}
	for _, ch := range x.writes() {
		ch = x.fromWhere(ch)
		old[ch.Path], now[ch.Path] = ch.Old, ch.New
	}
	reaching := map[string][]string{} // all that reach a file, also by way of others
	for _, t := range x.trialled {
		if files := slices.Concat(t.near, t.far); t.Noticed > 0 && len(t.far) <= mostFar {
			reaching[t.Path+" "+t.Name] = files
			reaching[t.Path] = files
		}
	}
	list := those(untested(old, now, nil), func(b branchAt) bool { return reaching[b.file+" "+b.Func] != nil })
	missing, err := x.pl.untaken(ctx, list, func(file string) []string { return reaching[file] }, &x.proof)
	for _, b := range missing {
		x.say(b.warning("No test takes the branch `%s` of %s, which changes what it does."), nil)
	}
	if late(ctx, err) { // what was found out counts
		return nil
	}
	return err
}

// unlocked finds methods of Go that used a lock before, or are new beside others that do, and use without one what methods change.
func unlocked(changes []Change) []step.Finding {
	read := func(text func(Change) []byte) map[string]*guarded {
		types := map[string]*guarded{}
		for _, ch := range changes {
			if src := text(ch); src != nil && source.LangOf(ch.Path) == source.Go && !toolchain.IsTest(ch.Path) {
				f := &file{Change: ch, new: source.Parse(ch.Path, src)}
				f.New = src
				inDir := map[string]*guarded{}
				readGuarded(f, inDir)
				for name, g := range inDir {
					types[path.Dir(ch.Path)+" "+name] = g
				}
			}
		}
		return types
	}
	old, now := read(func(ch Change) []byte { return ch.Old }), read(func(ch Change) []byte { return ch.New })
	var out []step.Finding
	for _, name := range slices.Sorted(maps.Keys(now)) {
		was := map[string]bool{}
		if g := old[name]; g != nil {
			for _, m := range g.methods {
				was[m.name] = m.guarded
			}
		}
		lock := map[string]bool{}     // methods that take a lock
		together := map[string]bool{} // fields that they use
		for _, m := range now[name].methods {
			if m.guarded {
				lock[m.name] = true
				for field := range m.uses {
					together[field] = true
				}
			}
		}
		locks := len(lock) > 0
		for _, m := range now[name].methods {
			guarded, existed := was[m.name]
			uses := slices.Sorted(maps.Keys(m.uses))
			through := strings.HasSuffix(m.name, "Locked") || slices.ContainsFunc(uses, func(used string) bool { return lock[used] })
			if m.guarded || through || existed && !guarded || !existed && !locks || !ast.IsExported(m.name) {
				continue
			}
			for _, field := range uses {
				if now[name].changed[field] && (together[field] || existed) {
					_, typ, _ := strings.Cut(name, " ")
					out = append(out, fix("unguarded-state", m.path, m.uses[field], fmt.Sprintf("%s.%s uses %s, which methods change, without the lock that others take.", typ, m.name, field)))
					break
				}
			}
		}
	}
	return out
}
