package cli_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"golang.org/x/tools/txtar"
)

// unpack makes the folder DIR of a project that several stories need, with testdata/ARCHIVE: unpack DIR ARCHIVE. The
// files from scenario/… on are a scenario, DIR.txtar. What the story has in DIR itself stays.
func unpack(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: unpack DIR ARCHIVE")
	}
	a, err := txtar.ParseFile(filepath.Join("testdata", filepath.FromSlash(args[1])))
	ts.Check(err)
	dir := ts.MkAbs(args[0])
	played, err := layOut(a, dir)
	ts.Check(err)
	if len(played.Files) > 0 {
		ts.Check(os.WriteFile(dir+".txtar", txtar.Format(played), 0o644))
	}
}

// layOut writes the files of a project into a folder and returns the scenario that comes after them.
func layOut(a *txtar.Archive, dir string) (*txtar.Archive, error) {
	played := &txtar.Archive{}
	scenario := false
	for _, f := range a.Files {
		switch {
		case strings.HasPrefix(f.Name, "scenario/"):
			scenario, played.Comment = true, f.Data
			continue
		case scenario:
			played.Files = append(played.Files, f)
			continue
		}
		to := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(to, f.Data, 0o644); err != nil {
			return nil, err
		}
	}
	return played, nil
}

// clones shares the repository here: clones NAME... makes $WORK/hub.git, which is its origin, and $WORK/NAME of that.
func clones(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: clones NAME...")
	}
	work := ts.Getenv("WORK")
	hub, here := filepath.Join(work, "hub.git"), ts.MkAbs(".")
	git(ts, work, "init", "--quiet", "--bare", "--initial-branch=main", hub)
	git(ts, here, "remote", "add", "origin", hub)
	git(ts, here, "push", "--quiet", "origin", "main")
	for _, name := range args {
		git(ts, work, "clone", "--quiet", hub, name)
	}
	ts.Defer(func() { // a story that fails while one of them is stopped would wait for it for ever
		_ = ts.Exec("sh", "-c", "kill -CONT $(cat $WORK/*.pid) 2>/dev/null")
	})
}

// until waits until a command of the shell succeeds: until COMMAND LINE. It is for what other processes do; a story that
// counted on how long that takes would fail on a machine that is busy.
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: until 'COMMAND LINE'")
	}
	for range 6000 {
		if ts.Exec("sh", "-c", "{ "+args[0]+"; } >/dev/null 2>&1") == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	ts.Check(ts.Exec("sh", "-c", "ps -ef; "+args[0]))
}

// searched waits until a search of the cluster finds one run: searched QUERY. What can be searched comes a little later.
func searched(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: searched QUERY")
	}
	c, err := client.Dial(client.Options{HostPort: ts.Getenv("TEMPORAL_ADDRESS"), Logger: log.NewStructuredLogger(slog.New(slog.DiscardHandler))})
	ts.Check(err)
	defer c.Close()
	for range 200 {
		n, err := c.CountWorkflow(context.Background(), &workflowservice.CountWorkflowExecutionsRequest{Query: args[0]})
		ts.Check(err)
		if n.GetCount() == 1 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	ts.Fatalf("no run is found by %s", args[0])
}

// turns counts what was paid for: turns N NAME... wants exactly N turns in the clones $WORK/NAME together whose agent has
// come to its end, however often they were begun.
func turns(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: turns N NAME...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	have := map[string]int{}
	n := 0
	for _, name := range args[1:] {
		logs, err := filepath.Glob(filepath.Join(ts.Getenv("WORK"), name, ".jacquard", "runs", "*", "attempts", "*", "*", "raw.jsonl"))
		ts.Check(err)
		for _, l := range logs {
			if strings.Contains(l, "-as-challenge-") { // of who objects
				continue
			}
			raw, err := os.ReadFile(l)
			ts.Check(err)
			if bytes.Contains(raw, []byte(`"type":"ended"`)) {
				have[strings.TrimPrefix(l, ts.Getenv("WORK"))]++
				n++
			}
		}
	}
	if n != want {
		ts.Fatalf("%d turns have ended in %v, want %d: %v", n, args[1:], want, have)
	}
}
