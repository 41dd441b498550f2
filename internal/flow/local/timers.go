package local

import (
	"container/heap"
	"time"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// timers holds the wants that have a time, the next one first. A removed one
// stays in the heap until it comes up.
type timers struct {
	wants map[string]flow.Want
	order timerHeap
}

type timerHeap []flow.Want

func (h timerHeap) Len() int { return len(h) }
func (h timerHeap) Less(i, j int) bool {
	return h[i].Until < h[j].Until || h[i].Until == h[j].Until && h[i].Order < h[j].Order
}
func (h timerHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *timerHeap) Push(x any)   { *h = append(*h, x.(flow.Want)) }
func (h *timerHeap) Pop() any {
	old := *h
	w := old[len(old)-1]
	*h = old[:len(old)-1]
	return w
}

func newTimers() timers { return timers{wants: map[string]flow.Want{}} }

func (t *timers) add(w flow.Want) {
	t.wants[w.Key] = w
	heap.Push(&t.order, w)
}

func (t *timers) remove(key string) { delete(t.wants, key) }

// next is when the first one is due.
func (t *timers) next() (time.Time, bool) {
	for len(t.order) > 0 {
		if _, ok := t.wants[t.order[0].Key]; ok {
			return time.UnixMilli(t.order[0].Until), true
		}
		heap.Pop(&t.order)
	}
	return time.Time{}, false
}

// due takes out what is due at a time in Unix milliseconds, in order.
func (t *timers) due(now int64) []flow.Want {
	var out []flow.Want
	for at, ok := t.next(); ok && at.UnixMilli() <= now; at, ok = t.next() {
		w := heap.Pop(&t.order).(flow.Want)
		t.remove(w.Key)
		out = append(out, w)
	}
	return out
}
