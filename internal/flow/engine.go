package flow

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
)

// Engine is the in-memory index over a State: who waits for what. It can be
// rebuilt from the State at any time by one full pass. It is not safe for
// concurrent use.
type Engine struct {
	s       *State
	blobs   func(Blob) ([]byte, error)
	nodes   map[string]*node
	root    *branch
	paths   map[string]*group // which group a branch path belongs to
	noted   map[string]uint64 // by key of a note: the pass that made it last
	queue   []*branch
	d       *Decision
	severed bool // Wait no longer waits: the run was cancelled in a deadlock
	stamp   uint64
	asked   int // wants without an outcome
	cur     *branch
	loaded  map[string]any
	diff    *Diff // not nil: compare instead of treating drift as a bug
}

// node is a key: its outcome, or who waits for it.
type node struct {
	rec    *Rec
	val    any   // the decoded output, see decodeOnce
	open   bool  // a step that was started
	start  Start // what was started or asked before; Step is "" if nothing was
	asked  bool
	want   Want
	waiter *branch
	stamp  uint64
}

// NewEngine makes an engine for a definition over a state, which it goes on
// to change. blobs resolves references for Load; nil is fine where no
// workflow loads any.
func NewEngine(w Runnable, s *State, blobs func(Blob) ([]byte, error)) *Engine {
	s.Init()
	if blobs == nil {
		blobs = func(Blob) ([]byte, error) { return nil, errors.New("this run has no blob store") }
	}
	e := &Engine{
		s: s, blobs: blobs, nodes: make(map[string]*node, len(s.Recs)),
		paths: map[string]*group{}, noted: map[string]uint64{}, loaded: map[string]any{},
	}
	for k, r := range s.Recs {
		e.nodes[k] = &node{rec: r}
	}
	for k, st := range s.Open {
		if n := e.node(k); n.rec == nil {
			n.open, n.start = st.Step != stepAsk && st.Step != stepTimer, st
		}
	}
	e.root = &branch{e: e, born: s.Start, fn: func(c *Ctx) (json.RawMessage, error) { return w.enter(c, s.In) }}
	e.wake(e.root)
	return e
}

func (e *Engine) node(key string) *node {
	n := e.nodes[key]
	if n == nil {
		n = &node{}
		e.nodes[key] = n
	}
	return n
}

func (e *Engine) wake(b *branch) {
	if b != nil && !b.queued && b.rec == nil {
		b.queued = true
		e.queue = append(e.queue, b)
	}
}

// Decide runs every branch whose reason to wait has gone, to the fixed point,
// and returns what is new. After a Bug the engine must be thrown away.
func (e *Engine) Decide() Decision {
	e.d = &Decision{}
	for {
		for len(e.queue) > 0 && e.d.Bug == nil {
			e.next()
		}
		if e.d.Bug != nil || e.severed || !e.stuck() || e.s.Cancelled == 0 {
			break
		}
		// A cancelled run must end: branches that wait for each other do not.
		e.severed = true
		e.root.walk(func(b *branch) bool {
			if b.sibling != nil {
				e.wake(b)
			}
			return true
		})
	}
	d := *e.d
	if d.Bug != nil {
		return Decision{Bug: d.Bug}
	}
	if e.root.rec != nil {
		d.Done, d.Out, d.Err = true, e.root.rec.Out, e.root.rec.Err
	} else if e.stuck() {
		d.Stuck = e.Waits(100)
	}
	return d
}

// stuck reports whether nothing can ever happen again.
func (e *Engine) stuck() bool { return e.root.rec == nil && e.asked == 0 }

// next runs the branch that has waited longest.
func (e *Engine) next() {
	b := e.queue[0]
	e.queue = e.queue[1:]
	b.queued = false
	if b.rec != nil {
		return
	}
	e.stamp++
	b.stamp, b.suspended, b.waits, b.sibling, b.now = e.stamp, false, "", nil, b.born
	path := ""
	if b.path != "" {
		path = b.path + ":"
	}
	e.cur = b
	out, err := e.guarded(b, &Ctx{b: b, path: path})
	e.cur = nil
	if e.d.Bug != nil || b.suspended {
		return
	}
	rec := &Rec{Out: out, At: b.now}
	if err != nil {
		rec.Out, rec.Err = nil, AsFailure(err)
	} else if len(out) > MaxOutput {
		e.d.Bug = Failf(Definition, "result of %s is %d bytes, the limit is %d: return a blob", name(b), len(out), MaxOutput)
		return
	}
	e.end(b, rec)
}

// guarded runs the body and turns a panic into Decision.Bug.
func (e *Engine) guarded(b *branch, c *Ctx) (out json.RawMessage, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil, leave: // a bug is reported already, so that a body which recovers cannot hide it
		default:
			if b.suspended && e.d.Bug == nil {
				return // after a pending call nothing counts
			}
			e.d.Bug = Failf(Definition, "panic in %s: %v\n%s", name(b), r, debug.Stack())
		}
	}()
	return b.fn(c)
}

// end stores a branch's result, folds it and wakes who waited for it.
func (e *Engine) end(b *branch, rec *Rec) {
	b.rec = rec
	if b.group == nil {
		return
	}
	keys := b.allKeys(nil)
	for _, k := range keys {
		delete(e.nodes, k)
		delete(e.s.Recs, k)
	}
	for _, g := range b.groups {
		for _, ch := range g.children {
			delete(e.s.Folds, ch.path)
		}
	}
	b.groups, b.keys = nil, nil
	e.s.Folds[b.path] = rec
	e.d.Folds = append(e.d.Folds, Folded{Path: b.path, Rec: rec, Keys: keys})
	e.ended(b)
}

func (e *Engine) ended(b *branch) {
	b.group.open--
	if b.group.open == 0 {
		e.wake(b.group.waiter)
	}
	for _, w := range b.waiters {
		e.wake(w)
	}
	b.waiters = nil
}

// Record gives the outcome of a key; false when it already had one.
func (e *Engine) Record(key string, r *Rec) bool {
	n := e.node(key)
	if n.rec != nil {
		return false
	}
	if r.Step == "" {
		r.Step, r.In = n.want.Step, n.want.Hash
	}
	n.rec, n.open = r, false
	e.s.Recs[key] = r
	delete(e.s.Open, key)
	if n.asked {
		e.asked--
	}
	e.wake(n.waiter)
	n.waiter = nil
	return true
}

// Started marks a want as started; make it durable before the act.
func (e *Engine) Started(key string) {
	n := e.node(key)
	n.open, n.start = true, Start{Step: n.want.Step, In: n.want.Hash}
	e.s.Open[key] = n.start
}

// Cancel wakes every branch that waits for something that never started: it
// gets ErrCancelled. What was started stays pending until it has ended.
func (e *Engine) Cancel(at int64) {
	if e.s.Cancelled != 0 {
		return
	}
	e.s.Cancelled = at
	for _, k := range slices.Sorted(maps.Keys(e.nodes)) {
		n := e.nodes[k]
		if n.rec == nil && n.asked && !n.open {
			n.asked = false
			e.asked--
			e.wake(n.waiter)
			n.waiter = nil
		}
	}
}

// Ready reports whether the next Decide has a branch to enter.
func (e *Engine) Ready() bool { return len(e.queue) > 0 }

// Waits lists at most limit branches with what each waits for.
func (e *Engine) Waits(limit int) []string {
	var out []string
	e.root.walk(func(b *branch) bool {
		if b.waits != "" && len(out) < limit {
			out = append(out, fmt.Sprintf("/%s waits for %s", b.path, b.waits))
		}
		return len(out) < limit
	})
	return out
}
