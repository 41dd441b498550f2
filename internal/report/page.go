package report

import (
	_ "embed" // the style of the page
	"fmt"
	"html"
	"strings"
	"time"
)

//go:embed page.css
var pageStyle string

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

// HTML is the page. It is put together by hand: a template costs the program five megabytes, because what it calls by name
// the linker has to keep.
func (p Page) HTML() string {
	var b strings.Builder
	// put writes a pattern whose texts are escaped, whatever stands in them.
	put := func(pattern string, texts ...string) {
		safe := make([]any, len(texts))
		for i, s := range texts {
			safe[i] = html.EscapeString(strings.ToValidUTF8(s, "�"))
		}
		fmt.Fprintf(&b, pattern, safe...)
	}
	lang := "en"
	if p.Lang == "ko" {
		lang = "ko"
	}
	put("<!doctype html>\n<html lang=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n", lang)
	put("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<title>%s</title>\n<style>\n", p.Title)
	b.WriteString(pageStyle)
	put("</style>\n</head>\n<body>\n<h1>%s</h1>\n<dl>", p.Title)
	for _, f := range p.Facts {
		put("<dt>%s</dt><dd>%s</dd>", f.Name, f.Value)
	}
	b.WriteString("</dl>\n")
	if p.Summary != "" {
		put("<h2>%s</h2>\n<pre class=\"summary\">%s</pre>\n", p.Heads.Result, p.Summary)
	}
	put("<h2>%s</h2>\n<table>\n", p.Heads.Timeline)
	for _, e := range p.Timeline {
		d := e.At.Sub(p.Timeline[0].At).Round(time.Second)
		since := fmt.Sprintf("+%d:%02d:%02d", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60)
		put("<tr><td class=\"time\" title=\"%s\">%s</td><td><pre>%s</pre></td></tr>\n", e.At.Local().Format(time.DateTime), since, e.Text)
	}
	put("</table>\n<h2>%s</h2>\n<table>\n", p.Heads.Cost)
	for i, row := range p.Costs {
		cell := "<td>%s</td>"
		if i == 0 {
			cell = "<th>%s</th>"
		}
		b.WriteString("<tr>")
		for _, c := range row {
			put(cell, c)
		}
		b.WriteString("</tr>\n")
	}
	put("</table>\n<p>%s</p>\n</body>\n</html>\n", p.Total)
	return b.String()
}
