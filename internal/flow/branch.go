package flow

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strings"
)

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
	waits     string
	sibling   *branch // it waits for this one
	queued    bool
	keys      []string
	rec       *Rec      // result, once ended
	val       any       // its decoded output, see decodeOnce
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

// The names under which gates and timers are recorded.
const (
	stepAsk   = "ask"
	stepTimer = "timer"
)

// call is one request of a branch.
type call struct {
	key   string
	kind  Kind
	step  string
	lane  string
	in    any
	until int64
}

func (c *Ctx) call(k call) (*node, error) {
	b, e := c.b, c.b.e
	b.live()
	full := c.path + b.checked(k.key)
	n := e.node(full)
	if n.stamp == b.stamp {
		e.bug("key %s is used twice: a loop needs Rounds", full)
	}
	if n.stamp == 0 {
		b.keys = append(b.keys, full)
	}
	n.stamp = b.stamp
	raw, err := json.Marshal(k.in)
	if err != nil {
		e.bug("input of %s: %v", full, err)
	}
	hash := hashOf(raw)
	if n.rec != nil {
		e.drift(full, n.rec.Step, k.step, n.rec.In, hash)
		b.use(n.rec)
		return n, nil
	}
	if n.start.Step != "" {
		e.drift(full, n.start.Step, k.step, n.start.In, hash)
	}
	if e.s.Cancelled != 0 && !n.open {
		return nil, ErrCancelled
	}
	n.waiter = b
	if !n.asked {
		n.asked = true
		e.asked++
		n.want = Want{
			Key: full, Kind: k.kind, Step: k.step, Lane: k.lane, Branch: b.top, In: raw, Hash: hash,
			Until: k.until, Started: n.open,
		}
		e.d.Wants = append(e.d.Wants, n.want)
	} else if n.want.Hash != hash {
		e.drift(full, k.step, k.step, n.want.Hash, hash)
	}
	b.suspend(full)
	return nil, nil // not reached: suspend leaves the body
}

// use takes the time of an outcome into account.
func (b *branch) use(r *Rec) { b.now = max(b.now, r.At) }

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
	if e.diff == nil {
		e.bug("%s %s: the definition changed or is not pure", key, what)
	}
	e.diff.Changed = append(e.diff.Changed, key+" "+what)
	e.diff.Rebase = append(e.diff.Rebase, Rebased{Key: key, Step: step, In: now})
}

func hashOf(raw []byte) uint64 {
	h := fnv.New64a()
	h.Write(raw)
	return h.Sum64() >> 1 // fits the signed integers of databases
}

// live lets a call go on. After a pending one nothing counts: a deferred
// function, or a body that recovers, is left again. A context that is used by
// another branch than its own is found first, since its own one may well be
// suspended.
func (b *branch) live() {
	b.mine()
	if b.suspended {
		panic(leave{})
	}
}

func (b *branch) mine() {
	if b.e.cur != b {
		b.e.bug("a context of %s is used by %s: use the branch's own context", name(b), name(b.e.cur))
	}
}

// checked refuses keys that could be mistaken for others.
func (b *branch) checked(key string) string {
	if key == "" || strings.Contains(key, ":") {
		b.e.bug("key %q of %s: keys are not empty and hold no colon", key, name(b))
	}
	return key
}

// suspend leaves the body at a call that is pending. It does so by a panic
// because a body that went on, with the zero value and an error, could change
// variables that the closures of its branches have captured.
func (b *branch) suspend(on string) {
	b.suspended, b.waits = true, on
	panic(leave{})
}

func name(b *branch) string {
	switch {
	case b == nil:
		return "nobody"
	case b.path == "":
		return "the workflow"
	}
	return "branch " + b.path
}

// walk visits the branches that have not ended until f says no.
func (b *branch) walk(f func(*branch) bool) bool {
	if b.rec != nil {
		return true
	}
	if !f(b) {
		return false
	}
	for _, g := range b.groups {
		for _, ch := range g.children {
			if !ch.walk(f) {
				return false
			}
		}
	}
	return true
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

func (b *branch) openGroup(c *Ctx, name string, size int) *group {
	path := c.path + name
	for _, g := range b.groups {
		if g.path != path {
			continue
		}
		if g.stamp == b.stamp {
			b.e.bug("group %s is used twice", path)
		}
		g.stamp = b.stamp
		if len(g.children) != size {
			b.e.bug("group %s had %d branches and has %d now: branches cannot be added to a running All", path, len(g.children), size)
		}
		return g
	}
	g := &group{path: path, stamp: b.stamp, owner: b, byKey: make(map[string]*branch, size)}
	b.groups = append(b.groups, g)
	return g
}

// branchKey makes the key of an item, which is often a path, safe as a part
// of other keys.
func branchKey(key string) string {
	if !strings.ContainsAny(key, ":%") {
		return key
	}
	return strings.NewReplacer("%", "%25", ":", "%3A").Replace(key)
}

// set makes or refreshes the branch of one item.
func (g *group) set(c *Ctx, i int, key string, fn func(*Ctx) (json.RawMessage, error)) {
	e := g.owner.e
	if i < len(g.children) {
		ch := g.children[i]
		if ch.key != key {
			e.bug("branch %d of %s was %q and is %q now", i, g.path, ch.key, key)
		}
		ch.fn = fn
		return
	}
	if key == "" {
		e.bug("branch %d of %s has an empty key", i, g.path)
	}
	if g.byKey[key] != nil {
		e.bug("two branches of %s have the key %q", g.path, key)
	}
	ch := &branch{
		e: e, path: g.path + "/" + branchKey(key), key: key, top: g.owner.top, fn: fn, group: g,
		born: g.owner.now,
	}
	if other := e.paths[ch.path]; other != nil {
		e.bug("branch %s is in the groups %s and %s", ch.path, other.path, g.path)
	}
	e.paths[ch.path] = g
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
