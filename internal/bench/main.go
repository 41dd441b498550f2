// Bench measures what docs/internals/measurements.md states about speed:
// each figure beside its yardstick, taken in the same run, as a ratio. It
// judges nothing; people read it.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/jacquard-build/jacquard/internal/spec"
)

func main() {
	short := flag.Bool("short", false, "small sizes only")
	only := flag.String("only", "", "run only the parts with these names, with commas between them: start, parse, analysis, jobs, workers, work, noop, symbols, first, kernel, tests")
	flag.Parse()
	if err := run(*short, *only); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench is one run of the benchmarks.
type bench struct {
	ctx   context.Context //nolint:containedctx // lives exactly as long as the program
	bin   string
	dir   string
	short bool
	out   *tabwriter.Writer
}

func run(short bool, only string) error {
	bin := os.Getenv("JACQUARD_BENCH_BIN")
	if bin == "" {
		return errors.New("JACQUARD_BENCH_BIN is not set: use make bench")
	}
	dir, err := os.MkdirTemp("", "jacquard-bench-")
	if err != nil {
		return err
	}
	if os.Getenv("KEEP") == "" {
		defer func() { _ = os.RemoveAll(dir) }()
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	b := &bench{ctx: ctx, bin: bin, dir: dir, short: short, out: tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)}
	fmt.Fprintln(b.out, "WHAT\tOURS\tYARDSTICK\tRATIO")
	parts := []struct {
		name string
		fn   func() error
	}{
		{"start", b.start}, {"parse", b.parse}, {"analysis", b.analysis}, {"jobs", b.jobs}, {"workers", b.workers}, {"work", b.work}, {"noop", b.noop}, {"symbols", b.symbols}, {"first", b.first}, {"kernel", b.kernel}, {"tests", b.tests},
	}
	for _, p := range parts {
		if only != "" && !slices.Contains(strings.Split(only, ","), p.name) {
			continue
		}
		if err := p.fn(); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if err := b.out.Flush(); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) row(what string, ours, yard time.Duration, yardstick string) {
	fmt.Fprintf(b.out, "%s\t%v\t%s %v\t%.2f\n", what, round(ours), yardstick, round(yard), float64(ours)/float64(yard))
}

func round(d time.Duration) time.Duration {
	switch {
	case d > time.Second:
		return d.Round(10 * time.Millisecond)
	case d > time.Millisecond:
		return d.Round(10 * time.Microsecond)
	}
	return d.Round(10 * time.Nanosecond)
}

// command runs a program to its end and returns how long it took.
func (b *bench) command(dir string, env []string, argv ...string) (time.Duration, string, error) {
	u, out, err := b.measure(dir, env, nil, argv...)
	return u.took, out, err
}

// usage is what a program took. Memory is the most that it, or one of the programs that it ran, held at once.
type usage struct {
	took   time.Duration
	memory int64
}

// measure runs a program to its end with the given input.
func (b *bench) measure(dir string, env []string, in io.Reader, argv ...string) (usage, string, error) {
	cmd := exec.CommandContext(b.ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Stdin = dir, in
	cmd.Env = append(os.Environ(), append([]string{
		"HOME=" + filepath.Join(b.dir, "home"), "XDG_CACHE_HOME=" + filepath.Join(b.dir, "cache"), "LANG=C",
	}, env...)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	began := time.Now()
	err := cmd.Run()
	u := usage{took: time.Since(began)}
	if err != nil {
		return u, out.String(), fmt.Errorf("%s: %w\n%s", strings.Join(argv, " "), err, out.String())
	}
	u.memory = peak(cmd.ProcessState)
	return u, out.String(), nil
}

// memory prints the most that a program held, beside the limit for all of them.
func (b *bench) memory(what string, bytes int64) {
	const limit = 300e6
	if bytes > 0 {
		fmt.Fprintf(b.out, "peak memory: %s\t%.0f MB\tlimit %.0f MB\t%.2f\n", what, float64(bytes)/1e6, limit/1e6, float64(bytes)/limit)
	}
}

// paired measures two commands by turns and returns their medians, so that
// what else the machine does meets both.
func (b *bench) paired(n int, dir string, ours, yard []string) (mine, theirs time.Duration, err error) {
	var a, c []time.Duration
	for i := range n + 1 {
		x, _, err := b.command(dir, nil, ours...)
		if err != nil {
			return 0, 0, err
		}
		y, _, err := b.command(dir, nil, yard...)
		if err != nil {
			return 0, 0, err
		}
		if i > 0 { // the first pair warms the caches
			a, c = append(a, x), append(c, y)
		}
	}
	return median(a), median(c), nil
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// noop measures a compile that finds nothing to do beside git status.
func (b *bench) noop() error {
	sizes := []struct{ specs, files int }{{1000, 10_000}, {10_000, 100_000}}
	if b.short {
		sizes = sizes[:1]
	}
	for _, s := range sizes {
		dir := filepath.Join(b.dir, fmt.Sprintf("noop%d", s.specs))
		if err := b.tree(dir, s.specs, s.files); err != nil {
			return err
		}
		mine, theirs, err := b.paired(7, dir, []string{b.bin, "compile"}, []string{"git", "status", "--porcelain=v2", "-z"})
		if err != nil {
			return err
		}
		b.row(fmt.Sprintf("no-op compile, %d specs, %d files", s.specs, s.files), mine, theirs, "git status")
		if err := b.hooks(dir, s.files); err != nil {
			return err
		}
	}
	return nil
}

// hooks measures what the hooks of a session cost where there is nothing to judge: one session after the other, of a turn each.
func (b *bench) hooks(dir string, files int) error {
	hooks := []struct {
		what, name, event string
		limit             time.Duration
		times             []time.Duration
	}{
		{what: "a session begins", name: "session-start", event: "SessionStart", limit: time.Second},
		{what: "a turn that changed nothing ends", name: "stop", event: "Stop", limit: 300 * time.Millisecond},
	}
	for i := range 8 {
		for k, h := range hooks {
			input := fmt.Sprintf(`{"session_id":"%s-%d","cwd":%q,"prompt_id":"p","hook_event_name":%q}`, filepath.Base(dir), i, dir, h.event)
			u, said, err := b.measure(dir, nil, strings.NewReader(input), b.bin, "hook", h.name)
			if err != nil {
				return err
			}
			if said != "" {
				return fmt.Errorf("hook %s: %s", h.name, said)
			}
			if i > 0 { // the first warms the caches
				hooks[k].times = append(h.times, u.took)
			}
		}
	}
	for _, h := range hooks {
		b.row(fmt.Sprintf("hook: %s, %d files", h.what, files), median(h.times), h.limit, "limit")
	}
	return nil
}

// tree makes a repository of Go packages with specs that are recorded as built.
func (b *bench) tree(dir string, specs, files int) error {
	per := files/specs - 2
	for i := range specs {
		mod := filepath.Join(dir, fmt.Sprintf("g%02d", i/100), fmt.Sprintf("m%05d", i))
		if err := os.MkdirAll(mod, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(mod, "CLAUDE.md"), []byte(specText(i)), 0o644); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(mod, "IMPLEMENTS.md"), []byte("# m\n\n## Implementation Approach\n\nplain\n"), 0o644); err != nil {
			return err
		}
		for j := range per {
			text := fmt.Sprintf("package m%05d\n\n// F%d returns its number.\nfunc F%d() int { return %d }\n", i, j, j, j)
			if err := os.WriteFile(filepath.Join(mod, fmt.Sprintf("f%d.go", j)), []byte(text), 0o644); err != nil {
				return err
			}
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/big\n\ngo 1.22\n"), 0o644); err != nil {
		return err
	}
	return b.commands(dir, [][]string{
		{"git", "init", "-q", "-b", "main"},
		{"git", "add", "-A"},
		{"git", "-c", "user.name=b", "-c", "user.email=b@localhost", "commit", "-qm", "start"},
		{b.bin, "adopt", "--unchecked"},
		{"git", "add", "-A"},
		{"git", "-c", "user.name=b", "-c", "user.email=b@localhost", "commit", "-qm", "lock"},
		{"git", "status"},
	})
}

func (b *bench) commands(dir string, list [][]string) error {
	for _, c := range list {
		if _, _, err := b.command(dir, nil, c...); err != nil {
			return err
		}
	}
	return nil
}

func specText(i int) string {
	return fmt.Sprintf("# m%05d\n\n## Purpose\n\nReturns numbers.\n\n## Exports\n\n- `F0() int`\n\n## Behavior\n\n- F0 → 0\n\n"+
		"## Contract\n\nNone\n\n## Protocol\n\nNone\n\n## Domain Context\n\nNone\n", i)
}

// jobs measures eight modules at once against one at a time, with agents that
// sleep, so that only the engine's own work is in the way.
func (b *bench) jobs() error {
	n, sleep := 64, "2s"
	if b.short {
		n, sleep = 16, "2s"
	}
	one, err := b.sleepers(n, sleep, 1)
	if err != nil {
		return err
	}
	eight, err := b.sleepers(n, sleep, 8)
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "%d independent modules, agents sleep %s a turn, 8 jobs\t%v\t1 job %v\t%.2f times faster\n", n, sleep, round(eight), round(one), float64(one)/float64(eight))
	return nil
}

// sleepers compiles n modules whose turns do nothing but wait. The checks of
// the project only read.
func (b *bench) sleepers(n int, sleep string, jobs int) (time.Duration, error) {
	dir := filepath.Join(b.dir, fmt.Sprintf("jobs%d", jobs))
	play, err := b.sleeping(dir, n, sleep)
	if err != nil {
		return 0, err
	}
	took, _, err := b.command(dir, nil, b.bin, "compile", "--scenario", play, "--jobs", fmt.Sprint(jobs))
	return took, err
}

// sleeping makes a repository of n modules and the script of turns that do
// nothing but wait.
func (b *bench) sleeping(dir string, n int, sleep string) (play string, err error) {
	var scenario, files strings.Builder
	for i := range n {
		mod := fmt.Sprintf("m%02d", i)
		if err := os.MkdirAll(filepath.Join(dir, mod), 0o755); err != nil {
			return "", err
		}
		text := strings.NewReplacer("F0() int", "one(): number", "F0 → 0", "one → 1").Replace(specText(i))
		if err := os.WriteFile(filepath.Join(dir, mod, "CLAUDE.md"), []byte(text), 0o644); err != nil {
			return "", err
		}
		fmt.Fprintf(&scenario, "turn red %s *\n  sleep %s\n  write %s/%s.test.js %s.test\n  answer %s.json\nturn green %s 1\n  sleep %s\n  write %s/%s.js %s.js\n  answer green.json\n",
			mod, sleep, mod, mod, mod, mod, mod, sleep, mod, mod, mod)
		fmt.Fprintf(&files, "-- %s.json --\n%s\n", mod, claims(mod, text))
		fmt.Fprintf(&files, "-- %s.test --\nconst test = require('node:test');\nconst assert = require('node:assert');\n"+
			"test('one', () => { assert.strictEqual(require('./%s.js').one(), 1); });\n-- %s.js --\nexports.one = () => 1;\n", mod, mod, mod)
	}
	script := scenario.String() + "-- green.json --\n{\"summary\": \"\", \"implements\": {}}\n" + files.String()
	play = filepath.Join(b.dir, "sleepers.txtar")
	if err := os.WriteFile(play, []byte(script), 0o644); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"name": "sleepers", "private": true, "scripts": {"test": "node --test"}}`), 0o644); err != nil {
		return "", err
	}
	return play, b.commands(dir, [][]string{
		{"git", "init", "-q", "-b", "main"},
		{"git", "add", "-A"},
		{"git", "-c", "user.name=b", "-c", "user.email=b@localhost", "commit", "-qm", "start"},
	})
}

// claims names the one test of a module for each item of its spec.
func claims(mod, text string) string {
	doc, _ := spec.Parse(mod+"/CLAUDE.md", []byte(text))
	var list []string
	for _, it := range spec.Items(doc) {
		list = append(list, fmt.Sprintf(`{"item": %q, "tests": ["%s/%s.test.js::one"]}`, it.ID, mod, mod))
	}
	return `{"tests": [` + strings.Join(list, ", ") + `]}`
}

// kernel runs the Go benchmarks of the kernel and its local runtime; they
// print their own yardsticks.
func (b *bench) kernel() error {
	if err := b.out.Flush(); err != nil {
		return err
	}
	_, out, err := b.command(".", nil, "go", "test", "-run=^$", "-bench=.", "-benchtime=1x", "./internal/flow/...")
	if err != nil {
		return err
	}
	for l := range strings.Lines(out) {
		if strings.HasPrefix(l, "Benchmark") {
			fmt.Fprint(os.Stdout, l)
		}
	}
	return nil
}
