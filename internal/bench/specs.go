package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// parse measures reading specs beside goldmark, on one processor, in a test that has both.
func (b *bench) parse() error {
	bin := filepath.Join(b.dir, "spec.test")
	if _, _, err := b.command(".", nil, "go", "test", "-c", "-o", bin, "./internal/spec"); err != nil {
		return err
	}
	rounds := "60x"
	if b.short {
		rounds = "15x"
	}
	u, out, err := b.measure("internal/spec", nil, nil, bin, "-test.run=^$", "-test.bench=AgainstGoldmark", "-test.cpu=1", "-test.benchtime="+rounds)
	if err != nil {
		return err
	}
	figures := map[string]float64{}
	for _, m := range regexp.MustCompile(`([0-9.]+) (\S+)`).FindAllStringSubmatch(out, -1) {
		if v, err := strconv.ParseFloat(m[1], 64); err == nil {
			figures[m[2]] = v
		}
	}
	if figures["goldmark-MB/s"] == 0 {
		return errors.New("the benchmark printed no figures:\n" + out)
	}
	for what, name := range map[string]string{"finding the blocks of specs": "scan", "reading specs, all of it": "parse"} {
		fmt.Fprintf(b.out, "%s, 2 KB each\t%.0f MB/s\tgoldmark %.0f MB/s\t%.1f times as fast\n", what, figures[name+"-MB/s"], figures["goldmark-MB/s"], figures[name+"/goldmark"])
	}
	b.memory("reading specs", u.memory)
	return nil
}

// analysis measures reading source code of each language, in files that are hard to read, beside the parser of Go's own
// library on those of Go, which builds a tree and reads nothing out of it.
func (b *bench) analysis() error {
	bin := filepath.Join(b.dir, "source.test")
	if _, _, err := b.command(".", nil, "go", "test", "-c", "-o", bin, "./internal/source"); err != nil {
		return err
	}
	rounds := "60x"
	if b.short {
		rounds = "15x"
	}
	u, out, err := b.measure("internal/source", nil, nil, bin, "-test.run=^$", "-test.bench=Analysis", "-test.cpu=1", "-test.benchtime="+rounds)
	if err != nil {
		return err
	}
	speed := func(name string) float64 {
		m := regexp.MustCompile(`Analysis/` + name + `\S*\s.*?([0-9.]+) MB/s`).FindStringSubmatch(out)
		if m == nil {
			return 0
		}
		v, _ := strconv.ParseFloat(m[1], 64)
		return v
	}
	yard := speed("yardstick")
	if yard == 0 {
		return errors.New("the benchmark printed no figures:\n" + out)
	}
	for _, lang := range []string{"go", "ts", "python", "rust", "java", "kotlin"} {
		fmt.Fprintf(b.out, "reading code, %s\t%.1f MB/s\tgo/parser %.1f MB/s\t%.2f times as fast\n", lang, speed(lang), yard, speed(lang)/yard)
	}
	b.memory("reading code of six languages", u.memory)
	return nil
}

// symbols measures a query of symbols whose index is kept, and the first one, beside git status.
func (b *bench) symbols() error {
	specs, files := 10_000, 100_000
	if b.short {
		specs, files = 1000, 10_000
	}
	dir := filepath.Join(b.dir, fmt.Sprintf("noop%d", specs)) // the tree of the no-op, where that ran
	if _, err := os.Stat(dir); err != nil {
		if err := b.tree(dir, specs, files); err != nil {
			return err
		}
	}
	status := []string{"git", "status", "--porcelain=v2", "-z"}
	warm := []string{b.bin, "spec", "find", "F0"}
	size := fmt.Sprintf("%d specs, %d files", specs, files)
	mine, theirs, err := b.paired(9, dir, warm, status)
	if err != nil {
		return err
	}
	b.row("symbol query, "+size, mine, theirs, "git status")
	cold := append(warm, "--no-cache")
	mine, theirs, err = b.paired(3, dir, cold, status)
	if err != nil {
		return err
	}
	b.row("symbol query, nothing kept, "+size, mine, theirs, "git status")
	for what, argv := range map[string][]string{"symbol query": warm, "symbol query, nothing kept": cold} {
		u, _, err := b.measure(dir, nil, nil, argv...)
		if err != nil {
			return err
		}
		b.memory(what+", "+size, u.memory)
	}
	return nil
}

// first measures finding the targets of a project that was never compiled: without a lock all specs have to be read.
func (b *bench) first() error {
	sizes := []struct{ specs, files, commits int }{{1000, 10_000, 20_000}, {10_000, 100_000, 20_000}}
	if b.short {
		sizes = sizes[:1]
		sizes[0].commits = 2000
	}
	for _, s := range sizes {
		dir := filepath.Join(b.dir, fmt.Sprintf("first%d", s.specs))
		if err := b.history(dir, s.specs, s.files, s.commits); err != nil {
			return err
		}
		var mine, theirs []time.Duration
		var memory int64
		for i := range 6 {
			u, _, err := b.measure(dir, []string{"XDG_CACHE_HOME=" + filepath.Join(b.dir, fmt.Sprintf("cache%d-%d", s.specs, i))}, nil, b.bin, "spec", "targets", "--json")
			if err != nil {
				return err
			}
			took, _, err := b.command(dir, nil, "git", "status", "--porcelain=v2", "-z")
			if err != nil {
				return err
			}
			if i > 0 { // the first pair warms the caches of the system
				mine, theirs, memory = append(mine, u.took), append(theirs, took), max(memory, u.memory)
			}
		}
		what := fmt.Sprintf("first run, %d specs, %d files, %d commits", s.specs, s.files, s.commits)
		b.row(what, median(mine), median(theirs), "git status")
		b.memory(what, memory)
	}
	return nil
}

// history makes a repository in which each commit but the first changes one source file, or the spec of its module.
func (b *bench) history(dir string, specs, files, commits int) error {
	per := files/specs - 1
	var in bytes.Buffer
	data := func(text string) { fmt.Fprintf(&in, "data %d\n%s\n", len(text), text) }
	module := func(i int) string { return fmt.Sprintf("g%02d/m%05d", i/100, i) }
	source := func(i, j, version int) {
		fmt.Fprintf(&in, "M 100644 inline %s/f%d.go\n", module(i), j)
		data(fmt.Sprintf("package m%05d\n\nfunc F%d() int { return %d }\n", i, j, version))
	}
	for n := range commits {
		fmt.Fprintf(&in, "commit refs/heads/main\ncommitter b <b@localhost> %d +0000\n", 1_700_000_000+60*n)
		data("change")
		i := n * 7919 % specs
		switch {
		case n == 0:
			for i := range specs {
				fmt.Fprintf(&in, "M 100644 inline %s/CLAUDE.md\n", module(i))
				data(specText(i))
				for j := range per {
					source(i, j, 0)
				}
			}
		case n%20 == 0:
			fmt.Fprintf(&in, "M 100644 inline %s/CLAUDE.md\n", module(i))
			data(strings.Replace(specText(i), "Returns numbers.", fmt.Sprintf("Returns numbers, %d.", n), 1))
		default:
			source(i, n%per, n)
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if _, _, err := b.command(dir, nil, "git", "init", "-q", "-b", "main"); err != nil {
		return err
	}
	if _, _, err := b.measure(dir, nil, &in, "git", "fast-import", "--quiet"); err != nil {
		return err
	}
	return b.commands(dir, [][]string{{"git", "reset", "-q", "--hard"}, {"git", "status"}})
}
