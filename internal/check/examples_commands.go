package check

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/confine"
	"github.com/jacquard-build/jacquard/internal/proc"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

const (
	mostCommands = 20
	commandTime  = 2 * time.Minute  // of one: it may have to build first
	endlessTime  = 20 * time.Second // of one, after another that did not end
	mostEndless  = 2                // commands that do not end, and are run again

	sameBeginning = 16 // bytes
)

// printed is what a command gave, or why it shows nothing.
type printed struct {
	text, errors string // on its two outputs, without white space at the end
	exit         int
	cannot       string
	fails        bool // where it was to print something, and misses nothing; or gives something else each time, and never that
	endless      bool // it had to be ended
	took         time.Duration
}

// String is what people are told of it.
func (r printed) String() string {
	if r.endless {
		return "nothing: it does not end, and was ended after " + r.took.Round(time.Second).String()
	}
	if r.exit != 0 {
		return fmt.Sprintf("exit code %d: %s", r.exit, clipped(cmp.Or(firstLines(r.errors, 3), firstLines(r.text, 3)), 300))
	}
	return clipped(r.quoted(), 300)
}

// quoted is the text as [step.HeldOut.Result] has it.
func (r printed) quoted() string {
	raw, _ := json.Marshal(r.text) // a text always is JSON
	return string(raw)
}

// confined reports whether what agents write is run where it cannot harm: a person has said so of what is around the program.
func (c *Checker) confined() bool { return c.o.Confine != nil || c.o.Level == confine.Outside }

// commands runs the held-out calls of a module that are commands: programs, and code of languages that the engine does not call. Each has a
// checkout of its own without tests and network, and is run in the root of the project. Who wrote it may not have seen it run: of one that
// fails where it was to print something the author is told, if two have worked it out, and it rejects only if what it says names a source of
// the module. What agents write is run in a sandbox only.
func (c *Checker) commands(ctx context.Context, m Module, tree string, more ...toolchain.Found) (out []step.Example, found []step.Finding, err error) {
	var t tally
	list := those(m.HeldOut, isCommand)
	results, err := (&commandRuns{c: c, m: m, tree: tree, more: more}).all(ctx, list)
	if err != nil {
		return nil, nil, err
	}
	for i, h := range list {
		e := step.Example{Text: h.String(), State: step.ExampleHolds, HeldOut: true}
		switch got := results[i]; {
		case got.cannot != "":
			if got.fails && h.Sure {
				found = append(found, fix("held-out-failed", m.Spec, 0, fmt.Sprintf("A command of another agent fails: %s. It gives: %s. If the command itself is wrong, leave the code.", e.Text, got)))
			}
			e.State, e.Why = step.ExampleNotRun, got.cannot
		case !holds(h, got):
			e.State, e.Why = step.ExampleFails, got.String()
		}
		t.add(e, h.Sure)
		out = append(out, e)
	}
	return out, append(m.heldOutFailed(t), found...), nil
}

// commandRuns runs commands of a module.
type commandRuns struct {
	c       *Checker
	m       Module
	tree    string
	more    []toolchain.Found
	held    []string // commands that gave what is expected
	endless []int    // those that had to be ended
}

// all runs each, and a second time what does not give what is expected: of a race neither need be that. What never ends, where one that begins
// alike does, has failed.
func (r *commandRuns) all(ctx context.Context, list []step.HeldOut) ([]printed, error) {
	results := make([]printed, len(list))
	for i, h := range list {
		got := &results[i]
		switch {
		case !r.c.confined():
			got.cannot = "commands that agents write are run in a sandbox only"
			continue
		case i >= mostCommands:
			got.cannot = fmt.Sprintf("%d commands are run", mostCommands)
			continue
		}
		limit := commandTime
		if len(r.endless) > 0 {
			limit = endlessTime
		}
		var err error
		if *got, err = r.run(ctx, h, limit); err != nil {
			return nil, err
		}
		if got.endless {
			r.endless = append(r.endless, i)
		}
	}
	for _, i := range r.endless[:min(mostEndless, len(r.endless))] {
		if !r.alike(list[i]) { // who knows what it waits for
			continue
		}
		again, err := r.run(ctx, list[i], commandTime/2)
		if err != nil {
			return nil, err
		}
		if again.endless {
			again.cannot = ""
		}
		results[i] = again
	}
	return results, nil
}

// run runs one, and again if it gives something else than what is expected.
func (r *commandRuns) run(ctx context.Context, h step.HeldOut, limit time.Duration) (printed, error) {
	got, err := r.c.runCommand(ctx, r.m, r.tree, h, r.more, limit)
	if err != nil || got.cannot != "" {
		return got, err
	}
	if holds(h, got) {
		r.held = append(r.held, h.Call)
		return got, nil
	}
	again, err := r.c.runCommand(ctx, r.m, r.tree, h, r.more, limit)
	if err == nil && (again.text != got.text || again.exit != got.exit) {
		got.cannot, got.fails = "it gives something else each time", !holds(h, again)
	}
	return got, err
}

// alike reports whether a command begins as another one does that gave what is expected: it may build the same.
func (r *commandRuns) alike(h step.HeldOut) bool {
	return slices.ContainsFunc(r.held, func(o string) bool {
		return len(o) >= sameBeginning && strings.HasPrefix(h.Call, o[:sameBeginning])
	})
}

// namesPath reports whether a command names a file, which is no part of another name.
func namesPath(line, file string) bool {
	inName := func(r rune) bool { return inWord(r) || r == '/' || r == '.' || r == '-' }
	return standsAlone(line, file, inName) || standsAlone(line, "./"+file, inName)
}

// holds reports whether a command has given what is expected of it.
func holds(h step.HeldOut, got printed) bool {
	switch want := h.Result(); {
	case got.endless:
		return false
	case want == "error":
		return got.exit != 0
	default:
		return got.exit == 0 && got.quoted() == want
	}
}

// endsInCode is the exit code of a shell that could not run a program, as the last thing that is printed.
var endsInCode = re.New(`(?:^|\D)12[67]$`)

// notThere is what a shell says of a program that it cannot run.
var notThere = re.New(`(?m)^(?:/bin/)?(?:ba|da)?sh: (?:line )?\d+: .*(?:not found|Permission denied|No such file or directory)$`)

// missing is what programs say of what they do not find: then the command is wrong.
var missing = re.New(`(?i)no such file|not found|cannot find|can't find|can't open|could not find|no module named|does not exist|is not in std|not a directory`)

// runCommand runs one in a checkout of its own.
func (c *Checker) runCommand(ctx context.Context, m Module, tree string, h step.HeldOut, more []toolchain.Found, limit time.Duration) (got printed, err error) {
	p, tests, err := c.untested(ctx, tree, cmp.Or(m.Base, tree), m.Chain, more...)
	if err != nil {
		return printed{}, err
	}
	defer func() { err = joinClose(err, p) }()
	line, _ := h.Command()
	if i := slices.IndexFunc(tests, func(f step.File) bool { return namesPath(line, f.Path) }); i >= 0 {
		return printed{cannot: "tests are not there, and it names " + tests[i].Path}, nil
	}
	res, cannot, err := p.start(ctx, proc.Command{Argv: []string{"sh", "-c", line}, Dir: p.root, Env: p.env(), Total: limit})
	if err != nil || cannot != "" {
		return printed{cannot: cannot}, err
	}
	clean := func(s string) string {
		return c.local(strings.TrimRight(strings.ReplaceAll(s, "\r\n", "\n"), " \t\r\n"))
	}
	got = printed{text: clean(res.Stdout.Text), errors: clean(res.Stderr.Text), exit: res.Exit, took: res.Duration}
	codes := strings.Contains(line, "$?") // it prints an exit code
	ours := func(file string) bool {
		return (m.Place.AllowsSource(file) || slices.Contains(m.Place.Sources, file)) && strings.Contains(got.errors, path.Base(file))
	}
	switch {
	case res.Ended != proc.Exited:
		got.endless, got.cannot = res.Ended == proc.TotalLimit, "it was ended: it took "+res.Duration.Round(time.Second).String()
	case res.Stdout.Truncated:
		got.cannot = "it prints too much"
	case got.exit == 126, got.exit == 127, notThere().MatchString(got.errors), codes && endsInCode().MatchString(got.text):
		got.cannot = "a program in it is not there: " + got.String()
	case codes && strings.Contains(line, "go run"):
		got.cannot = "go run does not give the exit code of what it runs"
	case res.Exit != 0 && h.Result() != "error" && !slices.ContainsFunc(slices.Collect(maps.Keys(p.entries)), ours):
		got.cannot, got.fails = "it fails: "+got.String(), !missing().MatchString(got.errors+got.text)
	}
	return got, nil
}
