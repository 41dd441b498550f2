package pdca_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/task"
)

func files(paths ...string) []task.File {
	var out []task.File
	for _, p := range paths {
		out = append(out, task.File{Path: p, Action: task.Modify})
	}
	return out
}

// TestRate: the score of a request, one point at a time. The keyword of earlier tools still counts, and so does the flag.
func TestRate(t *testing.T) {
	// A20 18: see TestEveryContradictionHasATest in internal/workflow/auto.
	t.Parallel()
	for name, tt := range map[string]struct {
		e        pdca.Estimate
		request  string
		explicit bool
		points   string
		mode     pdca.Mode
	}{
		"nothing":                                {pdca.Estimate{Files: files("a/x.go", "a/y.go")}, "fix x", false, "00000", pdca.Light},
		"three files":                            {pdca.Estimate{Files: files("a/x.go", "a/y.go", "a/z.go")}, "fix x", false, "10000", pdca.Light},
		"two modules":                            {pdca.Estimate{Files: files("a/b/x.go", "a/c/y.go")}, "fix x", false, "00010", pdca.Light},
		"one module, deeper":                     {pdca.Estimate{Files: files("a/b/c/x.go", "a/b/d/y.go")}, "fix x", false, "00000", pdca.Light},
		"a manifest's modules":                   {pdca.Estimate{Files: files("apps/web/a/x.ts", "apps/web/b/y.ts")}, "fix x", false, "00000", pdca.Light},
		"files and modules":                      {pdca.Estimate{Files: files("a/x.go", "b/y.go", "b/z.go")}, "fix x", false, "10010", pdca.Standard},
		"a manifest changes":                     {pdca.Estimate{Files: files("go.mod")}, "fix x", false, "00100", pdca.Light},
		"three points":                           {pdca.Estimate{Files: files("a/x.go", "b/y.go", "b/z.go"), Dependencies: []string{"redis"}}, "fix x", false, "10110", pdca.Standard},
		"four points":                            {pdca.Estimate{Files: files("a/x.go", "b/y.go", "b/z.go"), Dependencies: []string{"redis"}, NewPattern: true}, "x", false, "11110", pdca.Heavy},
		"the word":                               {pdca.Estimate{}, "ralplan: fix x", false, "00001", pdca.Light},
		"part of a word":                         {pdca.Estimate{}, "fix ralplanning", false, "00000", pdca.Light},
		"appetite":                               {pdca.Estimate{}, "로그인을 제대로 만들어 줘", false, "00001", pdca.Light},
		"a getter with a test and a README line": {pdca.Estimate{Files: files("source/queue.ts", "test/queue.ts", "README.md")}, "add isIdle", false, "00000", pdca.Light},
		"two builds of one function, with a test": {pdca.Estimate{Files: files("index.js", "index.browser.js", "test/index.test.js", "README.md")}, "x", false, "00000", pdca.Light},
		"tests and their data in many places":     {pdca.Estimate{Files: files("a/x_test.go", "b/y_test.go", "b/testdata/z.txt", "c/z_test.go")}, "x", false, "00000", pdca.Light},
		"documents":                               {pdca.Estimate{Files: files("README.md", "docs/a.rst", "docs/b/c.md", "changelog/1.feature.rst")}, "x", false, "00000", pdca.Light},
		"sources beside tests still count":        {pdca.Estimate{Files: files("a/x.go", "a/x_test.go", "b/y.go", "b/y_test.go", "b/z.go")}, "x", false, "10010", pdca.Standard},
		"a manifest that ends like a document":    {pdca.Estimate{Files: files("requirements-dev.txt")}, "x", false, "00100", pdca.Light},
		"what builds is no document":              {pdca.Estimate{Files: files("CMakeLists.txt", "a/CMakeLists.txt", "b/CMakeLists.txt")}, "x", false, "10010", pdca.Standard},
		"the flag":                                {pdca.Estimate{Files: files("a/x.go", "b/y.go", "b/z.go"), NewPattern: true}, "x", true, "11011", pdca.Heavy},
	} {
		s := pdca.Rate(tt.e, tt.request, tt.explicit, []string{".", "apps/web"})
		got := ""
		for _, p := range s.Points {
			got += string(rune('0' + p.Value))
		}
		if got != tt.points || s.Mode != tt.mode || s.Total != strings.Count(tt.points, "1") {
			t.Errorf("%s: points %s, mode %s, total %d; want %s, %s", name, got, s.Mode, s.Total, tt.points, tt.mode)
		}
	}
}

// TestFeature: the name of a feature has only small letters, digits and hyphens, and at most 40 characters.
func TestFeature(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"User Login": "user-login", "실시간 채팅": "", "  a__b  ": "a-b", "--": "", "../../etc": "etc", strings.Repeat("ab-", 20): strings.TrimSuffix(strings.Repeat("ab-", 13), "-") + "-a",
	} {
		if got := pdca.Feature(in); got != want || len(got) > 40 {
			t.Errorf("Feature(%q) = %q, want %q", in, got, want)
		}
	}
}

func goodPlan() pdca.Plan {
	return pdca.Plan{
		Background: "An empty cart makes the total panic, which users see as an error page.",
		Items:      []pdca.Item{{Text: "Total of an empty cart is 0", Criteria: []task.Criterion{{Text: "Total(nil) returns 0", Command: "go test ./..."}}}},
		Files:      []task.File{{Path: "cart.go", Action: task.Modify}, {Path: "cart_test.go", Action: task.Create}},
		Risks:      []string{"A caller may rely on the panic."}, EdgeCases: []string{"nil cart gives 0", "cart of one item is unchanged"},
		Steps: []pdca.Step{{Text: "Change Total", Done: "the new test passes"}},
	}
}

// TestCheckPlan: a good plan passes, and each thing that is taken from it is named by its gate. New files need not be there.
func TestCheckPlan(t *testing.T) {
	// A20 20: see TestEveryContradictionHasATest in internal/workflow/auto.
	t.Parallel()
	exists := func(p string) bool { return p == "cart.go" || p == "old.go" }
	if got := pdca.CheckPlan(goodPlan(), pdca.Standard, exists); len(got) > 0 {
		t.Fatalf("a good plan: %v", got)
	}
	light := goodPlan()
	light.Risks, light.EdgeCases, light.Steps = nil, nil, nil
	if got := pdca.CheckPlan(light, pdca.Light, exists); len(got) > 0 {
		t.Errorf("a LIGHT plan: %v", got)
	}
	if text := string(pdca.Document{Feature: "x"}.Plan(light)); strings.Contains(text, "Risks") || strings.Contains(text, "Steps") {
		t.Errorf("empty sections in:\n%s", text)
	}
	if got := pdca.CheckPlan(light, pdca.Standard, exists); len(got) != 2 {
		t.Errorf("the same in STANDARD: %v", got)
	}
	for name, tt := range map[string]struct {
		spoil func(*pdca.Plan)
		gate  string
		warn  bool
	}{
		"no background":        {func(p *pdca.Plan) { p.Background = "x" }, pdca.GatePlan, false},
		"no scope":             {func(p *pdca.Plan) { p.Items = nil }, pdca.GatePlan, false},
		"no files":             {func(p *pdca.Plan) { p.Files = nil }, pdca.GatePlan, false},
		"no risks":             {func(p *pdca.Plan) { p.Risks = nil }, pdca.GatePlan, false},
		"no criterion":         {func(p *pdca.Plan) { p.Items[0].Criteria = nil }, pdca.GateCriteria, false},
		"a path is not there":  {func(p *pdca.Plan) { p.Files[0].Path = "basket.go" }, pdca.GatePaths, false},
		"a new path is there":  {func(p *pdca.Plan) { p.Files[1].Path = "old.go" }, pdca.GatePaths, false},
		"a path leaves":        {func(p *pdca.Plan) { p.Files[1].Path = "../x.go" }, pdca.GatePaths, false},
		"a path twice":         {func(p *pdca.Plan) { p.Files = append(p.Files, p.Files[0]) }, pdca.GatePaths, false},
		"a vague word":         {func(p *pdca.Plan) { p.Items[0].Text = "오류를 적절히 처리한다" }, pdca.GateWords, false},
		"a vague English word": {func(p *pdca.Plan) { p.Steps[0].Done = "caches where possible" }, pdca.GateWords, false},
		"an enumeration":       {func(p *pdca.Plan) { p.Risks[0] = "주문, 결제 등을 다시 본다" }, pdca.GateWords, true},
		"one edge case":        {func(p *pdca.Plan) { p.EdgeCases = p.EdgeCases[:1] }, pdca.GateEdgeCases, false},
	} {
		p := goodPlan()
		tt.spoil(&p)
		got := pdca.CheckPlan(p, pdca.Standard, exists)
		if len(got) != 1 || got[0].Gate != tt.gate || got[0].Warn != tt.warn || got[0].Text == "" {
			t.Errorf("%s: %+v, want one of %s", name, got, tt.gate)
		}
	}
}

// TestVague: what is quoted or code is not the author's, and words that contain a vague one are none.
func TestVague(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"필요 시 다시 한다": "필요 시", "필요시 다시 한다": "필요시", "가능하면 빠르게": "가능하면", "등록과 등급을 고친다": "", "1등을 보인다": "", "`가능하면`은 금지어다": "",
		`the word "appropriately" is refused`: "", "log, count, etc.": "etc.", "a fetch of etcd": "", "기타 오류": "기타", "사과, 배 등": "등",
	} {
		var got []string
		for _, w := range pdca.Vague(s) {
			got = append(got, w.Word)
		}
		if strings.Join(got, "|") != want {
			t.Errorf("Vague(%q) = %q, want %q", s, got, want)
		}
	}
}

func goodDesign() pdca.Design {
	return pdca.Design{
		Files: files("cart.go", "shop/x.go"), Interfaces: []pdca.Interface{{Path: "cart.go", Signature: "func Total(items []int) int"}},
		DataFlow: "Prices come from the cart and leave as a sum.", Tests: "TestTotal covers nil, one and many.", Risks: []string{"none is known"},
		Checklist: []pdca.Check{{ID: "D-01", Path: "cart.go", Symbol: "Total", Test: "TestTotal", Behaviour: "the sum, 0 for none"}},
	}
}

func TestCheckDesign(t *testing.T) {
	t.Parallel()
	exists := func(string) bool { return true }
	if got := pdca.CheckDesign(goodDesign(), pdca.Heavy, exists); len(got) > 0 {
		t.Fatalf("a good design: %v", got)
	}
	for name, spoil := range map[string]func(*pdca.Design){
		"no files":      func(d *pdca.Design) { d.Files = nil },
		"no interfaces": func(d *pdca.Design) { d.Interfaces = nil },
		"no signature":  func(d *pdca.Design) { d.Interfaces[0].Signature = " " },
		"no data flow":  func(d *pdca.Design) { d.DataFlow = "" },
		"no tests":      func(d *pdca.Design) { d.Tests = "tests" },
		"no risks":      func(d *pdca.Design) { d.Risks = nil },
		"no checklist":  func(d *pdca.Design) { d.Checklist = nil },
		"an id twice":   func(d *pdca.Design) { d.Checklist = append(d.Checklist, d.Checklist[0]) },
		"a path leaves": func(d *pdca.Design) { d.Checklist[0].Path = "../x" },
		"two owners": func(d *pdca.Design) {
			d.Parts = []pdca.Part{{"a", []string{"cart.go", "shop/"}}, {"b", []string{"shop/x.go"}}}
		},
		"no owner":        func(d *pdca.Design) { d.Parts = []pdca.Part{{"a", []string{"cart.go"}}, {"b", []string{"other/"}}} },
		"says nothing of": func(d *pdca.Design) { d.Checklist[0].Behaviour = "" },
	} {
		d := goodDesign()
		spoil(&d)
		if got := pdca.CheckDesign(d, pdca.Heavy, exists); len(got) != 1 || got[0].Gate != pdca.GateDesign {
			t.Errorf("%s: %+v, want one problem", name, got)
		}
	}
	d := goodDesign()
	d.Risks = nil
	if got := pdca.CheckDesign(d, pdca.Standard, exists); len(got) > 0 {
		t.Errorf("a standard design needs no risks: %v", got)
	}
}

// TestGap: the percentage is computed from the items; what nobody judged, or what is not there, does not match.
func TestGap(t *testing.T) {
	t.Parallel()
	var list []pdca.Check
	var found []pdca.Presence
	var judged []pdca.Judgement
	for i := range 10 {
		id := string(rune('a' + i))
		list = append(list, pdca.Check{ID: id})
		found = append(found, pdca.Presence{ID: id, Path: true, Symbol: true, Test: true})
		judged = append(judged, pdca.Judgement{ID: id, Matches: true})
	}
	for name, tt := range map[string]struct {
		found  []pdca.Presence
		judged []pdca.Judgement
		rate   int
	}{
		"all":         {found, judged, 100},
		"one unseen":  {found[1:], judged, 90},
		"one unsaid":  {found, judged[1:], 90},
		"two":         {found[1:], judged[:9], 80},
		"nobody says": {found, nil, 0},
	} {
		if g := pdca.MeasureGap(list, tt.found, tt.judged); g.Rate != tt.rate || g.Matched*10 != tt.rate || len(g.Items) != 10 {
			t.Errorf("%s: %d %%, want %d", name, g.Rate, tt.rate)
		}
	}
	if g := pdca.MeasureGap(list[:3], found[:2], judged); g.Rate != 66 {
		t.Errorf("2 of 3 are %d %%, want 66: rounded down", g.Rate)
	}
	if g := pdca.MeasureGap(nil, nil, nil); g.Rate != 0 {
		t.Errorf("an empty checklist is %d %%", g.Rate)
	}
}

// TestSign: what changes from run to run changes no signature, and what matters does.
func TestSign(t *testing.T) {
	t.Parallel()
	f := pdca.Failure{Goal: "test", Test: "auth_test.go::TestLogin", Class: "fail", Message: "/tmp/w1/auth_test.go:17: expected 200 got 401 after 1.2s"}
	same := f
	same.Message = "\x1b[31m/home/x/y/auth_test.go:99: expected 201 got 500 after 30ms\x1b[0m"
	if pdca.Sign(f) != pdca.Sign(same) {
		t.Errorf("%v and %v differ", pdca.Sign(f), pdca.Sign(same))
	}
	for _, change := range []func(*pdca.Failure){
		func(f *pdca.Failure) { f.Goal = "build" }, func(f *pdca.Failure) { f.Test = "other" }, func(f *pdca.Failure) { f.Class = "error" },
		func(f *pdca.Failure) { f.Message = "expected a token" },
	} {
		g := f
		change(&g)
		if pdca.Sign(g) == pdca.Sign(f) {
			t.Errorf("%+v has the signature of %+v", g, f)
		}
	}
}

func TestCycles(t *testing.T) {
	t.Parallel()
	c := pdca.Cycles{{"a", "a", "b"}, {"c"}, {"a"}}
	if n := c.Repeated(); n != 2 {
		t.Errorf("repeated %d, want a in 2 cycles", n)
	}
	if c.Stuck() || !(pdca.Cycles{{"a", "b"}, {"b", "a", "a"}}).Stuck() || (pdca.Cycles{{}, {}}).Stuck() {
		t.Error("stuck is two cycles in a row with the same failures")
	}
	if n := slices.Clone(c[:0]).Repeated(); n != 0 {
		t.Errorf("none repeats %d times", n)
	}
}

// TestDocuments: the documents have the headings that the gate of earlier tools looks for, and no text of an author makes
// another.
func TestDocuments(t *testing.T) {
	t.Parallel()
	p := goodPlan()
	p.Background = "# not a heading\nAn empty cart makes the total panic."
	p.Risks[0] = "one\n## not a heading"
	for korean, want := range map[bool][]string{
		true:  {"# cart 계획", "## 배경", "## 구현 범위", "## 영향 파일", "### 수정 대상", "### 신규 생성", "## 위험 요소", "### 엣지 케이스", "## 작업 순서"},
		false: {"# cart plan", "## Background", "## Scope", "## Affected files", "### To change", "### New", "## Risks", "### Edge cases", "## Steps"},
	} {
		doc := string(pdca.Document{Feature: "cart", Korean: korean}.Plan(p))
		var got []string
		for l := range strings.Lines(doc) {
			if strings.HasPrefix(l, "#") {
				got = append(got, strings.TrimSpace(l))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("headings %q, want %q", got, want)
		}
	}
	d := goodDesign()
	d.Checklist[0].Behaviour = "a | b"
	doc := string(pdca.Document{Feature: "cart"}.Design(d))
	for _, want := range []string{"## Interfaces\n\n- `cart.go`: `func Total(items []int) int`", "## Data flow", "## Test strategy", "| D-01 | cart.go | Total | TestTotal | a \\| b |"} {
		if !strings.Contains(doc, want) {
			t.Errorf("%q is not in\n%s", want, doc)
		}
	}
	gap := string(pdca.Document{Feature: "cart"}.Gap(pdca.MeasureGap(d.Checklist, []pdca.Presence{{ID: "D-01", Path: true, Symbol: true}}, nil)))
	for _, want := range []string{"Match rate: 0 % (0/1)", "Missing: test, behaviour", "- D-01: a | b (test, behaviour)"} {
		if !strings.Contains(gap, want) {
			t.Errorf("%q is not in\n%s", want, gap)
		}
	}
}

// TestWriteStatus: the file is a copy of what the journal knows, with the attempts that the engine has counted. What others wrote stays, what
// contradicts itself is mended and said, and a broken file is no end.
func TestWriteStatus(t *testing.T) {
	// A20 1 and 2: see TestEveryContradictionHasATest in internal/workflow/auto.
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	rate := 95
	f := pdca.FeatureState{Name: "cart", Phase: pdca.StatusDo, Started: now, Attempts: 2, Building: "in_progress", Remaining: []string{"x"}, Documents: map[string]string{"plan": "docs/01-plan/cart.plan.md"}}
	text, mended, broken := pdca.WriteStatus(nil, f, now)
	if len(mended) > 0 || broken {
		t.Errorf("a new file: %v", mended)
	}
	read := func(text []byte) map[string]any {
		t.Helper()
		var v map[string]any
		if err := json.Unmarshal(text, &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	v := read(text)
	mine := v["features"].(map[string]any)["cart"].(map[string]any)
	if v["version"] != "2.0" || v["primaryFeature"] != "cart" || mine["phase"] != "do" || mine["phaseNumber"] != 3.0 || mine["matchRate"] != nil || mine["implManagerIteration"] != 2.0 ||
		fmt.Sprint(v["activeFeatures"]) != "[cart]" || fmt.Sprint(v["completedFeatures"]) != "[]" || v["lastUpdated"] != "2026-01-02T03:04:05.000Z" {
		t.Errorf("the file is\n%s", text)
	}
	old := `{"version": "2.0", "activeFeatures": ["scripts", "old", "gone", "cart"], "completedFeatures": ["old"], "primaryFeature": "scripts", "pipeline": {"level": "Dynamic"},
	 "features": {"scripts": {"phase": "do", "timestamps": {"completedAt": "x"}}, "old": {"phase": "completed", "timestamps": {"completedAt": "x"}}, "bad": 3, "cart": {"phase": "do", "lastFile": "a.go"}}}`
	f.Phase, f.MatchRate = pdca.StatusCompleted, &rate
	text, mended, broken = pdca.WriteStatus([]byte(old), f, now)
	v = read(text)
	mine = v["features"].(map[string]any)["cart"].(map[string]any)
	if broken || fmt.Sprint(v["activeFeatures"]) != "[scripts]" || fmt.Sprint(v["completedFeatures"]) != "[old cart]" || v["primaryFeature"] != "cart" || v["pipeline"] == nil || mine["lastFile"] != "a.go" || mine["matchRate"] != 95.0 {
		t.Errorf("the file is\n%s", text)
	}
	want := []string{"the feature bad was not an object and is ignored", "the feature gone was listed, but does not exist", "the feature scripts is in phase do, but had a completion time"}
	if !slices.Equal(mended, want) {
		t.Errorf("mended %q, want %q", mended, want)
	}
	again, mended, _ := pdca.WriteStatus(text, f, now)
	if !bytes.Equal(again, text) || len(mended) > 0 {
		t.Errorf("written again it is\n%s\n%v", again, mended)
	}
	for _, bad := range []string{"{", "[]", "null", "\"x\"", "\x00"} {
		if text, _, broken := pdca.WriteStatus([]byte(bad), f, now); read(text)["primaryFeature"] != "cart" || !broken {
			t.Errorf("%q: broken %v\n%s", bad, broken, text)
		}
	}
}
