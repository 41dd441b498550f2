package works

import (
	"cmp"
	"strings"
)

// writer puts a document together. Every text goes through one of its forms.
type writer struct{ b strings.Builder }

func (w *writer) bytes() []byte { return []byte(w.b.String()) }

// line writes lines that are structure or were made safe.
func (w *writer) line(s string) { w.b.WriteString(strings.TrimRight(s, " ") + "\n") }

// title writes the first line; a text in it must be inline.
func (w *writer) title(s string) { w.line("# " + s) }

// named is a title behind its id, which a damaged file may have lost.
func named(id, title string) string {
	if id = inline(id); id == "" {
		return inline(title)
	}
	return id + ": " + inline(title)
}

// section starts a section of level 2 under its title in a language.
func (w *writer) section(language, title string) {
	w.b.WriteByte('\n')
	w.line("## " + heading(language, title))
}

// meta writes a line of metadata.
func (w *writer) meta(key, value string) { w.line("> " + key + ": " + inline(value)) }

// text writes a block, None if there is none.
func (w *writer) text(s string) {
	w.line(escape(cmp.Or(block(s), "None")))
}

// field writes "- **Key**: text" with the other lines of the text under it.
func (w *writer) field(key, s string) {
	s = cmp.Or(block(s), "None")
	first, rest, _ := strings.Cut(s, "\n")
	if strings.HasPrefix(first, "```") || strings.HasPrefix(first, "~~~") { // a fence needs a line of its own
		first, rest = "", s
	}
	w.line("- **" + key + "**: " + first)
	if rest == "" {
		return
	}
	for l := range strings.SplitSeq(escape(rest), "\n") {
		w.line(strings.TrimRight("  "+l, " "))
	}
}

func (w *writer) items(list []Item, prefix string) {
	list = renumber(list, prefix)
	for _, x := range list {
		w.line("- " + x.ID + ": " + x.Text)
	}
	w.none(len(list) == 0)
}

// none says that a section has nothing.
func (w *writer) none(nothing bool) {
	if nothing {
		w.line("None")
	}
}

func (w *writer) criteria(list []Criterion) {
	some := false
	for _, c := range list {
		text := inline(c.Text)
		if text == "" {
			continue
		}
		box := "[ ]"
		if c.Done {
			box = "[x]"
		}
		some = true
		w.line("- " + box + " " + text)
	}
	w.none(!some)
}

// rule is the line under the header of a table.
func rule(widths ...int) string {
	var b strings.Builder
	for _, n := range widths {
		b.WriteString("|" + strings.Repeat("-", n))
	}
	return b.String() + "|"
}
