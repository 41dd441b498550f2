package flow

import "slices"

// Limits bound what runs at once. A lane that is not listed or has 0, and
// 0 branches, are unlimited.
type Limits struct {
	Lanes    map[string]int
	Branches int // outermost branches that have started and not ended
}

// Queue is admission: it holds the wants that may not start yet and says
// which may. It is plain data without a clock, the same for every runtime.
// Work of open branches comes before new branches, and a branch that only
// waits is not open, so the limit on branches cannot deadlock.
type Queue struct {
	limits  Limits
	running map[string]int
	active  int // all that runs
	backlog int // all that has not been taken
	open    map[string]bool
	lanes   []string
	ready   map[string][]Want // by lane: of no branch, or of an open one
	fresh   []string          // branches that are not open, in order of asking
	waiting map[string][]Want // their wants
}

// NewQueue makes an empty queue. open are the branches that started before
// (State.OpenBranches), so that the limit on them holds across a crash.
func NewQueue(l Limits, open ...string) *Queue {
	q := &Queue{
		limits: l, running: map[string]int{}, open: map[string]bool{},
		ready: map[string][]Want{}, waiting: map[string][]Want{},
	}
	for _, b := range open {
		q.open[b] = true
	}
	return q
}

// Add puts wants into the backlog.
func (q *Queue) Add(ws ...Want) {
	for _, w := range ws {
		q.backlog++
		if w.Branch == "" || q.open[w.Branch] || q.limits.Branches == 0 || w.Kind != KindStep {
			q.push(w)
			continue
		}
		if len(q.waiting[w.Branch]) == 0 {
			q.fresh = append(q.fresh, w.Branch)
		}
		q.waiting[w.Branch] = append(q.waiting[w.Branch], w)
	}
}

func (q *Queue) push(w Want) {
	if i, found := slices.BinarySearch(q.lanes, w.Lane); !found {
		q.lanes = slices.Insert(q.lanes, i, w.Lane)
	}
	q.ready[w.Lane] = append(q.ready[w.Lane], w)
}

// Next takes out what may start now and counts it as running.
func (q *Queue) Next() []Want {
	var out []Want
	for {
		out = q.take(out)
		if len(q.fresh) == 0 || !q.roomFor(q.waiting[q.fresh[0]][0]) {
			return out
		}
		// With nothing at work a new branch is let in over the limit: the open
		// ones can only be waiting for it.
		if len(q.open) >= q.limits.Branches && q.active > 0 {
			return out
		}
		b := q.fresh[0]
		q.fresh = q.fresh[1:]
		q.open[b] = true
		ws := q.waiting[b]
		delete(q.waiting, b)
		for _, w := range ws {
			q.push(w)
		}
	}
}

func (q *Queue) roomFor(w Want) bool {
	limit := q.limits.Lanes[w.Lane]
	return limit <= 0 || q.running[w.Lane] < limit
}

func (q *Queue) take(out []Want) []Want {
	for _, lane := range q.lanes {
		ws := q.ready[lane]
		n := 0
		for n < len(ws) && (ws[n].Kind != KindStep || q.roomFor(ws[n])) {
			if ws[n].Kind == KindStep {
				q.running[lane]++
				q.active++
			}
			n++
		}
		out = append(out, ws[:n]...)
		q.backlog -= n
		q.ready[lane] = ws[n:]
	}
	return out
}

// Done says that a want taken by Next has ended.
func (q *Queue) Done(w Want) {
	if w.Kind == KindStep {
		q.running[w.Lane]--
		q.active--
	}
}

// Ended says that an outermost branch has ended.
func (q *Queue) Ended(branch string) { delete(q.open, branch) }

// Drop removes everything that was not started before: the run was cancelled. What was started must still be brought to its end.
func (q *Queue) Drop() {
	gone := func(w Want) bool { return !w.Started }
	q.backlog = 0
	for lane, ws := range q.ready {
		q.ready[lane] = slices.DeleteFunc(slices.Clone(ws), gone)
		q.backlog += len(q.ready[lane])
	}
	var fresh []string
	for _, b := range q.fresh {
		if ws := slices.DeleteFunc(q.waiting[b], gone); len(ws) > 0 {
			fresh, q.waiting[b] = append(fresh, b), ws
			q.backlog += len(ws)
			continue
		}
		delete(q.waiting, b)
	}
	q.fresh = fresh
}

// Len is the number of wants that have not been taken.
func (q *Queue) Len() int { return q.backlog }

// Resume counts a want as running that another queue has taken: a queue that
// is made anew while work goes on begins with it.
func (q *Queue) Resume(w Want) {
	if w.Kind == KindStep {
		q.running[w.Lane]++
		q.active++
	}
}
