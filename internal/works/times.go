package works

import (
	"strings"
	"time"
)

// timeLayouts are the forms of times in real files.
var timeLayouts = []string{
	time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04", "2006-01-02 15:04", dateLayout,
}

// readTime reads a time in any form that real files have.
func readTime(s string) (time.Time, bool) {
	s = strings.TrimSuffix(strings.Trim(s, " `*"), " UTC")
	for _, l := range timeLayouts {
		if t, err := time.Parse(l, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// time reads a time that may be left out and reports one that cannot be read or lacks a part that
// the format wants.
func (p *page) time(f field, layout string) time.Time {
	if isNone(f.value) || strings.Trim(strings.ToLower(f.value), "() ") == "not started" {
		return time.Time{}
	}
	t, ok := readTime(f.value)
	if !ok {
		p.warn(f.no, "the time '"+f.value+"' cannot be read", "write it as "+form(layout))
	} else if layout != dateLayout && len(strings.TrimSpace(f.value)) <= len(dateLayout) {
		p.warn(f.no, "'"+f.value+"' has a date, but no time", "write it as "+form(layout))
	}
	return t
}

// when is a time in a layout, "" for one that is not known.
func when(t time.Time, layout string) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(layout)
}

// form is a layout as people write it.
func form(layout string) string {
	return strings.NewReplacer("2006", "YYYY", "01", "MM", "02", "DD", "15", "HH", "04", "MM", "05", "SS", "Z07:00", "+HH:MM").Replace(layout)
}
