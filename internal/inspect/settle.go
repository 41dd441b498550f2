package inspect

import "strings"

// settle writes None where nothing is left of exports, scenarios or dependencies, and takes out headings below which
// nothing is left.
func (e *editor) settle() {
	var exports, behaviors, uses []int
	for _, x := range e.doc.Exports {
		exports = append(exports, x.Line)
	}
	for _, x := range e.doc.Behaviors {
		behaviors = append(behaviors, x.Line)
	}
	for _, x := range e.doc.Dependencies.Internal {
		uses = append(uses, x.Line)
	}
	for _, x := range e.doc.Dependencies.External {
		uses = append(uses, x.Line)
	}
	e.settled("Exports", exports)
	e.settled("Behavior", behaviors)
	e.settled("Dependencies", uses)
	for _, section := range []string{"Exports", "Behavior", "Contract", "Domain Context"} {
		e.bare(section)
	}
}

// bare takes out the headings of a section below which everything that was there is gone.
func (e *editor) bare(section string) {
	from, to, ok := e.section(section)
	for i := from; ok && i < to; i++ {
		if level, _ := e.heading(i); level < 3 || e.gone[i] || len(e.after[i])+len(e.stead[i]) > 0 {
			continue
		}
		end, was, left := min(e.item(i), to), false, false
		for k := i + 1; k < end; k++ {
			full := strings.TrimSpace(e.lines[k]) != ""
			was = was || full
			left = left || full && !e.gone[k] || len(e.after[k])+len(e.stead[k]) > 0
		}
		if was && !left {
			e.gone[i] = true
			for k := i + 1; k < end; k++ { // the blank lines that stood around it
				e.gone[k] = true
			}
		}
	}
}

func (e *editor) settled(section string, lines []int) {
	from, to, ok := e.section(section)
	if !ok || len(lines) == 0 {
		return
	}
	for _, l := range lines {
		if k := l - 1; k < from || k >= to || !e.gone[k] {
			return
		}
	}
	for k := from - 1; k < to; k++ {
		if len(e.after[k])+len(e.stead[k]) > 0 {
			return
		}
	}
	for k := from; k < to; k++ { // headings and labels of what is not there any more
		level, _ := e.heading(k)
		if level == 3 || section == "Dependencies" && strings.HasSuffix(strings.TrimSpace(e.lines[k]), ":") {
			e.gone[k] = true
		}
	}
	first := lines[0] - 1
	e.after[first] = append(e.after[first], "None")
}
