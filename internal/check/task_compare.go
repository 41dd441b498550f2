package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Builds, linters and type checkers look at a whole project, and many projects have findings that nobody has mended yet. So
// what one of them says of a change is compared with what it says of the tree before, line by line without the numbers: a
// finding that was there is nobody's, and a new one is the author's although there were others.

// complaintLine is a line that says what is wrong at a place: path:line, path(line,column), or what stands below a file's name.
var (
	complaintLine = re.New(`(?:^|\s)[^\s:(]+\.\w+(?::\d+|\(\d+,\d+\))`)
	summaryLine   = re.New(`^(?:Found \d+|✖ \d+|\[\*\] \d+|Checked \d+|\d+ (?:errors?|problems?|files?|warnings?|passed|failed|tests?)\b|make(?:\[\d+\])?: |npm (?:error|ERR!)|ELIFECYCLE|Finished |Oh no!)`)
	placeNumbers  = re.New(`:\d+(?::\d+)?\b|\(\d+,\d+\)|\b\d+(?:\.\d+)?m?s\b|^\s*\d+:\d+\s|\bline \d+`)
	underFile     = re.New(`^\s+\d+:\d+\s`)
	arrowLine     = re.New(`^\s*-->\s`)
	addresses     = re.New(`0x[0-9a-f]+|@[0-9a-f]+\b|\b[0-9a-f]{8,}\b`)
)

// SameMessage reports whether two failures of a test say the same but for places, times and addresses.
func SameMessage(a, b string) bool {
	bare := func(text string) string {
		return strings.TrimSpace(addresses().ReplaceAllString(placeNumbers().ReplaceAllString(text, ""), ""))
	}
	return bare(a) == bare(b)
}

// said are the lines of an output that say what is wrong, each with what it is without the numbers of its place. A line that
// only says where is taken with the one before it.
func (p *place) said(o outcome) (lines, keys []string) {
	_, text, _ := strings.Cut(colours().ReplaceAllString(string(p.unplaced(o.output)), ""), "\n") // the first is the command
	file := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n ")
		bare := strings.TrimSpace(line)
		if bare == "" || summaryLine().MatchString(bare) {
			continue
		}
		key := strings.TrimSpace(placeNumbers().ReplaceAllString(line, ""))
		switch {
		case underFile().MatchString(line):
			bare, key = file+": "+bare, file+" "+key
		case arrowLine().MatchString(line) && len(lines) > 0: // what is wrong stands on the line before
			lines[len(lines)-1] += " " + fromTree.Replace(bare)
			keys[len(keys)-1] += " " + key
			continue
		case !strings.Contains(bare, " "):
			file = strings.TrimPrefix(bare, placeToken+"/tree/")
		}
		lines, keys = append(lines, fromTree.Replace(bare)), append(keys, key)
	}
	return lines, keys
}

// atPlaces are the lines that say where something is wrong, all of them where none does: the rest is around them.
func atPlaces(lines []string) []string {
	if out := those(lines, func(l string) bool { return complaintLine().MatchString(l) }); len(out) > 0 {
		return out
	}
	return lines
}

// compared is what a command says of a change that it did not say before.
type compared struct {
	clean bool     // it has nothing to say
	fresh []string // what is new
	old   int      // how much was there before
}

// compare runs a command on the change and, where it finds something, on the tree before it.
func (p *taskProof) compare(ctx context.Context, pl *place, cmd toolchain.Command) (c compared, out outcome, err error) {
	if out, err = pl.exec(ctx, cmd, false); err != nil {
		return c, out, err
	}
	if out.clean() || out.problem == "" && cmd.Complains != 0 && out.Record.Exit == cmd.Complains {
		return compared{clean: true}, out, nil
	}
	lines, keys := pl.said(out)
	if len(lines) == 0 {
		lines = []string{cmp.Or(out.tail, fmt.Sprintf("it printed nothing and exited with %d", out.Record.Exit))}
		keys = []string{fmt.Sprintf("%s exit %d", out.tail, out.Record.Exit)}
	}
	if p.before == p.proof.Tree || out.problem != "" { // what is no evidence excuses nothing
		return compared{fresh: lines}, out, nil
	}
	base, err := p.place(ctx, pl.chain)
	if err != nil {
		return c, out, err
	}
	was, err := base.exec(ctx, cmd, false)
	if _, ok := errors.AsType[*EnvironmentError](err); ok { // only the change has the program
		return compared{fresh: lines}, out, nil
	}
	if err != nil {
		return c, out, err
	}
	if was.clean() || was.problem != "" {
		return compared{fresh: lines}, out, nil
	}
	_, before := base.said(was)
	if len(before) == 0 {
		before = []string{fmt.Sprintf("%s exit %d", was.tail, was.Record.Exit)}
	}
	known := oneFor(before)
	for i, k := range keys {
		if known(k) || unusedIgnore().MatchString(lines[i]) || inDependency().MatchString(lines[i]) { // a broken dependency is read as far as it goes, each time
			c.old++
		} else {
			c.fresh = append(c.fresh, lines[i])
		}
	}
	return c, out, nil
}

// unusedIgnore is what a type checker says of a comment that suppresses nothing. Where it finds something without the change as well, it may
// have stubs here that the project's own environment lacks, and the comment is needed there.
var unusedIgnore = re.New(`Unused "type: ignore|\[unused-ignore\]`)

// inDependency finds that a finding is one in a dependency, and does not only name one.
var inDependency = re.New(`^\s*[^\s:(]*(?:node_modules|site-packages)/`)

// place is a checkout of the tree before the change, for one toolchain. It is made when it is first asked for.
func (p *taskProof) place(ctx context.Context, chain toolchain.Found) (*place, error) {
	key := chain.Root + " " + chain.Ecosystem
	if pl := p.places[key]; pl != nil {
		return pl, nil
	}
	pl, err := p.asItWas(ctx, chain)
	if pl == nil && err == nil {
		pl, err = p.c.open(ctx, step.OnBefore, p.before, cmp.Or(p.t.Base, p.before), chain)
	}
	if err != nil {
		return nil, err
	}
	if p.places == nil {
		p.places = map[string]*place{}
	}
	p.places[key] = pl
	return pl, nil
}

// close removes the checkouts of the tree before.
func (p *taskProof) close(err error) error {
	for _, pl := range p.places {
		err = joinClose(err, pl)
	}
	if p.bare != nil {
		err = joinClose(err, p.bare)
	}
	p.places, p.bare = nil, nil
	return err
}

// mostLines is how much of what a command says an author is shown.
const mostLines = 25

// commandFinding says what a command found: which command, its exit code, and the lines that matter, whole.
func commandFinding(rule string, sev step.Severity, what string, cmd toolchain.Command, out outcome, c compared) step.Finding {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: `%s` exited with %d", what, CommandText(cmd), out.Record.Exit)
	if out.problem != "" {
		fmt.Fprintf(&b, " (%s)", out.problem)
	}
	if c.old > 0 {
		fmt.Fprintf(&b, "; %d of its findings existed before the change and do not count", c.old)
	}
	b.WriteString(".")
	places := atPlaces(c.fresh)
	shown := places[:min(len(places), mostLines)]
	for _, l := range shown {
		b.WriteString("\n" + l)
	}
	if more := len(places) - len(shown); more > 0 {
		fmt.Fprintf(&b, "\n… and %d more", more)
	}
	if text := strings.TrimSpace(out.tail); len(shown) == 0 && rule == "build-failed" && text != "" {
		b.WriteString("\n" + brief(text))
	}
	return step.Finding{Rule: rule, Severity: sev, Message: b.String()}
}

// CommandText is a command as a person would type it.
func CommandText(cmd toolchain.Command) string {
	var words []string
	for _, w := range cmd.Argv {
		switch {
		case cmd.Report == toolchain.ReportUnittest && w == "-c": // a program that unittest is run by, to report each test
			w = "-m"
		case cmd.Report == toolchain.ReportUnittest && strings.Contains(w, "\n"):
			w = "unittest"
		case strings.Contains(w, "{report}"), strings.HasPrefix(w, "--test-reporter"), w == "{env}", slices.Contains(cmd.Unsaid, w): // where results go is nobody's concern
			continue
		case cmd.Report == toolchain.ReportGoTest && (w == "-json" || w == "-count=1" || w == "-vet=off"):
			continue
		case strings.HasPrefix(w, "{bin:"):
			_, name, _ := strings.Cut(strings.Trim(w, "{}"), ":")
			if _, bin, ok := strings.Cut(name, "#"); ok {
				name = bin
			}
			words = []string{"npx", name}
			continue
		case strings.HasPrefix(w, "{glob:"):
			w = strings.TrimSuffix(strings.TrimPrefix(w, "{glob:"), "}")
		case strings.Contains(w, "\n"):
			w = "'…'"
		case strings.ContainsAny(w, " '\""):
			w = "'" + w + "'"
		}
		words = append(words, w)
	}
	return strings.Join(words, " ")
}

// builds compiles and checks types.
func (p *taskProof) builds(ctx context.Context, pl *place) error {
	for _, cmd := range pl.chain.Build(pl.chain.Root) {
		found, records, err := p.look(ctx, pl, cmd, reject("build-failed", "", 0, "The build fails"), failedBefore)
		if err != nil {
			return err
		}
		if len(records) > 0 {
			p.ran(CheckBuild)
		}
		p.missed(CheckBuild, found)
		p.add(found...)
		p.proof.Records = append(p.proof.Records, records...)
	}
	return nil
}

// failedBefore begins what is said of a build that failed before the change as well.
const failedBefore = "The build fails, as it did before the change"

// FailedBefore is the command of a finding that says that the build fails as it did before the change, "" for another finding.
func FailedBefore(f step.Finding) string {
	said, ok := strings.CutPrefix(f.Message, failedBefore+": `")
	if !ok || f.Rule != "build-failed" {
		return ""
	}
	command, _, _ := strings.Cut(said, "`")
	return command
}

// look gives what a command says of the change, as a finding like the given one; before is its text where all of it was there already,
// and charged to nobody. A program that the project names and that is not installed is said, and not charged either.
func (p *taskProof) look(ctx context.Context, pl *place, cmd toolchain.Command, like step.Finding, before string) ([]step.Finding, []step.Record, error) {
	c, out, err := p.compare(ctx, pl, cmd)
	if missing := optional(cmd, err); missing != nil {
		f, err := p.missing(ctx, pl, cmd, missing)
		return []step.Finding{f}, nil, err
	}
	if err != nil {
		return nil, nil, err
	}
	records := []step.Record{out.Record}
	switch {
	case c.clean:
		return nil, records, nil
	case len(c.fresh) == 0:
		like.Severity, like.Message = step.Warn, before
	}
	return []step.Finding{commandFinding(like.Rule, like.Severity, like.Message, cmd, out, c)}, records, nil
}

// missing is what a program that is not installed means: nothing, unless it was there before the change.
func (p *taskProof) missing(ctx context.Context, pl *place, cmd toolchain.Command, missing *EnvironmentError) (step.Finding, error) {
	if p.before != p.proof.Tree {
		base, err := p.place(ctx, pl.chain)
		if err != nil {
			return step.Finding{}, err
		}
		_, err = base.exec(ctx, cmd, false)
		if err == nil {
			return reject("build-failed", "", 0, "The change removes something that `"+CommandText(cmd)+"` needs: "+missing.Error()), nil
		}
		if optional(cmd, err) == nil {
			return step.Finding{}, err
		}
	}
	return warn("tool-missing", "", 0, missing.Error()), nil
}

// optional gives the error of a program that is not installed where the project can be worked on without it.
func optional(cmd toolchain.Command, err error) *EnvironmentError {
	if missing, ok := errors.AsType[*EnvironmentError](err); ok && cmd.Optional {
		return missing
	}
	return nil
}

// lints runs the linters. Those of the table look at what has changed, those of the project at what its people have them look at.
func (p *taskProof) lints(ctx context.Context, pl *place, mine []string) ([]step.Finding, []step.Record, error) {
	var findings []step.Finding
	var records []step.Record
	for _, cmd := range pl.chain.Lint(mine) {
		if cmd.From == "" {
			one := Proof{}
			if err := pl.tool(ctx, cmd, &one, "lint", mine); err != nil {
				return findings, records, err
			}
			if slices.ContainsFunc(one.Findings, func(f step.Finding) bool { return f.Severity != step.Warn }) {
				kept, err := p.onlyNew(ctx, pl, cmd, one.Findings)
				if err != nil {
					return findings, records, err
				}
				one.Findings = kept
			}
			one.Findings = one.Findings[:min(len(one.Findings), maxLintFindings)]
			findings, records = append(findings, one.Findings...), append(records, one.Records...)
			continue
		}
		found, ran, err := p.look(ctx, pl, cmd, fix("lint", "", 0, "The linter reports problems"), "The linter fails, as it did before the change")
		if err != nil {
			return findings, records, err
		}
		findings, records = append(findings, found...), append(records, ran...)
	}
	return findings, records, nil
}

// onlyNew leaves out what a linter of the table says of a changed file and said of it before.
func (p *taskProof) onlyNew(ctx context.Context, pl *place, cmd toolchain.Command, list []step.Finding) ([]step.Finding, error) {
	base, err := p.place(ctx, pl.chain)
	if err != nil {
		return nil, err
	}
	files := those(p.mine(pl), func(f string) bool { return base.entries[f].Path != "" })
	if len(files) == 0 {
		return list, nil
	}
	var said []string
	key := func(f step.Finding) string { return f.Path + " " + placeNumbers().ReplaceAllString(f.Message, "") }
	for _, old := range pl.chain.Lint(files) {
		if old.Argv[0] != cmd.Argv[0] || len(old.Argv) > 1 && old.Argv[1] != cmd.Argv[1] {
			continue
		}
		before := Proof{}
		if err := base.tool(ctx, old, &before, "lint", files); err != nil {
			return nil, err
		}
		said = append(said, each(before.Findings, key)...)
	}
	known := oneFor(said)
	return slices.DeleteFunc(list, func(f step.Finding) bool { return known(key(f)) }), nil
}
