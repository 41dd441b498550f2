package flow

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"
)

// leave is panicked with to leave a body: at a call that is pending, or at a
// bug of the definition, when Decision.Bug says what it is. Authors never see
// either as an error to handle.
type leave struct{}

func (e *Engine) bug(format string, args ...any) { e.fail(Definition, format, args...) }

func (e *Engine) fail(class Class, format string, args ...any) {
	if e.d.Bug == nil {
		e.d.Bug = Failf(class, format, args...)
	}
	panic(leave{})
}

// Ctx is a position in the tree of keys, owned by one branch.
type Ctx struct {
	b    *branch
	path string // prefix of keys, "" or ending in "/" or ":"
}

// Now is the time of the last record this branch has used: the same on every
// re-run and after a crash.
func (c *Ctx) Now() time.Time {
	c.b.mine()
	return time.UnixMilli(c.b.now).UTC()
}

// Sub is one key deeper in the same branch.
func (c *Ctx) Sub(key string) *Ctx {
	c.b.live()
	return &Ctx{b: c.b, path: c.path + c.b.checked(key) + "/"}
}

// Do returns the recorded output of a step, or asks for it and is pending.
// The error is a *Failure: the machinery broke. A retry is a new key.
func Do[I, O any](c *Ctx, key string, s Step[I, O], in I) (O, error) {
	var out O
	n, err := c.call(call{key: key, kind: KindStep, step: s.ID(), lane: s.Lane, in: in})
	if err != nil {
		return out, err
	}
	return output[O](c, key, n)
}

func output[O any](c *Ctx, key string, n *node) (O, error) {
	if n.rec.Err != nil {
		var zero O
		return zero, n.rec.Err
	}
	out, err := decodeOnce[O](&n.val, n.rec.Out)
	if err != nil {
		c.b.e.bug("output of %s%s: %v", c.path, key, err)
	}
	return out, nil
}

// Ask is a human gate. Unanswered means still waiting, never approved.
func Ask(c *Ctx, key string, q Question) (Answer, error) {
	n, err := c.call(call{key: key, kind: KindAsk, step: stepAsk, in: q})
	if err != nil {
		return Answer{}, err
	}
	return output[Answer](c, key, n)
}

// Until is a timer: it returns when t has passed. Derive t from Now or from a
// recorded output.
func Until(c *Ctx, key string, t time.Time) error {
	ms := t.UnixMilli()
	n, err := c.call(call{key: key, kind: KindTimer, step: stepTimer, in: ms, until: ms})
	if err != nil {
		return err
	}
	return n.rec.failed()
}

// Note records a fact once for people and projections; it never waits.
func Note(c *Ctx, key string, fact any) {
	b := c.b
	b.live()
	full := c.path + b.checked(key)
	if b.e.noted[full] == b.stamp {
		b.e.bug("note %s is made twice: a loop needs Rounds", full)
	}
	b.e.noted[full] = b.stamp
	if b.e.s.Notes[full] {
		return
	}
	raw, err := json.Marshal(fact)
	if err != nil {
		b.e.bug("note %s: %v", full, err)
	}
	b.e.s.Notes[full] = true
	b.e.d.Notes = append(b.e.d.Notes, NoteRec{Key: full, Branch: b.path, Fact: raw})
}

// Rounds is a bounded loop: rounds 1 to max, each with keys of its own.
func Rounds(c *Ctx, name string, max int) iter.Seq2[int, *Ctx] {
	return func(yield func(int, *Ctx) bool) {
		c.b.live()
		for i := 1; i <= max; i++ {
			if !yield(i, c.Sub(fmt.Sprintf("%s/%d", c.b.checked(name), i))) {
				return
			}
		}
	}
}

// All runs one branch for each item side by side and returns their values in
// item order. It never fails fast: it ends when every branch has ended, and
// then joins the errors of those that failed, each with its key. Writes to
// captured variables are lost: return values instead.
func All[T, R any](c *Ctx, name string, items []T, key func(T) string, fn func(*Ctx, T) (R, error)) ([]R, error) {
	b := c.b
	b.live()
	g := b.openGroup(c, b.checked(name), len(items))
	for i, it := range items {
		g.set(c, i, key(it), func(cc *Ctx) (json.RawMessage, error) {
			r, err := fn(cc, it)
			if err != nil {
				return nil, err
			}
			return json.Marshal(r)
		})
	}
	if g.open > 0 {
		g.waiter = b
		b.suspend("group " + g.path)
	}
	out := make([]R, len(items))
	var errs []error
	for i, ch := range g.children {
		b.use(ch.rec)
		if ch.rec.Err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", ch.key, ch.rec.Err))
			continue
		}
		var err error
		if out[i], err = decodeOnce[R](&ch.val, ch.rec.Out); err != nil {
			b.e.bug("result of branch %s: %v", ch.path, err)
		}
	}
	return out, errors.Join(errs...)
}

// Wait returns the result of a sibling branch of the same All, by its key.
func Wait[R any](c *Ctx, key string) (R, error) {
	var out R
	b := c.b
	b.live()
	if b.group == nil {
		b.e.bug("wait for %q outside of a branch of All", key)
	}
	sib := b.group.byKey[key]
	if sib == nil {
		b.e.bug("%s waits for unknown sibling %q", b.path, key)
	}
	if sib.rec == nil {
		if b.e.severed {
			return out, ErrCancelled
		}
		b.sibling = sib
		sib.waiters = append(sib.waiters, b)
		b.suspend(sib.path)
	}
	b.use(sib.rec)
	if sib.rec.Err != nil {
		return out, sib.rec.Err
	}
	out, err := decodeOnce[R](&sib.val, sib.rec.Out)
	if err != nil {
		b.e.bug("result of sibling %s: %v", sib.path, err)
	}
	return out, nil
}

// Load returns the value of a blob. It is decoded once for all branches, so
// the value must not be changed.
func Load[T any](c *Ctx, ref Blob) (T, error) {
	var out T
	c.b.live()
	e := c.b.e
	if v, ok := e.loaded[ref.SHA256]; ok {
		if t, ok := v.(T); ok {
			return t, nil
		}
	}
	raw, err := e.blobs(ref)
	if err != nil {
		e.fail(Environment, "read blob %s: %v", ref.SHA256, err)
	}
	if err := decodeStrict(raw, &out); err != nil {
		e.bug("blob %s: %v", ref.SHA256, err)
	}
	e.loaded[ref.SHA256] = out
	return out, nil
}
