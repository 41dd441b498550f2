package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/report"
)

// TestPage: what stands in a run is text on its page, wherever it stands.
func TestPage(t *testing.T) {
	t.Parallel()
	evil := `"><script>alert(1)</script><b onmouseover='x'>%s%d`
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	page := report.Page{
		Lang: "ko", Title: evil, Facts: []report.PageFact{{Name: evil, Value: evil}}, Summary: evil, Timeline: []report.PageEvent{{At: at, Text: "begin"}, {At: at.Add(3725 * time.Second), Text: evil}},
		Costs: [][]string{{evil}, {evil}}, Total: evil, Heads: report.PageHeads{Result: evil, Timeline: evil, Cost: evil},
	}.HTML()
	for _, bad := range []string{"<script", "<b ", "%!", "onmouseover='"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q:\n%s", bad, page)
		}
	}
	for _, want := range []string{`<html lang="ko">`, "+1:02:05", "&lt;script&gt;", "%s%d"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
}
