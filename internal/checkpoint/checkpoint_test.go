package checkpoint_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/checkpoint"
	"github.com/jacquard-build/jacquard/internal/task"
)

func point(id string, needs []string, files ...string) checkpoint.Checkpoint {
	k := checkpoint.Checkpoint{ID: id, Title: id, Scope: "it", Validation: "go test ./...", Expected: "pass", Needs: needs}
	for _, f := range files {
		k.Files = append(k.Files, task.File{Path: f, Action: task.Modify})
	}
	return k
}

// TestStrategy: which checkpoints get which strategy. Where several rules hold, the first one counts.
func TestStrategy(t *testing.T) {
	t.Parallel()
	five := func(file func(int) string) (out []checkpoint.Checkpoint) {
		for i := range 5 {
			out = append(out, point(checkpoint.ID(i), nil, file(i)))
		}
		return out
	}
	for name, tt := range map[string]struct {
		list []checkpoint.Checkpoint
		want string
	}{
		"one":                      {[]checkpoint.Checkpoint{point("cp-1", nil, "a")}, checkpoint.Direct},
		"all on one file":          {[]checkpoint.Checkpoint{point("cp-1", nil, "a", "b"), point("cp-2", nil, "c", "a")}, checkpoint.Direct},
		"two on different files":   {[]checkpoint.Checkpoint{point("cp-1", nil, "a"), point("cp-2", nil, "b")}, checkpoint.Subagent},
		"two that need each other": {[]checkpoint.Checkpoint{point("cp-1", nil, "a"), point("cp-2", []string{"cp-1"}, "b")}, checkpoint.Subagent},
		"two of three on one file": {[]checkpoint.Checkpoint{point("cp-1", nil, "a"), point("cp-2", nil, "a"), point("cp-3", nil, "b")}, checkpoint.Subagent},
		"five":                     {five(func(i int) string { return string(rune('a' + i)) }), checkpoint.AgentTeams},
		"five on one file":         {five(func(int) string { return "a" }), checkpoint.Direct},
	} {
		if got, why := checkpoint.Strategy(tt.list); got != tt.want || why == "" {
			t.Errorf("%s: %s (%s), want %s", name, got, why, tt.want)
		}
	}
}

// TestWaits: the direct strategy builds one after the other, in an order that the needs allow.
func TestWaits(t *testing.T) {
	t.Parallel()
	list := []checkpoint.Checkpoint{point("cp-1", []string{"cp-2"}, "a"), point("cp-2", nil, "b"), point("cp-3", nil, "c")}
	if got := checkpoint.InOrder(list); !slices.Equal(got, []string{"cp-2", "cp-1", "cp-3"}) && !slices.Equal(got, []string{"cp-2", "cp-3", "cp-1"}) {
		t.Errorf("order %v", got)
	}
	if got := checkpoint.Waits(list, checkpoint.Subagent, "cp-3"); len(got) != 0 {
		t.Errorf("cp-3 waits for %v", got)
	}
	order := checkpoint.InOrder(list)
	for i, id := range order {
		got := checkpoint.Waits(list, checkpoint.Direct, id)
		if i > 0 && !slices.Contains(got, order[i-1]) {
			t.Errorf("%s waits for %v, and not for %s", id, got, order[i-1])
		}
	}
}

// TestCheck: what a program sees to be wrong with a design.
func TestCheck(t *testing.T) {
	t.Parallel()
	good := func() checkpoint.Design {
		k := point("", nil, "a/x.go")
		k.Interfaces = []checkpoint.Interface{{Path: "a/x.go", Symbol: "X", Signature: "func X()", Does: "it", Test: "TestX"}}
		k.Tests = []checkpoint.Test{{Path: "a/x_test.go", Name: "TestX", Shows: "it"}}
		d := checkpoint.Design{Proposal: checkpoint.Proposal{Flow: "in", Components: []checkpoint.Component{{Name: "x", Path: "a/x.go", Does: "it"}}}, Checkpoints: []checkpoint.Checkpoint{k}}
		d.Numbered()
		return d
	}
	if got := checkpoint.Check(good()); len(got) > 0 {
		t.Fatalf("a good design: %v", got)
	}
	for want, spoil := range map[string]func(d *checkpoint.Design){
		"There is no checkpoint":        func(d *checkpoint.Design) { d.Checkpoints = nil },
		"`flow` is empty":               func(d *checkpoint.Design) { d.Flow = " " },
		"has no validation":             func(d *checkpoint.Design) { d.Checkpoints[0].Validation = "" },
		"no symbol or no signature":     func(d *checkpoint.Design) { d.Checkpoints[0].Interfaces[0].Symbol = "" },
		"which is not one of its files": func(d *checkpoint.Design) { d.Checkpoints[0].Interfaces[0].Path = "b.go" },
		"which is not one of its tests": func(d *checkpoint.Design) { d.Checkpoints[0].Interfaces[0].Test = "TestY" },
		"is not a test file":            func(d *checkpoint.Design) { d.Checkpoints[0].Tests[0].Path = "a/y.go" },
		"does not say what it shows":    func(d *checkpoint.Design) { d.Checkpoints[0].Tests[0].Shows = "" },
		"is not a plain name":           func(d *checkpoint.Design) { d.Checkpoints[0].Interfaces[0].Symbol = "func X() int" },
		"`scope` is empty":              func(d *checkpoint.Design) { d.Checkpoints[0].Scope = "" },
		"is forbidden":                  func(d *checkpoint.Design) { d.Checkpoints[0].Forbidden = []string{"a/"} },
		"has no interface":              func(d *checkpoint.Design) { d.Components[0].Path = "b/y.go" },
		"tests of two checkpoints":      func(d *checkpoint.Design) { d.Checkpoints = append(d.Checkpoints, d.Checkpoints[0]); d.Numbered() },
		"does not say what it does":     func(d *checkpoint.Design) { d.Components[0].Does = "" },
		"checkpoints are more than 20":  func(d *checkpoint.Design) { d.Checkpoints = slices.Repeat(d.Checkpoints, 21) },
	} {
		d := good()
		spoil(&d)
		if got := strings.Join(checkpoint.Check(d), "\n"); !strings.Contains(got, want) {
			t.Errorf("%q is not said: %s", want, got)
		}
	}
}

// TestNumbered: one kind of id: whatever an author calls a checkpoint, it is cp-N.
func TestNumbered(t *testing.T) {
	t.Parallel()
	d := checkpoint.Design{Checkpoints: []checkpoint.Checkpoint{point("checkpoint-7", nil, "./a.go"), point("x", []string{"checkpoint-1", "CP 1", "cp-01", "what"}, "b.go")}}
	d.Checkpoints[0].Tests = []checkpoint.Test{{Path: "./a_test.go", Name: "TestA"}}
	d.Checkpoints[0].Files = append(d.Checkpoints[0].Files, task.File{Path: "a_test.go", Action: task.Create})
	d.Numbered()
	if d.Checkpoints[0].ID != "cp-1" || d.Checkpoints[1].ID != "cp-2" || !slices.Equal(d.Checkpoints[1].Needs, []string{"cp-1", "cp-1", "cp-1", "what"}) {
		t.Errorf("%+v", d.Checkpoints)
	}
	if len(d.Checkpoints[0].Files) != 1 || d.Checkpoints[0].Files[0].Path != "a.go" {
		t.Errorf("files %v: a test of the contract is no file of the author", d.Checkpoints[0].Files)
	}
	for given, want := range map[string]string{
		"(f *Fake) Reset": "Fake.Reset", "(*Fake).Reset": "Fake.Reset", "(s Set[T]) Add(v T)": "Set.Add", "Total()": "Total", "Cart.total": "Cart.total", "Cart::new": "Cart::new", "#x": "#x", "_id?": "_id?",
	} {
		e := checkpoint.Design{Checkpoints: []checkpoint.Checkpoint{{Interfaces: []checkpoint.Interface{{Symbol: given, Signature: "s"}}}}}
		if e.Numbered(); e.Checkpoints[0].Interfaces[0].Symbol != want {
			t.Errorf("the symbol %q became %q, want %q", given, e.Checkpoints[0].Interfaces[0].Symbol, want)
		}
	}
	tasks := d.Tasks(func(p string) bool { return p == "a_test.go" })
	if tasks[0].ID != "TASK-01" || tasks[0].Files[1] != (task.File{Path: "a_test.go", Action: task.Modify}) || checkpoint.Renamed("TASK-02: needs TASK-01, TASK-10") != "cp-2: needs cp-1, cp-10" {
		t.Errorf("%+v", tasks)
	}
}

var zone = time.FixedZone("KST", 9*3600)

// TestState: the state file is written and read, also a sample of the earlier tool, with times without a zone.
func TestState(t *testing.T) {
	t.Parallel()
	sample := "# .develop-workflow/state.yaml\n\nphase: IMPLEMENT              # DESIGN | REVIEW\nstrategy: subagent\nfeature: \"실시간 채팅 기능\"     # summary\nstarted_at: \"2026-02-16T10:00:00\"\nupdated_at: \"2026-02-16T11:30:00\"\n\n" +
		"checkpoints:                  # after phase 2\n  cp-1: { status: passed, iteration: 2 }\n  cp-2: { status: in_progress, iteration: 1 }\n  cp-3: { status: pending, iteration: 0 }\n"
	s, mended, err := checkpoint.ReadState([]byte(sample), zone)
	if err != nil || len(mended) > 0 {
		t.Fatal(mended, err)
	}
	if got := s.Line(); got != "cp-1 passed, cp-2 in_progress (iter 1/3), cp-3 pending" {
		t.Error(got)
	}
	want := "phase: IMPLEMENT\nstrategy: subagent\nfeature: \"실시간 채팅 기능\"\nstarted_at: \"2026-02-16T10:00:00+09:00\"\nupdated_at: \"2026-02-16T11:30:00+09:00\"\n\n" +
		"checkpoints:\n  cp-1: { status: passed, iteration: 2 }\n  cp-2: { status: in_progress, iteration: 1 }\n  cp-3: { status: pending, iteration: 0 }\n"
	if got := string(s.Bytes()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	s.Feature = "say \"no\"\n: { # 한글 \x1b[31m \u200b"
	again, _, err := checkpoint.ReadState(s.Bytes(), time.UTC)
	if err != nil || again.Feature != strings.TrimSpace(s.Feature) || !again.Started.Equal(s.Started) {
		t.Errorf("%q %v: %v", again.Feature, again.Started, err)
	}
}

// TestStateOfOthers: the later JSON, and what contradicts itself.
func TestStateOfOthers(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text   string
		phase  checkpoint.Phase
		line   string
		mended int
		bad    string
	}{
		"later JSON": {
			text:  `{"phase":"PR","feature":"x","gates":{"review_clean_pass":true},"checkpoints":{"cp-1":{"status":"failed","iteration":3},"checkpoint-2":{"status":"passed","iteration":1}}}`,
			phase: checkpoint.Merge, line: "cp-1 escalated, cp-2 passed",
		},
		"merge with open checkpoints": {text: "phase: MERGE\ncheckpoints: {cp-1: {status: pending, iteration: 0}}", phase: checkpoint.Implement, line: "cp-1 pending", mended: 1},
		"design with begun ones":      {text: "phase: DESIGN\ncheckpoints: {cp-1: {status: passed, iteration: 1}}", phase: checkpoint.Implement, line: "cp-1 passed", mended: 1},
		"unknown words":               {text: "phase: implement\nstrategy: magic\ncheckpoints: {cp-1: {status: great, iteration: 9}, ../x: {status: passed}, cp-2: 7}", phase: checkpoint.Implement, line: "cp-1 pending", mended: 5},
		"a list":                      {text: "phase: REVIEW\ncheckpoints: [1, 2]", phase: checkpoint.Review, mended: 1},
		"no phase":                    {text: "feature: x", bad: "not one of DESIGN"},
		"no YAML":                     {text: "\t{", bad: "read .develop-workflow/state.yaml"},
		"empty":                       {text: "", bad: "not one of DESIGN"},
	} {
		s, mended, err := checkpoint.ReadState([]byte(tt.text), zone)
		if tt.bad != "" {
			if err == nil || !strings.Contains(err.Error(), tt.bad) {
				t.Errorf("%s: %v, want %q", name, err, tt.bad)
			}
			continue
		}
		if err != nil || s.Phase != tt.phase || s.Line() != tt.line || len(mended) != tt.mended {
			t.Errorf("%s: %s %q %v %v", name, s.Phase, s.Line(), mended, err)
		}
	}
}

// FuzzReadState: whatever stands in the file, what is read of it is written and read as the same.
func FuzzReadState(f *testing.F) {
	f.Add("phase: IMPLEMENT\nfeature: x\ncheckpoints: {cp-1: {status: passed, iteration: 2}}")
	f.Add(`{"phase":"PR","feature":"\u0000","started_at":"2026-02-16T10:00:00","checkpoints":{"cp-1":{}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		s, _, err := checkpoint.ReadState([]byte(text), time.UTC)
		if err != nil {
			return
		}
		again, mended, err := checkpoint.ReadState(s.Bytes(), time.UTC)
		if err != nil || len(mended) > 0 || again.Phase != s.Phase || again.Line() != s.Line() || again.Strategy != s.Strategy || again.Feature != strings.TrimSpace(strings.ToValidUTF8(s.Feature, "�")) {
			t.Errorf("%+v became %+v: %v %v", s, again, mended, err)
		}
	})
}

func TestOffered(t *testing.T) {
	t.Parallel()
	k := checkpoint.Checkpoint{Interfaces: []checkpoint.Interface{{Symbol: "Cart.Total"}, {Symbol: "Parse"}}}
	calls := []task.HeldOut{{Call: "Cart([1]).total()"}, {Call: "parse(1)"}, {Call: "Parse(\"a.b(\")"}, {Call: "Carts()"}}
	var got []string
	for _, h := range k.Offered(calls) {
		got = append(got, h.Call)
	}
	if want := []string{"Cart([1]).total()", "Parse(\"a.b(\")"}; !slices.Equal(got, want) {
		t.Errorf("Offered = %q, want %q", got, want)
	}
}
