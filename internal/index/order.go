package index

import (
	"cmp"
	"container/heap"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/spec"
)

// order finds cycles of declared dependencies and refuses their members, then adds the relations
// that only prefer an order: those of them that lie on a cycle are dropped, all others hold.
func (x *Index) order() []spec.Problem {
	n := len(x.mods)
	hard := make([][]int, n)
	for i := range x.mods {
		for _, need := range x.needs[i] {
			if !need.Soft {
				hard[i] = append(hard[i], x.ids[key(need.Dir)])
			}
		}
	}
	ps := x.refuse(hard)
	x.after = make([][]int, n)
	all := make([][]int, n)
	for i := range x.mods {
		for _, j := range hard[i] {
			if x.refused[i] == "" || x.refused[j] == "" {
				x.after[i] = append(x.after[i], j)
			}
		}
		all[i] = slices.Clone(x.after[i])
	}
	soft := x.preferences()
	for i := range soft {
		all[i] = append(all[i], soft[i]...)
	}
	group := components(all)
	for i := range soft {
		for _, j := range soft[i] {
			if group[i] != group[j] && !slices.Contains(x.after[i], j) {
				x.after[i] = append(x.after[i], j)
			}
		}
	}
	return ps
}

// preferences lists, for each module, its child modules and what its cross references name.
func (x *Index) preferences() [][]int {
	soft := make([][]int, len(x.mods))
	for i := range x.mods {
		if parent, ok := x.parent(x.mods[i].Dir); ok {
			soft[parent] = append(soft[parent], i)
		}
		for _, need := range x.needs[i] {
			if need.Soft {
				soft[i] = append(soft[i], x.ids[key(need.Dir)])
			}
		}
	}
	return soft
}

// parent is the nearest module above a directory.
func (x *Index) parent(dir string) (int, bool) {
	for dir != "." && dir != "/" {
		dir = path.Dir(dir)
		if i, ok := x.ids[key(dir)]; ok {
			return i, true
		}
	}
	return 0, false
}

// refuse marks the members of cycles.
func (x *Index) refuse(edges [][]int) []spec.Problem {
	x.refused = map[int]string{}
	group := components(edges)
	size := map[int]int{}
	for _, g := range group {
		size[g]++
	}
	var ps []spec.Problem
	named := map[int]bool{}
	for i := range x.mods {
		if size[group[i]] < 2 {
			continue
		}
		cycle := x.cycle(i, edges, group)
		if !named[group[i]] {
			named[group[i]] = true
			x.cycles = append(x.cycles, cycle)
		}
		x.refused[i] = strings.Join(cycle, " → ")
		line := 0
		for _, need := range x.needs[i] {
			if need.Dir == cycle[1] {
				line = need.Line
			}
		}
		ps = append(ps, spec.Problem{
			Path: x.mods[i].Path, Line: line, Col: 1, Severity: spec.Error,
			Text: "dependency cycle: " + x.refused[i], Hint: "remove one of these dependencies",
		})
	}
	return ps
}

// cycle is a shortest way from module i back to itself.
func (x *Index) cycle(i int, edges [][]int, group []int) []string {
	from := map[int]int{}
	queue := []int{i}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, to := range edges[at] {
			if group[to] != group[i] {
				continue
			}
			if to == i {
				dirs := []string{x.mods[i].Dir}
				for ; at != i; at = from[at] {
					dirs = append(dirs, x.mods[at].Dir)
				}
				dirs = append(dirs, x.mods[i].Dir)
				slices.Reverse(dirs)
				return dirs
			}
			if _, seen := from[to]; !seen {
				from[to] = at
				queue = append(queue, to)
			}
		}
	}
	return []string{x.mods[i].Dir, x.mods[i].Dir}
}

// components numbers the strongly connected components of a graph (Tarjan).
func components(edges [][]int) []int {
	n := len(edges)
	group, low, num := make([]int, n), make([]int, n), make([]int, n)
	on := make([]bool, n)
	var stack []int
	next, count := 0, 0
	var visit func(v int)
	visit = func(v int) {
		next++
		low[v], num[v], on[v] = next, next, true
		stack = append(stack, v)
		for _, w := range edges[v] {
			if num[w] == 0 {
				visit(w)
				low[v] = min(low[v], low[w])
			} else if on[w] {
				low[v] = min(low[v], num[w])
			}
		}
		if low[v] != num[v] {
			return
		}
		for {
			w := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			on[w], group[w] = false, count
			if w == v {
				break
			}
		}
		count++
	}
	for v := range n {
		if num[v] == 0 {
			visit(v)
		}
	}
	return group
}

// Cycles lists one cycle of each knot of declared dependencies, as `a, b, a`.
func (x *Index) Cycles() [][]string { return x.cycles }

// Refused returns a cycle through the module, as "a → b → a", or "" when it lies on none.
func (x *Index) Refused(dir string) string {
	if i, ok := x.ids[key(dir)]; ok {
		return x.refused[i]
	}
	return ""
}

// After lists the modules that must be finished before a module starts, sorted: its dependencies,
// and where that closes no cycle its child modules and what its cross references name.
func (x *Index) After(dir string) []string {
	i, ok := x.ids[key(dir)]
	if !ok {
		return nil
	}
	return x.dirsOf(x.after[i])
}

// Order sorts the directories so that each comes behind all that it must follow, also through
// modules that are not in the list; ties are broken by depth, deepest first, and by name. Members
// of cycles and directories that are no modules are left out.
func (x *Index) Order(dirs []string) []string {
	wanted := make(map[int]bool, len(dirs))
	for _, d := range dirs {
		if i, ok := x.ids[key(d)]; ok && x.refused[i] == "" {
			wanted[i] = true
		}
	}
	waits := make([]int, len(x.mods))
	next := make([][]int, len(x.mods))
	ready := &byDepth{x: x}
	for i := range x.mods {
		if x.refused[i] != "" {
			continue
		}
		for _, j := range x.after[i] {
			if x.refused[j] == "" {
				waits[i]++
				next[j] = append(next[j], i)
			}
		}
		if waits[i] == 0 {
			ready.ids = append(ready.ids, i)
		}
	}
	heap.Init(ready)
	out := make([]string, 0, len(wanted))
	for len(ready.ids) > 0 {
		i, _ := heap.Pop(ready).(int)
		if wanted[i] {
			out = append(out, x.mods[i].Dir)
		}
		for _, j := range next[i] {
			if waits[j]--; waits[j] == 0 {
				heap.Push(ready, j)
			}
		}
	}
	return out
}

// byDepth is a heap of modules, the deepest and then the first by name on top.
type byDepth struct {
	x   *Index
	ids []int
}

func (h *byDepth) Len() int { return len(h.ids) }

func (h *byDepth) Less(a, b int) bool {
	da, db := h.x.mods[h.ids[a]].Dir, h.x.mods[h.ids[b]].Dir
	return cmp.Or(cmp.Compare(Depth(db), Depth(da)), cmp.Compare(da, db)) < 0
}

func (h *byDepth) Swap(a, b int) { h.ids[a], h.ids[b] = h.ids[b], h.ids[a] }

// Push adds a module; for container/heap.
func (h *byDepth) Push(v any) {
	if i, ok := v.(int); ok {
		h.ids = append(h.ids, i)
	}
}

// Pop removes the last module; for container/heap.
func (h *byDepth) Pop() any {
	last := h.ids[len(h.ids)-1]
	h.ids = h.ids[:len(h.ids)-1]
	return last
}

// Depth is the number of path elements of a directory; the root has none.
func Depth(dir string) int {
	if dir == "." {
		return 0
	}
	return strings.Count(dir, "/") + 1
}
