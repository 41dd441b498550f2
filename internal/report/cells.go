package report

import (
	"fmt"
	"strings"

	"golang.org/x/text/width"
)

// Width is the number of terminal cells of a text; East Asian wide characters take two.
func Width(s string) int {
	n := 0
	for _, r := range s {
		switch width.LookupRune(r).Kind() {
		case width.EastAsianWide, width.EastAsianFullwidth:
			n += 2
		default:
			n++
		}
	}
	return n
}

// Cut shortens a text to a number of cells and shows that it did.
func Cut(s string, cells int) string {
	if Width(s) <= cells {
		return s
	}
	n := 0
	for i, r := range s {
		w := Width(string(r))
		if n+w > cells-1 {
			return s[:i] + "…"
		}
		n += w
	}
	return s
}

// Table sets rows of equal length in columns, two cells apart. The last
// numbers columns are set to the right, the others to the left.
func Table(rows [][]string, numbers int) string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], Width(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			if i > 0 {
				line.WriteString("  ")
			}
			pad := strings.Repeat(" ", widths[i]-Width(cell))
			if i >= len(row)-numbers {
				line.WriteString(pad + cell)
			} else {
				line.WriteString(cell + pad)
			}
		}
		fmt.Fprintln(&b, strings.TrimRight(line.String(), " "))
	}
	return b.String()
}
