package report_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

// TestPictures looks at the page of a run in a browser, on a telephone, a tablet and a desktop, light and dark, and compares what is seen with
// pictures that a person has looked at. What differs by a hair, as other versions of a font do, is the same. -update makes them anew.
func TestPictures(t *testing.T) {
	t.Parallel()
	browser, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("JACQUARD_TEST_COMPLETE") != "" {
			t.Fatal("chromium is needed: apt-get install chromium fonts-dejavu-core")
		}
		t.Skip("chromium is not here, so no page was looked at")
	}
	page, err := pictured(t).HTML()
	if err != nil {
		t.Fatal(err)
	}
	page = strings.NewReplacer("system-ui, sans-serif", "DejaVu Sans", "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace", "DejaVu Sans Mono").Replace(page) // the same on each machine
	for name, c := range map[string]struct {
		width, height int
		dark, open    bool
	}{"phone": {390, 1800, false, false}, "open": {390, 3000, false, true}, "tablet": {768, 1250, false, false}, "dark": {768, 2000, true, true}, "desktop": {1440, 1900, false, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shown := page
			if c.open {
				shown = strings.ReplaceAll(page, "<details", "<details open")
			}
			got := seen(t, browser, shown, c.width, c.height, c.dark)
			golden := filepath.Join("testdata", "page", name+".png")
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil { //nolint:gosec // a picture of the repository
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if n := unlike(t, got, want); n > 0.01 {
				kept := filepath.Join(os.TempDir(), "jacquard-page-"+name+".png")
				_ = os.WriteFile(kept, got, 0o600)
				t.Errorf("%.1f %% of the page looks otherwise than in %s: look at %s, then go test ./internal/report -update", 100*n, golden, kept)
			}
		})
	}
}

// seen is a picture of a page. It is shown in a frame: a window of the browser is at least 500 wide.
func seen(t *testing.T, browser, page string, width, height int, dark bool) []byte {
	t.Helper()
	dir := t.TempDir()
	frame := filepath.Join(dir, "frame.html")
	for file, html := range map[string]string{
		filepath.Join(dir, "page.html"): page,
		frame:                           fmt.Sprintf("<body style='margin:0'><iframe src='page.html' style='border:0;width:%dpx;height:%dpx'></iframe>", width, height),
	} {
		if err := os.WriteFile(file, []byte(html), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{
		"--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--force-device-scale-factor=1", "--allow-file-access-from-files",
		"--user-data-dir=" + dir, "--screenshot=" + filepath.Join(dir, "seen.png"), fmt.Sprintf("--window-size=%d,%d", max(width, 500), height),
	}
	if dark {
		args = append(args, "--blink-settings=preferredColorScheme=0")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if out, err := exec.CommandContext(ctx, browser, append(args, "file://"+frame)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	img := decoded(t, read(t, filepath.Join(dir, "seen.png")))
	cut := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			cut.Set(x, y, img.At(x, y))
		}
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, cut); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func decoded(t *testing.T, raw []byte) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// unlike is the share of two pictures that differs: of squares of 16 points, whose mean colors are further apart than an eye forgives.
func unlike(t *testing.T, a, b []byte) float64 {
	t.Helper()
	const side, hair = 16, 12 // of 255
	one, other := decoded(t, a), decoded(t, b)
	if one.Bounds() != other.Bounds() {
		t.Fatalf("the pictures are %v and %v", one.Bounds().Max, other.Bounds().Max)
	}
	all, differ := 0, 0
	for y := 0; y < one.Bounds().Dy(); y += side {
		for x := 0; x < one.Bounds().Dx(); x += side {
			all++
			p, q := mean(one, x, y, side), mean(other, x, y, side)
			for i := range p {
				if d := p[i] - q[i]; d > hair || d < -hair {
					differ++
					break
				}
			}
		}
	}
	return float64(differ) / float64(all)
}

func mean(img image.Image, x0, y0, side int) (sum [3]int) {
	n := 0
	for y := y0; y < min(y0+side, img.Bounds().Dy()); y++ {
		for x := x0; x < min(x0+side, img.Bounds().Dx()); x++ {
			c := color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)
			sum[0], sum[1], sum[2], n = sum[0]+int(c.R), sum[1]+int(c.G), sum[2]+int(c.B), n+1
		}
	}
	for i := range sum {
		sum[i] /= n
	}
	return sum
}

// pictured is the page of a run with all that a page can show: a task that passed at the second attempt, one that waits, a question and its
// answer, commands with and without the change, a diff, an account.
func pictured(t *testing.T) report.Page {
	t.Helper()
	at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	r := report.New(flow.Run{ID: "pinm3ty5", Def: "work", State: flow.Done, Started: at, Ended: at.Add(3 * time.Minute), In: raw(t, step.WorkIn{Budget: step.Budget{USD: 20}})})
	one, two := "task/TASK-00", "task/TASK-01"
	events := []flow.Event{
		{Type: flow.EventNote, Key: "planned", Data: raw(t, step.WorkNote{Work: "WORK-01", Requirement: step.Requirement{Title: "A discount for the cart"}, Tasks: []step.TaskLine{
			{ID: "TASK-00", Title: "Discount takes a part off the total"}, {ID: "TASK-01", Title: "The bill names the discount", Needs: []string{"TASK-00"}},
		}})},
		{Type: flow.EventGate, Key: "plan/gate", Data: raw(t, flow.Question{Text: "WORK-01: A discount for the cart\n  FR-01  Discount(1000, 10) is 900\n  FR-02  50 percent is the most"})},
		{Type: flow.EventAnswer, Key: "plan/gate", Data: raw(t, flow.Answer{Verb: flow.Approve, Text: "yes", By: "Kim"})},
		{Type: flow.EventNote, Key: one + ":build/1/judged", Branch: one, Data: raw(t, step.AttemptNote{
			Phase: "build", Attempt: 1, Summary: "Discount rounds to the nearest cent.", Counts: step.Counts{Total: 5, Passed: 4, Failed: 1},
			Findings: []step.Finding{{Rule: "mutant-survived", Severity: step.Fix, Path: "cart/discount.go", Line: 14, Message: "`percent > 50`: no test fails with `percent >= 50`."}},
			Failures: []step.TestResult{{ID: "cart/discount_test.go::TestDiscountRoundsDown", Status: step.Fail, Message: "Discount(999, 10) = 900, want 899"}},
		})},
		{Type: flow.EventNote, Key: one + ":build/2/judged", Branch: one, Data: raw(t, step.AttemptNote{Phase: "build", Attempt: 2, Passed: true, Summary: "It rounds down.", Counts: step.Counts{Total: 6, Passed: 6}})},
		{Type: flow.EventNote, Key: one + ":result", Branch: one, Data: raw(t, step.TaskResult{ID: "TASK-00", Title: "Discount takes a part off the total", Status: step.Success, Attempts: 2, Commit: "aab3a98c0ffee", Files: []step.Change{{Path: "cart/discount.go"}, {Path: "cart/discount_test.go"}}, Tests: step.Counts{Total: 6, Passed: 6}})},
		{Type: flow.EventNote, Key: two + ":build/1/judged", Branch: two, Data: raw(t, step.AttemptNote{
			Phase: "build", Attempt: 1, Counts: step.Counts{Total: 7, Passed: 7},
			Findings: []step.Finding{{Rule: "unnoticed-change", Severity: step.Warn, Path: "cart/bill.go", Line: 8, Message: "No test fails when Bill returns another string."}},
		})},
		{Type: flow.EventNote, Key: two + ":result", Branch: two, Data: raw(t, step.TaskResult{ID: "TASK-01", Title: "The bill names the discount", Status: step.Warning, Reason: "attempts", Attempts: 1})},
	}
	for i := range events {
		events[i].Seq, events[i].At = int64(i+1), at.Add(time.Duration(i+1)*20*time.Second)
		r.Apply(events[i])
	}
	span := func(key, branch string, from, to int) flow.StepRow {
		return flow.StepRow{Key: branch + ":" + key, Branch: branch, Started: at.Add(time.Duration(from) * time.Second).UnixMilli(), Ended: at.Add(time.Duration(to) * time.Second).UnixMilli()}
	}
	p := report.NewPage(report.English, r, events, []flow.StepRow{
		span("build/1/try/1/turn", one, 20, 60), span("build/1/prove", one, 60, 80), span("build/2/try/1/turn", one, 80, 100), span("build/2/prove", one, 100, 118), span("land", one, 118, 120),
		span("build/1/try/1/turn", two, 121, 150), span("build/1/prove", two, 150, 175),
	}, map[string][]step.Record{"TASK-00": {
		{Argv: []string{"go", "build", "./..."}, Shows: step.OnTask, Exit: 0, Millis: 800, Tree: "4b825dc642cb6eb9a060e54bf8d69288fbee4904"},
		{Argv: []string{"go", "test", "-run", "^TestDiscount", "./cart"}, Shows: step.OnWithout, Exit: 1, Millis: 1500, Tree: "a94a8fe5ccb19ba61c4c0873d391e987982fbbd3"},
		{Argv: []string{"go", "test", "./..."}, Shows: step.OnTask, Exit: 0, Millis: 2100, Tree: "4b825dc642cb6eb9a060e54bf8d69288fbee4904", Sandbox: "partial"},
	}}, at.Add(3*time.Minute))
	p.Title, p.Summary = "A discount for the cart", "WORK-01: 1 of 2 tasks done\nproved: 3 tests fail without it\nundo: jacquard undo pinm3ty5"
	p.Changed("diff --git a/cart/discount.go b/cart/discount.go\n--- a/cart/discount.go\n+++ b/cart/discount.go\n@@ -1,2 +1,4 @@ package cart\n package cart\n-// nothing yet\n+// Discount takes percent off a price, rounded down.\n+func Discount(cents, percent int) int { return cents - cents*percent/100 }\n")
	p.Account([][]string{{"module", "role", "turns", "tokens", "USD"}, {"", "specify", "1", "12k", "0.0420"}, {"TASK-00", "build", "2", "96k", "0.3100"}, {"TASK-01", "build", "1", "41k", "0.1300"}}, []float64{0.042, 0.31, 0.13}, "149k tokens, $0.48")
	p.Say(at, at.Add(time.Minute), "TASK-00 BUILD 1: rejected, tests 4 passed, 1 failed")
	return p
}
