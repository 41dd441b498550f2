package report

import (
	_ "embed" // the page
	"fmt"
	"html/template"
	"io"
	"time"
)

//go:embed page.html
var pageText string

// Page is a run as a page for browsers: what came of it, when what happened, and what each role has cost. It needs nothing
// from anywhere else, and all texts in it are data.
type Page struct {
	Lang     Lang
	Title    string
	Facts    []PageFact
	Summary  string
	Timeline []PageEvent
	Costs    [][]string // the first row is the head
	Total    string
	Heads    PageHeads
}

// PageHeads are the titles of the parts, in the language of the page.
type PageHeads struct{ Result, Timeline, Cost string }

// PageFact is one line of the head of a page.
type PageFact struct{ Name, Value string }

// PageEvent is what happened at a time.
type PageEvent struct {
	At   time.Time
	Text string
}

// Write writes the page.
func (p Page) Write(w io.Writer) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"clock": func(at time.Time) string { return at.Local().Format(time.DateTime) },
		"since": func(at time.Time) string {
			d := at.Sub(p.Timeline[0].At).Round(time.Second)
			return fmt.Sprintf("+%d:%02d:%02d", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60)
		},
	}).Parse(pageText)
	if err != nil {
		return fmt.Errorf("read the page: %w", err)
	}
	return t.Execute(w, p)
}
