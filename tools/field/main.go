// Command field tries Jacquard on clones of public repositories, and writes what came of it to a table.
//
//	field -dir DIR                    every repository of repos.tsv that has a clone in DIR
//	field -dir DIR -only cobra,click  these
//	field -table docs/internals/field.md  writes the table of all results so far, and tries nothing
//
// For each repository it compares the tests that `jacquard doctor` runs with those that the project's own command
// runs, and with those that it runs without a sandbox. It plays real commits back as the answer of an author to `jacquard work`: as they are (they have to be
// accepted), and bent (they have to be rejected, see bend.go). And it lets `jacquard prove` judge commits: of those as they
// are nothing may block, and bent ones have to be named.
//
// A clone is DIR/OWNER+NAME, with or without a work tree; who wants a row fetches it. Nothing is written there.
// Results are lines of a file that is kept in this repository: a field that was stopped goes on, on any machine.
package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

//go:embed judged.tsv
var judgedTable string

//go:embed repos.tsv
var reposFile string

// repo is a line of repos.tsv.
type repo struct {
	Name     string // owner/name
	Language string
	Part     string // dev: looked at while building; held: kept for the judgement
	Commit   string
	Own      string // what its people type in a fresh clone to run all tests; "" = the yardstick is not known
}

func (r repo) dir() string { return strings.ReplaceAll(r.Name, "/", "+") }

func repos() ([]repo, error) {
	var list []repo
	for i, line := range strings.Split(strings.TrimSpace(reposFile), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) < 4 {
			return nil, fmt.Errorf("repos.tsv:%d: want name, language, part, commit and perhaps the own command", i+1)
		}
		r := repo{Name: f[0], Language: f[1], Part: f[2], Commit: f[3]}
		if len(f) > 4 {
			r.Own = f[4]
		}
		list = append(list, r)
	}
	return list, nil
}

// result is one case: a baseline, or one way to play a commit back.
type result struct {
	Repo    string    `json:"repo"`
	Commit  string    `json:"commit"`            // what was checked out, or the commit that is played back
	Case    string    `json:"case"`              // baseline; honest, or the name of a bend; prove, or prove- and the name of a bend
	Outcome string    `json:"outcome"`           // right, wrong; same, differs; accepted, reported (a finding that blocks nothing names the bend), rejected, asked (no test shows it, so a person has to accept it); quiet, blocked; named, unnamed, unseen (no test of the project fails without the hunk, or all code), unknown; none = there is nothing to bend; error
	Verdict string    `json:"verdict,omitempty"` // of prove
	Why     string    `json:"why,omitempty"`
	Rules   []string  `json:"rules,omitempty"` // of the findings that rejected it, or that an accepted one was warned of
	Tests   int       `json:"tests,omitempty"` // of a baseline: that doctor found
	Own     int       `json:"own,omitempty"`   // of a baseline: that the project's own command ran; of sandbox: without one
	Seconds float64   `json:"seconds"`
	Program string    `json:"program"` // `jacquard version`, and the beginning of the hash of it
	When    time.Time `json:"when"`
}

func (r result) key() string { return r.Repo + " " + r.Commit + " " + r.Case + " " + r.Program }

func (f *field) key(repo, commit, name string) string {
	return result{Repo: repo, Commit: commit, Case: name, Program: f.program}.key()
}

type field struct {
	dir, work, jacquard string
	program             string
	limit               time.Duration
	out                 *os.File
	done                map[string]string // outcomes, by key
	ctx                 context.Context
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "field:", err)
		os.Exit(1)
	}
}

func run() error {
	dir := flag.String("dir", "", "folder of the clones, each OWNER+NAME")
	kept := flag.String("results", "tools/field/results.jsonl", "file of all results so far")
	jacquard := flag.String("jacquard", "jacquard", "the program that is tried")
	only := flag.String("only", "", "parts of names of repositories, with commas")
	part := flag.String("part", "", "dev or held; both without it")
	commits := flag.Int("commits", 5, "commits of each repository")
	cases := flag.String("cases", "", "cases with commas: baseline, sandbox, honest, prove, and names of bends, for prove with prove- before them; all without it")
	limit := flag.Duration("limit", 10*time.Minute, "longest case")
	table := flag.String("table", "", "write the table of all results so far to this file, and try nothing")
	flag.Parse()
	if *dir == "" && *table == "" {
		return errors.New("-dir says where the clones are: git clone https://github.com/OWNER/NAME DIR/OWNER+NAME")
	}
	list, err := repos()
	if err != nil {
		return err
	}
	old, err := read(*kept)
	if err != nil {
		return err
	}
	if *table != "" {
		return os.WriteFile(*table, []byte(page(list, old)), 0o644)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	f := &field{dir: *dir, limit: *limit, done: map[string]string{}, ctx: ctx}
	if f.jacquard, err = filepath.Abs(*jacquard); err != nil {
		return err
	}
	version, err := f.output("", f.jacquard, "version")
	if err != nil {
		return fmt.Errorf("%s is no program that says its version: %w", f.jacquard, err)
	}
	binary, err := os.ReadFile(f.jacquard)
	if err != nil {
		return err
	}
	f.program = fmt.Sprintf("%s %.6x", strings.TrimSpace(version), sha256.Sum256(binary)) // every build may judge otherwise
	for _, r := range old {
		if r.Outcome != "error" {
			f.done[r.key()] = r.Outcome
		}
	}
	if f.out, err = os.OpenFile(*kept, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644); err != nil {
		return err
	}
	defer f.out.Close()
	f.dir, _ = filepath.Abs(*dir)
	f.work = filepath.Join(f.dir, "work") // always the same, so that what is cached for a clone is there the next time
	if err := os.MkdirAll(f.work, 0o755); err != nil {
		return err
	}
	want := func(name string) bool { return *cases == "" || slices.Contains(strings.Split(*cases, ","), name) }
	missing := 0
	for _, r := range list {
		if (*part != "" && r.Part != *part) || !named(r.Name, *only) {
			continue
		}
		if _, err := os.Stat(filepath.Join(*dir, r.dir())); err != nil {
			missing++
			fmt.Fprintf(os.Stderr, "%s is not there: git clone https://github.com/%s %s\n", r.Name, r.Name, filepath.Join(*dir, r.dir()))
			continue
		}
		if err := f.repository(r, *commits, want); err != nil {
			return err
		}
	}
	if missing > 0 {
		fmt.Fprintf(os.Stderr, "%d repositories have no clone and were left out\n", missing)
	}
	return ctx.Err()
}

func named(name, only string) bool {
	for part := range strings.SplitSeq(only, ",") {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

func read(path string) ([]result, error) {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var list []result
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r result
		if json.Unmarshal(lines.Bytes(), &r) == nil { // the last line of a field that was killed is cut
			list = append(list, r)
		}
	}
	return list, lines.Err()
}

// longest is the length of a reason that is kept, in bytes.
const longest = 400

// note keeps a result and shows it.
func (f *field) note(r result) error {
	if f.ctx.Err() != nil { // what was interrupted says nothing
		return f.ctx.Err()
	}
	r.Program, r.When = f.program, time.Now().UTC().Truncate(time.Second)
	home, _ := os.UserHomeDir()
	if r.Why = strings.ReplaceAll(r.Why, f.dir, "DIR"); home != "" {
		r.Why = strings.ReplaceAll(r.Why, home, "~") // no path of a machine stays in the repository
	}
	r.Why = strings.ToValidUTF8(r.Why[:min(len(r.Why), longest)], "")
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if _, err := f.out.Write(append(line, '\n')); err != nil {
		return err
	}
	fmt.Printf("%-28s %-10.10s %-9s %-8s %4.0fs %s\n", r.Repo, r.Commit, r.Case, r.Outcome, r.Seconds, strings.TrimSpace(strings.Join(r.Rules, " ")+" "+first(r.Why)))
	return nil
}

func first(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line[:min(len(line), 200)]
}

// repository tries one repository.
func (f *field) repository(r repo, commits int, want func(string) bool) error {
	clone := filepath.Join(f.work, r.dir())
	defer os.RemoveAll(clone)
	if err := f.allow(); err != nil {
		return err
	}
	if err := os.RemoveAll(clone); err != nil { // of a field that was killed
		return err
	}
	if _, err := f.output("", "git", "clone", "-q", "--no-checkout", filepath.Join(f.dir, r.dir()), clone); err != nil {
		return f.note(result{Repo: r.Name, Commit: r.Commit, Case: "baseline", Outcome: "error", Why: err.Error()})
	}
	for _, once := range []struct {
		name string
		try  func(repo, string) result
	}{{"baseline", f.baseline}, {"sandbox", f.sandbox}} {
		if want(once.name) && f.done[f.key(r.Name, r.Commit, once.name)] == "" {
			if err := f.note(once.try(r, clone)); err != nil {
				return err
			}
		}
	}
	for _, kind := range []struct {
		name   string
		wanted func(added, deleted, tests int) bool
		try    func(r repo, clone string, c commit, want func(string) bool) error
	}{{"honest", forWork, f.replay}, {"prove", forProve, f.judge}} {
		if !want(kind.name) {
			continue
		}
		picked, err := f.pick(r, clone, commits, kind.wanted)
		if err != nil {
			return f.note(result{Repo: r.Name, Commit: r.Commit, Case: kind.name, Outcome: "error", Why: err.Error()})
		}
		for _, c := range picked {
			if err := kind.try(r, clone, c, want); err != nil {
				return err
			}
		}
	}
	return f.ctx.Err()
}
