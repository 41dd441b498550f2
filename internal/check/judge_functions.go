package check

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Limits of the look at one function.
const (
	mostTries   = 3  // small changes of one function
	mostChanged = 5  // of those in what the change wrote, where no test shows it
	mostFar     = 30 // files of tests in one run
	mostNoticed = 3  // tests that are named
	mostFirst   = 20 // tests that are run before all of them

	longTests = 3 * time.Second  // is long for the tests near a change
	tooLong   = 10 * time.Second // is too long to run them again for what is only told
)

// trial is a function while it is looked at.
type trial struct {
	Function

	mutants  []mutantAt
	survived []mutantAt
	near     []string
	far      []string
	open     bool  // not all was tried
	cut      bool  // there was no time for all tests near it
	moved    bool  // from another file, as it was
	unloaded bool  // a file of tests could not be loaded
	tried    []int // where those begin that were
}

// functions says for each changed function which tests notice when it is wrong. Each gets its first try before any gets a second.
func (x *chainJudge) functions(ctx context.Context) error {
	if x.trialled != nil {
		return nil
	}
	trials := x.trials()
	byHand := func(t *trial) bool { return !t.Generated }
	trials = slices.Concat(those(trials, byHand), without(trials, byHand)) // what programs write last, if there is time
	err := x.try(ctx, trials)
	trials = without(trials, func(t *trial) bool { return t.moved && t.Noticed == 0 }) // as it was before
	for _, t := range trials {
		if t.moved {
			t.Changed, t.Survived = Outcomes{}, ""
		}
		if err == nil && t.Tried > 0 && t.Noticed == 0 && !t.open && !t.cut {
			err = x.unreached(ctx, t)
		}
	}
	if late(ctx, err) {
		err = nil
	}
	left := 0
	for _, t := range trials {
		switch t.Unreached = t.Unreached || !t.cut && len(t.mutants) > 0 && len(t.near)+len(t.far) == 0; {
		case (t.open || t.cut) && t.Noticed == 0:
			left++
			t.Tried, t.unsure = 0, true
		case t.open && t.Missed():
			left++
			t.unsure = true
		}
		if t.Unreached || t.Tried > 0 && t.Noticed == 0 && !t.unsure {
			x.missed = append(x.missed, missed{x.chain, t, len(x.out.Functions)})
		}
		x.out.Functions = append(x.out.Functions, t.Function)
	}
	x.trialled = trials
	if left > 0 {
		x.known.late = true
		x.out.NotRun = append(x.out.NotRun, fmt.Sprintf("mutants of functions: %d of %d functions", left, len(trials)))
	}
	return err
}

// trials are the functions that the change touches, in the order of their files.
func (x *chainJudge) trials() []*trial {
	var out []*trial
	gone := x.gone()
	for _, ch := range x.writes() {
		ch = x.fromWhere(ch)
		was, is := functions(ch.Path, codeOf(ch.Path, ch.Old)), functions(ch.Path, codeOf(ch.Path, ch.New))
		f := source.Parse(ch.Path, ch.New)
		chosen, rest := mutantsOf(map[string][]byte{ch.Path: ch.Old}, map[string][]byte{ch.Path: ch.New})
		by, list := map[string][]mutantAt{}, slices.Concat(chosen, rest)
		stood, places, code := removed(ch), removedPlaces(ch), source.Code(f.Tokens)
		for _, m := range list {
			if i := slices.IndexFunc(code, func(t source.Token) bool { return t.Off == m.Off && t.End == m.End }); i >= 0 && places[placeOf(code, i)] {
				m.anew = false // it was in other lines
			}
			named := is[m.Func] == "" && stood[string(m.src[m.Off:m.End])] && !holdsName(ch.Path, ch.Old, map[string]bool{m.Func: true}) // a value that has a name now
			if !named && (m.Func != "main" || f.Lang != source.Go && f.Lang != source.Rust) {                                            // which a test cannot call
				by[m.Func] = append(by[m.Func], m)
			}
		}
		rows, made := len(by[""]) == 0, generated(ch.Old)
		if rows {
			lines := newLines(ch.Old, ch.New)
			var same []mutantAt // in a line in which another value is new
			for _, m := range f.Values(func(n int) bool { return lines[n] }) {
				if slices.ContainsFunc(list, func(o mutantAt) bool { return o.Off == m.Off }) { // of a constant with a name
					continue
				}
				i := slices.IndexFunc(code, func(t source.Token) bool { return t.Off == m.Off })
				if at := (mutantAt{m, ch.Path, ch.New, true}); i >= 0 && places[placeOf(code, i)] {
					same = append(same, at)
				} else {
					by[""] = append(by[""], at)
				}
			}
			if len(by[""]) == 0 && len(same) > 0 {
				by[""] = same
			}
		}
		r := reach(x.chain, x.files, x.holdsTests, []string{ch.Path})
		near, far := x.runnable(r.near), x.runnable(r.far)
		for _, t := range x.fresh {
			red := slices.ContainsFunc(x.out.Red, func(r RedTest) bool { return r.ID == t.ID && r.By == RedByAssert }) // also by way of another process
			if (red || slices.Contains(far, t.File)) && !slices.Contains(near, t.File) {
				near = append(near, t.File)
			}
		}
		far = slices.DeleteFunc(far, func(f string) bool { return slices.Contains(near, f) })
		known := those(near, func(f string) bool { return x.ran[f] || x.chosen[f] != nil })
		add := func(name string, line int) {
			fn := Function{Name: name, Path: ch.Path, Line: line, existed: was[name] != "" || gone[name] != "" || hadOtherName(was, is, name), rows: rows && name == "", Generated: made}
			out = append(out, &trial{Function: fn, moved: is[name] != "" && gone[name] == is[name], mutants: by[name], near: known, far: far, open: len(by[name]) > 0, cut: slices.ContainsFunc(near, func(f string) bool { return !x.ran[f] })})
		}
		wrote := written(ch, f)
		for _, fn := range f.Funcs {
			if was[fn.Name] != is[fn.Name] {
				add(fn.Name, fn.Line)
				t := out[len(out)-1]
				t.Unmutated = t.existed && unmutated(wrote, fn, t.mutants)
			}
		}
		for name, list := range by {
			if is[name] == "" {
				add(name, list[0].Line)
			}
		}
	}
	return out
}

// removed are the values in the lines that a change took away.
func removed(ch Change) map[string]bool {
	lines := newLines(ch.New, ch.Old)
	values := those(source.Tokens(ch.Path, ch.Old), func(t source.Token) bool {
		return lines[t.Line] && (t.Kind == source.Number || t.Kind == source.String)
	})
	return setOf(each(values, func(t source.Token) string { return t.Text }))
}

// placeOf is a number or a text among the tokens beside it, "" for another token.
func placeOf(code []source.Token, i int) string {
	if code[i].Kind != source.Number && code[i].Kind != source.String {
		return ""
	}
	text := textAt(code, i)
	return strings.Join([]string{text(-2), text(-1), text(0), text(1), text(2)}, " ")
}

// removedPlaces are those of the values in the lines that a change took away.
func removedPlaces(ch Change) map[string]bool {
	lines, code := newLines(ch.New, ch.Old), source.Code(source.Tokens(ch.Path, ch.Old))
	out := map[string]bool{}
	for i, t := range code {
		if place := placeOf(code, i); lines[t.Line] && place != "" {
			out[place] = true
		}
	}
	return out
}

// fromWhere is the change of a file with what was there before, also where the file had another name: half of its lines or more are those of
// one that is gone.
func (j *judge) fromWhere(ch Change) Change {
	if ch.Status != 'A' {
		return ch
	}
	gone := those(j.changes, func(o Change) bool { return o.Status == 'D' && path.Ext(o.Path) == path.Ext(ch.Path) })
	if slices.ContainsFunc(gone, func(o Change) bool { return o.OldID == ch.NewID }) {
		ch.Old = ch.New
		return ch
	}
	most, lines := 0, func(b []byte) int { return bytes.Count(b, []byte("\n")) }
	for _, from := range gone[:min(len(gone), mostFar)] {
		same := lines(ch.New) - len(added(from.Old, ch.New))
		if same > most && 2*same >= max(lines(ch.New), lines(from.Old)) {
			most, ch.Old = same, from.Old
		}
	}
	return ch
}

// gone are the functions that files no longer have, with their code. One of the same name that is new in another file was moved there.
func (x *chainJudge) gone() map[string]string {
	out := map[string]string{}
	for _, ch := range x.changes {
		if x.kindOf(ch) != codeKind || !x.mineIn(x.chain, ch) {
			continue
		}
		is := functions(ch.Path, codeOf(ch.Path, ch.New))
		for name, text := range functions(ch.Path, codeOf(ch.Path, ch.Old)) {
			if _, stays := is[name]; !stays {
				out[name] = text
			}
		}
	}
	return out
}

// hadOtherName reports whether a function is nearly one that the file no longer has by its name.
func hadOtherName(was, is map[string]string, name string) bool {
	for old, text := range was {
		if _, stays := is[old]; !stays && similar(nameless(old, text), nameless(name, is[name])) {
			return true
		}
	}
	return false
}

// unmutated reports whether some of what was written is in the body of a function, and none of its mutants changes any of that.
func unmutated(written []source.Token, fn source.Func, mutants []mutantAt) bool {
	inside := those(written, func(t source.Token) bool { return t.Off >= fn.Body && t.Off < fn.Stop })
	return len(inside) > 0 && !slices.ContainsFunc(inside, func(t source.Token) bool {
		return slices.ContainsFunc(mutants, func(m mutantAt) bool { return m.anew || m.Off <= t.Off && t.End <= m.End })
	})
}

// try makes the small changes. err is that of the one at which it ended.
func (x *chainJudge) try(ctx context.Context, trials []*trial) error {
	shown := slices.ContainsFunc(x.out.Red, func(r RedTest) bool { return r.By == RedByAssert })
	for round := range mostChanged {
		for _, t := range trials {
			if round >= len(t.mutants) || len(t.near) == 0 || round >= mostTries && t.Noticed == 0 {
				continue
			}
			if m := t.mutants[round]; t.Noticed > 0 && !t.rows && (shown && (t.ByNew || t.added()) || !m.anew || m.Limit()) { // each row is for itself
				continue
			}
			if round > 0 && x.tried >= x.q.Mutants { // what was tried has to do
				t.open = false
				continue
			}
			if err := x.mutate(ctx, t, t.mutants[round], t.near); err != nil {
				return err
			}
			t.open = t.Noticed == 0
		}
	}
	proved := x.known
	proved.red, proved.functions = x.redBy(), each(trials, func(t *trial) Function { return t.Function })
	for _, t := range trials {
		if t.Noticed > 0 && !t.Missed() {
			continue
		}
		if len(t.far) == 0 || len(t.mutants) == 0 {
			t.open = false
			continue
		}
		if t.rows && t.Noticed > 0 { // tests of other rows say nothing of these
			t.open = false
			continue
		}
		enough := proved.proved() && (!t.added() || len(t.near) > 0)
		if enough && (x.took > longTests || len(t.far) > mostFar || !t.added()) { // whether others notice is worth no time then
			if t.open, t.Changed = false, (Outcomes{}); t.Noticed == 0 {
				t.Tried, t.Survived = 0, ""
			}
			continue
		}
		tried := t.Tried
		if err := x.fromFar(ctx, t); err != nil {
			return err
		}
		if enough && t.Noticed == 0 {
			t.Tried = min(t.Tried, tried) // it is said, and changes nothing of the verdict
		}
	}
	return nil
}

// fromFar asks the tests that reach a function by way of others, where those near it noticed nothing of it or of what was changed in it.
func (x *chainJudge) fromFar(ctx context.Context, t *trial) error {
	again, near := t.survived, t.Function
	if len(again) == 0 {
		again = t.mutants
	}
	t.survived, t.Tried, t.sure, t.Changed, t.open = nil, 0, false, Outcomes{}, true
	defer func() { // what those near it noticed stays noticed
		t.Tried = max(near.Tried, t.Noticed, t.Tried)
		t.Changed = Outcomes{max(near.Changed.Tried, t.Changed.Tried), near.Changed.Noticed + t.Changed.Noticed}
	}()
	for _, m := range again[:min(mostTries, len(again))] {
		if t.Tried > 0 && x.tried >= x.q.Mutants+fewMutants {
			break
		}
		if err := x.mutate(ctx, t, m, t.far); err != nil {
			return err
		}
		if t.Noticed > near.Noticed && 2*(near.Changed.Noticed+t.Changed.Noticed) >= near.Changed.Tried {
			break
		}
	}
	t.open = false
	return nil
}

// unreached finds out whether the tests pass as well where what was changed in a function that was there before fails whenever it is
// reached, or where the whole file of a new function is missing that no test is seen to import. Then no test reaches it, and people
// change such code every day.
func (x *chainJudge) unreached(ctx context.Context, t *trial) error {
	m, ok := t.mutants[0], len(t.near) == 0
	if t.existed && t.Name != "" {
		m, ok = crashOf(t)
	} else {
		m.Off, m.End, m.New = 0, len(m.src), ""
	}
	if !ok {
		return nil
	}
	crashed := &trial{Function: Function{Name: t.Name}}
	err := x.mutate(ctx, crashed, m, slices.Concat(t.near, t.far))
	if crashed.Tried > 0 && crashed.Noticed == 0 && !crashed.unloaded {
		t.Unreached, t.sure, t.Tried, t.Changed, t.Survived, t.SurvivedAt = true, false, 0, Outcomes{}, "", 0
	}
	return err
}

// catches are the words of functions that may catch what fails in them.
var catches = re.New(`\b(catch|except|recover|finally|catch_unwind)\b`)

// crashOf lets a function fail in everything that was changed in it, or, where that cannot be written, as soon as it is called. It cannot
// be said of one that may catch that.
func crashOf(t *trial) (m mutantAt, ok bool) {
	m = t.mutants[0]
	f := source.Parse(t.Path, m.src)
	i := slices.IndexFunc(f.Funcs, func(fn source.Func) bool { return fn.Name == t.Name })
	if i < 0 || catches().Match(m.src[f.Funcs[i].Off:f.Funcs[i].Stop]) {
		return m, false
	}
	var places []source.Mutant
	for _, x := range t.mutants {
		if crash, can := f.CrashAt(x.Mutant); can && x.anew && !slices.ContainsFunc(places, func(p source.Mutant) bool { return crash.Off < p.End && p.Off < crash.End }) {
			places = append(places, crash)
		}
	}
	all := !slices.ContainsFunc(t.mutants, func(x mutantAt) bool {
		return x.anew && !slices.ContainsFunc(places, func(p source.Mutant) bool { return p.Off <= x.Off && x.End <= p.End })
	})
	if len(places) == 0 || !all {
		m.Mutant, ok = f.Crash(t.Name)
		return m, ok
	}
	text := m.src
	for _, p := range slices.SortedFunc(slices.Values(places), func(a, b source.Mutant) int { return b.Off - a.Off }) { // the last first
		text = p.Apply(text)
	}
	m.Off, m.End, m.New = 0, len(m.src), string(text)
	return m, true
}

// selections are the tests in files that are run on a small change of a function, one after the other until a test fails. Where all of
// them take long, the ones that the change wrote and those that call the function by its name are run before them.
func (x *chainJudge) selections(t *trial, files []string) []toolchain.Selection {
	var out []toolchain.Selection
	if x.chosen != nil {
		var ids []string
		for _, f := range files {
			ids = append(ids, x.chosen[f]...)
		}
		if len(ids) > 0 { // no id selects all
			out = append(out, toolchain.Selection{IDs: ids})
		}
		files = those(files, func(f string) bool { return x.ran[f] })
	}
	if x.took > longTests && !x.chain.Own.Built { // what is compiled first is run as a whole
		name := bareName(t.Name)
		var first []string
		for _, file := range files {
			f := source.Parse(file, x.files[file])
			for _, t := range testsIn(f) {
				if x.passing[t.ID] && (among(x.fresh)(t) || mentions(f, t.Test)[name]) {
					first = append(first, t.ID)
				}
			}
		}
		if len(first) > 0 && len(first) <= mostFirst {
			out = append(out, toolchain.Selection{IDs: first})
		}
	}
	return append(out, each(batches(files, mostFar), func(some []string) toolchain.Selection { return toolchain.Selection{Files: some} })...)
}

// mutate runs tests on one small change of a function, and notes which of them fail that pass without it.
func (x *chainJudge) mutate(ctx context.Context, t *trial, m mutantAt, files []string) error {
	x.tried++
	t.tried = append(t.tried, m.Off)
	ran := false
	var by, anew []string
	for _, sel := range x.selections(t, files) {
		run, slow, err := x.pl.mutatedWithin(ctx, slowAfter(x.took), m, sel, &x.proof)
		if err != nil || slow {
			return err
		}
		if run.exit != nil && run.exit.Exit != 0 { // which test it was is not known
			by = append(by, strings.Join(run.exit.Argv, " "))
			break
		}
		for _, r := range run.results {
			_, name := toolchain.SplitID(r.ID)
			if name == "" {
				t.unloaded = t.unloaded || bad(r.Status)
				continue
			}
			ran = ran || r.Status == step.Pass || bad(r.Status)
			if _, seen := x.passing[r.ID]; bad(r.Status) && (x.passing[r.ID] || !seen) {
				if x.anew && slices.ContainsFunc(x.fresh, func(f test) bool { return f.has(r.ID) }) {
					t.ByNew, anew = true, append(anew, r.ID)
				} else {
					by = append(by, r.ID)
				}
			}
		}
		if len(by)+len(anew) > 0 {
			break
		}
	}
	switch {
	case len(by)+len(anew) > 0:
		t.count(m, true)
		if t.Survived == describe(m.Mutant) && t.SurvivedAt == m.Line { // only the tests near it
			t.Survived, t.SurvivedAt = "", 0
		}
		t.By = addNew(anew, slices.Concat(t.By, by)...)
		t.By = t.By[:min(mostNoticed, len(t.By))]
	case ran:
		t.count(m, false)
		t.survived = append(t.survived, m)
		other := m.What == source.ReturnOther
		t.blind = t.blind || m.anew && (other || m.What == source.ReturnText)
		if t.sure = t.sure || other; m.anew || t.Changed.Tried == 0 {
			t.Survived, t.SurvivedAt = describe(m.Mutant), m.Line
		}
	}
	return nil
}

// count adds a small change that could be tried.
func (t *trial) count(m mutantAt, noticed bool) {
	if t.Tried++; noticed {
		t.Noticed++
	}
	if m.anew {
		t.Changed.add(noticed)
	}
}
