package works

import (
	"slices"
	"strings"
)

// depths orders tasks: each is one deeper than the deepest it depends on. Tasks in or behind a
// circle, and those behind a task that is not there, have none.
func depths(tasks []Step) map[string]int {
	byID := map[string]Step{}
	for _, t := range slices.Backward(tasks) {
		byID[t.ID] = t
	}
	depth, seen := map[string]int{}, map[string]bool{}
	var visit func(id string) bool
	visit = func(id string) bool {
		if t, ok := byID[id]; ok && !seen[id] {
			seen[id] = true
			d := 0
			for _, dep := range t.DependsOn {
				ok = visit(dep) && ok
				d = max(d, depth[dep]+1)
			}
			if ok {
				depth[id] = d
			}
		}
		_, ok := depth[id]
		return ok
	}
	for _, t := range tasks {
		visit(t.ID)
	}
	return depth
}

// unordered are the tasks that cannot be brought into an order.
func unordered(tasks []Step) []string {
	depth := depths(tasks)
	var out []string
	for _, t := range tasks {
		if _, ok := depth[t.ID]; !ok && !slices.Contains(out, t.ID) {
			out = append(out, t.ID)
		}
	}
	return out
}

// drawing is the dependency graph in ASCII. Each task stands once, under the deepest task that it
// depends on; the others are named beside it. So the drawing is as long as the plan, whatever the
// graph looks like.
func drawing(tasks []Step) string {
	if len(tasks) == 0 {
		return "(no tasks)"
	}
	depth := depths(tasks)
	below := map[string][]Step{}
	for _, t := range tasks {
		parent := ""
		if _, ok := depth[t.ID]; ok {
			for _, dep := range t.DependsOn {
				if parent == "" || depth[dep] >= depth[parent] {
					parent = dep
				}
			}
		}
		below[parent] = append(below[parent], t)
	}
	var b strings.Builder
	var draw func(parent, margin string)
	draw = func(parent, margin string) {
		kids := below[parent]
		delete(below, parent) // an id that is there twice is drawn once
		for i, t := range kids {
			joint, next := "+-- ", "|   "
			switch {
			case parent == "":
				joint, next = "", ""
			case i == len(kids)-1:
				next = "    "
			}
			b.WriteString(margin + joint + inline(t.ID))
			if others := slices.DeleteFunc(slices.Clone(t.DependsOn), func(d string) bool { return d == parent }); len(others) > 0 {
				b.WriteString("  (after " + inline(strings.Join(others, ", ")) + ")")
			}
			b.WriteByte('\n')
			draw(t.ID, margin+next)
		}
	}
	draw("", "")
	return strings.TrimSuffix(b.String(), "\n")
}
