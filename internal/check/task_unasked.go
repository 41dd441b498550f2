package check

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/signature"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// takesAway are the words of a request that wants something to go or to have another name.
var takesAway = re.New(`(?i)\b(remov|delet|drop|clean|renam|replac|mov|unus|dead|obsolete|deprecat|merg|split|extract|rewrit|restructur|refactor|port|migrat|inlin|unexport|privat|simplif|conver|turn|combin|consolidat|reorgani|instead)|삭제|제거|이름|바꾸|바꿔|변경|합치|나누|없애|지우|지워|옮기|옮겨|교체|정리|분리|통합|이동`)

// unasked finds what a task changes for those who use the code, and of which neither the request nor the task says a word: exports that
// are gone, defaults and constants with another value, and what functions refused.
func (t Task) unasked(changes []Change) []step.Finding {
	if t.Unplanned || t.Request == "" {
		return nil
	}
	gone := map[string]bool{}
	if !takesAway().MatchString(t.Request) {
		gone = goneExports(changes)
	}
	var out []step.Finding
	for _, ch := range changes {
		if !toolchain.IsSource(ch.Path) || ch.Old == nil {
			continue
		}
		old, now := source.Parse(ch.Path, ch.Old), source.Parse(ch.Path, ch.New)
		missed := those(old.Exports, func(e source.Export) bool { return gone[e.Name] && e.Owner == "" && !hasWord(t.text(), e.Name) })
		if lost := addNew(nil, each(missed, func(e source.Export) string { return e.Name })...); len(lost) > 0 {
			f := warn("unasked-change", ch.Path, 0, fmt.Sprintf("%s is gone, but the request does not mention it. Put it back, or say why it must go.", strings.Join(lost[:min(len(lost), 3)], ", ")))
			if ch.Status == 'D' {
				f.Severity = step.Fix
			}
			out = append(out, f)
		}
		kept := once(now.Exports)
		for _, was := range once(old.Exports) {
			for _, is := range kept {
				if is.Name == was.Name && is.Owner == was.Owner && is.Kind == was.Kind {
					out = append(out, t.otherValue(ch.Path, was, is, old.Lang)...)
				}
			}
		}
	}
	for _, l := range unrefused(t.text(), changes) {
		out = append(out, fix("unasked-change", l.path, l.line, fmt.Sprintf("%s no longer refuses what it refused with %s, but the request does not mention it. Put the check back, or say why it must go.", l.name, l.says)))
	}
	return out
}

// once are the exports whose names are declared once.
func once(list []source.Export) []source.Export {
	count := map[string]int{}
	for _, e := range list {
		count[e.Owner+" "+e.Name]++
	}
	return those(list, func(e source.Export) bool { return count[e.Owner+" "+e.Name] == 1 })
}

// otherValue compares the values that two versions of an export state. A value that a sentence has was asked for.
func (t Task) otherValue(file string, was, is source.Export, lang string) []step.Finding {
	before, after := defaults(was, lang), defaults(is, lang)
	if was.Value != "" && is.Value != "" {
		before[""], after[""] = was.Value, is.Value
	}
	var out []step.Finding
	for _, name := range slices.Sorted(maps.Keys(before)) {
		x, y := before[name], after[name]
		if y == "" || signature.SameValue(x, y) || hasWord(t.text(), strings.Trim(y, "\"'`")) {
			continue
		}
		what := was.Name
		if name != "" {
			what = "the default of " + name + " in " + was.Name
		}
		out = append(out, warn("unasked-change", file, is.Line, fmt.Sprintf("%s was %s and is now %s, but the request does not mention it. Put it back, or say why it must change.", what, clipped(x, 60), clipped(y, 60))))
	}
	return out
}

// defaults are the values that the parameters of a function have where a call leaves them out.
func defaults(e source.Export, lang string) map[string]string {
	out := map[string]string{}
	if e.Kind != "function" && e.Kind != "method" {
		return out
	}
	sig, _ := signature.Parse(e.Signature, lang)
	for _, p := range bound(sig) {
		if p.Default != "" {
			out[p.Name] = p.Default
		}
	}
	return out
}

var (
	// demanded is an error that a sentence wants to be raised, undemanded a sentence that speaks of what is no more.
	demanded   = re.New("(?i:\\b(?:must|shall|should|has to|have to|needs? to)\\b)[^.;\n]*?(?i:\\b(?:throws?|raises?|rejects? with|fails? with|returns?|panics? with))\\s+(?:(?i:an?|the)\\s+)?[`\"']?([A-Z]\\w*(?:Error|Exception)|Err[A-Z]\\w*)\\b")
	undemanded = re.New(`(?i)\b(instead|no longer|never|not|currently|today|still|keeps?|stays?|stops?|without|avoid|wrongly|crash\w*)\b|n't\b`)
)

// unwanted tells of functions that give something else than before although no sentence and no new line of a test names them. Where nothing
// is to change, none may.
func (p *taskProof) unwanted(ctx context.Context) error {
	if p.failed || p.t.Unplanned || p.t.VerifyOnly || Rejected(p.proof.Findings) {
		return nil
	}
	var tests strings.Builder
	for _, ch := range p.changes {
		old, now := ch.Old, ch.New
		if !toolchain.IsTest(ch.Path) {
			old, now = testsBeside(ch.Path, ch.Old), testsBeside(ch.Path, ch.New)
		}
		for _, l := range added(old, now) {
			tests.WriteString(l.text + "\n")
		}
	}
	words, why := p.t.text()+"\n"+tests.String(), "Neither the request nor a new test mentions it: undo it, or write a test that expects it."
	if p.t.Keeps {
		words, why = "", "This task must not change what the code does."
	}
	named := func(name string) bool { return hasWord(words, name) }
	code := those(p.changes, func(ch Change) bool { return ch.Status == 'M' && toolchain.IsSource(ch.Path) })
	for _, x := range p.partsOf(code, kept(code)) {
		if !slices.Contains(calledTwice, x.module.Chain.Ecosystem) {
			continue
		}
		asked, err := p.c.asked(ctx, x.module, p.proof.Tree, x.tests)
		if err != nil {
			return err
		}
		found, err := comparison{c: p.c, m: x.module, before: p.before, after: p.proof.Tree, changes: p.changes}.differences(ctx, asked, named)
		if err != nil && !unable(err) {
			return err
		}
		for _, d := range found {
			f := d.finding(why)
			f.Severity = step.Fix
			p.add(f)
		}
	}
	return nil
}

// unraised finds errors that are to be raised, by the words of the task or of who asked for it, and of which
// neither the code nor a test of the change has the name.
func (t Task) unraised(changes []Change) []step.Finding {
	code := func(ch Change) bool { return ch.Status != 'D' && toolchain.IsSource(ch.Path) }
	if !slices.ContainsFunc(changes, code) {
		return nil
	}
	var out []step.Finding
	for _, s := range sentence().Split(t.Asked+"\n"+t.Says, -1) {
		if undemanded().MatchString(s) {
			continue
		}
		for _, m := range demanded().FindAllStringSubmatch(s, -1) {
			name := m[1]
			named := func(ch Change) bool {
				return (code(ch) || ch.Status != 'D' && toolchain.IsTest(ch.Path)) && hasWord(string(ch.New), name)
			}
			said := func(f step.Finding) bool { return strings.HasPrefix(f.Message, name+" ") }
			if !slices.ContainsFunc(changes, named) && !slices.ContainsFunc(out, said) {
				out = append(out, fix("error-unraised", "", 0, name+" should be raised, but neither the code nor the tests of this change mention it. Raise it and test it, unless existing code already does."))
			}
		}
	}
	return out
}
