package flow

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"runtime/debug"
	"slices"
	"strings"
)

// Engine is the in-memory index over a State: who waits for what. It can be
// rebuilt from the State at any time by one full pass. It is not safe for
// concurrent use.
type Engine struct {
	w      Runnable
	s      *State
	blobs  func(Blob) ([]byte, error)
	nodes  map[string]*node
	folded map[string]*Rec
	root   *branch
	queue  []*branch
	d      *Decision
	stamp  uint64
	order  int
	asked  int // wants without an outcome
	cur    *branch
	loaded map[string]any
	diff   *Diff // not nil: compare instead of treating drift as a bug
}

// node is a key: its outcome, or who waits for it.
type node struct {
	rec    *Rec
	open   bool
	start  Start
	asked  bool
	want   Want
	waiter *branch
	stamp  uint64
}

// branch is one sequential part of a run: the root, or one item of All.
type branch struct {
	e         *Engine
	path      string // "" for the root
	key       string
	top       string // outermost branch of All it belongs to
	fn        func(*Ctx) (json.RawMessage, error)
	group     *group // the group it is a member of; nil for the root
	groups    []*group
	born      int64
	now       int64
	stamp     uint64
	suspended bool
	idle      int
	waits     string
	queued    bool
	keys      []string
	rec       *Rec      // result, once ended
	waiters   []*branch // siblings that Wait for it
}

// group is one call of All.
type group struct {
	path     string
	stamp    uint64
	children []*branch
	byKey    map[string]*branch
	open     int
	waiter   *branch
	owner    *branch
}

// NewEngine makes an engine for a definition over a state, which it goes on
// to change. blobs resolves references for Load; nil is fine where no
// workflow loads any.
func NewEngine(w Runnable, s *State, blobs func(Blob) ([]byte, error)) *Engine {
	for _, m := range []*map[string]*Rec{&s.Recs, &s.Folds} {
		if *m == nil {
			*m = map[string]*Rec{}
		}
	}
	if s.Open == nil {
		s.Open = map[string]Start{}
	}
	if s.Notes == nil {
		s.Notes = map[string]bool{}
	}
	if blobs == nil {
		blobs = func(Blob) ([]byte, error) { return nil, errors.New("this run has no blob store") }
	}
	e := &Engine{w: w, s: s, blobs: blobs, nodes: make(map[string]*node, len(s.Recs)), loaded: map[string]any{}}
	for k, r := range s.Recs {
		e.nodes[k] = &node{rec: r}
	}
	for k, st := range s.Open {
		if n := e.node(k); n.rec == nil {
			n.open, n.start = true, st
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
	for len(e.queue) > 0 && e.d.Bug == nil {
		b := e.queue[0]
		e.queue = e.queue[1:]
		b.queued = false
		e.enter(b)
	}
	d := *e.d
	if d.Bug != nil {
		return Decision{Bug: d.Bug}
	}
	if e.root.rec != nil {
		d.Done, d.Out, d.Err = true, e.root.rec.Out, e.root.rec.Err
	} else if e.asked == 0 {
		d.Stuck = e.Waits(100)
	}
	return d
}

func (e *Engine) enter(b *branch) {
	if b.rec != nil {
		return
	}
	e.stamp++
	b.stamp, b.suspended, b.idle, b.waits, b.now = e.stamp, false, 0, "", b.born
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

// guarded runs the body and turns panics into Decision.Bug.
func (e *Engine) guarded(b *branch, c *Ctx) (out json.RawMessage, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case bug:
			e.d.Bug = &Failure{Class: Definition, Msg: r.msg}
		default:
			e.d.Bug = Failf(Definition, "panic in %s: %v\n%s", name(b), r, debug.Stack())
		}
	}()
	return b.fn(c)
}

func name(b *branch) string {
	if b.path == "" {
		return "the workflow"
	}
	return "branch " + b.path
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

func (b *branch) allKeys(into []string) []string {
	into = append(into, b.keys...)
	for _, g := range b.groups {
		for _, ch := range g.children {
			into = ch.allKeys(into)
		}
	}
	return into
}

// call is one request of a branch.
type call struct {
	key   string
	kind  Kind
	step  string
	lane  string
	in    any
	until int64
}

func (c *Ctx) call(k call) (*Rec, error) {
	b, e := c.b, c.b.e
	if b.suspended {
		b.overrun()
		return nil, errPending
	}
	b.mine()
	full := c.path + k.key
	n := e.node(full)
	if n.stamp == b.stamp {
		panic(bug{fmt.Sprintf("key %s is used twice: a loop needs Rounds", full)})
	}
	if n.stamp == 0 {
		b.keys = append(b.keys, full)
	}
	n.stamp = b.stamp
	raw, err := json.Marshal(k.in)
	if err != nil {
		panic(bug{fmt.Sprintf("input of %s: %v", full, err)})
	}
	hash := hashOf(raw)
	switch {
	case n.rec != nil:
		e.drift(full, n.rec.Step, k.step, n.rec.In, hash)
		b.now = max(b.now, n.rec.At)
		return n.rec, nil
	case n.open:
		e.drift(full, n.start.Step, k.step, n.start.In, hash)
	}
	if e.s.Cancelled != 0 && !c.cleanup && !n.open {
		return nil, ErrCancelled
	}
	b.suspend(full)
	n.waiter = b
	if !n.asked {
		n.asked = true
		e.asked++
		e.order++
		n.want = Want{
			Key: full, Kind: k.kind, Step: k.step, Lane: k.lane, Branch: b.top, In: raw,
			Hash: hash, Until: k.until, Order: e.order, Cleanup: c.cleanup,
		}
		e.d.Wants = append(e.d.Wants, n.want)
	} else if n.want.Hash != hash {
		e.drift(full, k.step, k.step, n.want.Hash, hash)
	}
	return nil, errPending
}

// drift reports a record that was written for another input or output shape
// than the definition asks for now: impurity, or a changed definition.
func (e *Engine) drift(key, hadStep, step string, had, now uint64) {
	var what string
	switch {
	case hadStep != step:
		what = fmt.Sprintf("was recorded by step %s, the definition now asks for %s", hadStep, step)
	case had != now:
		what = "was asked with another input before"
	default:
		return
	}
	if e.diff != nil {
		e.diff.Changed = append(e.diff.Changed, key+" "+what)
		e.diff.rebase = append(e.diff.rebase, Rebased{Key: key, Step: step, In: now})
		if hadStep != step {
			// The shape changed: decoding may fail, which would hide the rest.
			panic(bug{key + " " + what})
		}
		return
	}
	panic(bug{key + " " + what + ": the definition changed or is not pure"})
}

func hashOf(raw []byte) uint64 {
	h := fnv.New64a()
	h.Write(raw)
	return h.Sum64() >> 1 // fits the signed integers of databases
}

// mine finds a context that is used by another branch than its own.
func (b *branch) mine() {
	if b.e.cur != b {
		panic(bug{fmt.Sprintf("a context of %s is used by %s: use the branch's own context", name(b), name(b.e.cur))})
	}
}

func (b *branch) overrun() {
	b.idle++
	if b.idle > pendingCalls {
		panic(bug{fmt.Sprintf("%s loops over a call that is pending", name(b))})
	}
}

func (b *branch) suspend(on string) { b.suspended, b.waits = true, on }

func (b *branch) openGroup(c *Ctx, name string, size int) *group {
	b.mine()
	path := c.path + name
	for _, g := range b.groups {
		if g.path != path {
			continue
		}
		if g.stamp == b.stamp {
			panic(bug{fmt.Sprintf("group %s is used twice", path)})
		}
		g.stamp = b.stamp
		if len(g.children) != size {
			panic(bug{fmt.Sprintf("group %s had %d branches and has %d now: branches cannot be added to a running All", path, len(g.children), size)})
		}
		return g
	}
	g := &group{path: path, stamp: b.stamp, owner: b, byKey: make(map[string]*branch, size)}
	b.groups = append(b.groups, g)
	return g
}

// set makes or refreshes the branch of one item.
func (g *group) set(i int, key string, fn func(*Ctx) (json.RawMessage, error)) {
	if i < len(g.children) {
		ch := g.children[i]
		if ch.key != key {
			panic(bug{fmt.Sprintf("branch %d of %s was %q and is %q now", i, g.path, ch.key, key)})
		}
		ch.fn = fn
		return
	}
	if g.byKey[key] != nil {
		panic(bug{fmt.Sprintf("two branches of %s have the key %q", g.path, key)})
	}
	e := g.owner.e
	ch := &branch{e: e, path: g.path + "/" + key, key: key, top: g.owner.top, fn: fn, group: g, born: g.owner.now}
	if ch.top == "" {
		ch.top = ch.path
	}
	g.children = append(g.children, ch)
	g.byKey[key] = ch
	if rec := e.s.Folds[ch.path]; rec != nil {
		ch.rec = rec
		return
	}
	g.open++
	e.wake(ch)
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

// Started marks a want as started at a time in Unix milliseconds; make it
// durable before the act.
func (e *Engine) Started(key string, at int64) {
	n := e.node(key)
	n.open, n.start = true, Start{At: at, Step: n.want.Step, In: n.want.Hash}
	e.s.Open[key] = n.start
}

// Cancel wakes every branch that waits for something that never started: it
// gets ErrCancelled. What was started stays pending until it has ended.
func (e *Engine) Cancel(at int64) {
	if e.s.Cancelled != 0 {
		return
	}
	e.s.Cancelled = at
	for _, k := range sortedKeys(e.nodes) {
		n := e.nodes[k]
		if n.rec == nil && n.asked && !n.want.Cleanup && !n.open {
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
	var walk func(b *branch)
	walk = func(b *branch) {
		if len(out) >= limit || b.rec != nil {
			return
		}
		if b.waits != "" {
			out = append(out, fmt.Sprintf("/%s waits for %s", b.path, strings.TrimPrefix(b.waits, "/")))
		}
		for _, g := range b.groups {
			for _, ch := range g.children {
				walk(ch)
			}
		}
	}
	walk(e.root)
	return out
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
