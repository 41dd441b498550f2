package flow_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/jacquard-build/jacquard/internal/flow"
)

// A script is a random workflow as data. It is carried out twice: as a
// workflow of the kernel (exec) and by a naive engine that shares no code with
// it (oracle).
type op struct {
	kind     string // do, note, rounds, all, wait, until, ask, defer
	key      string
	swallow  bool // an error is used as a value instead of returned
	max      int  // rounds
	body     []op
	branches []branchScript
	hours    int
}

type branchScript struct {
	key string
	ops []op
}

type generator struct {
	*rand.Rand
	n      int
	cycles bool
}

func (g *generator) ops(depth, count int, siblings []string) []op {
	var out []op
	for range count {
		g.n++
		o := op{key: "k" + strconv.Itoa(g.n), swallow: g.IntN(3) == 0}
		switch k := g.IntN(20); {
		case k < 8:
			o.kind = "do"
		case k < 10:
			o.kind = "note"
		case k < 13 && depth > 0:
			o.kind, o.max = "rounds", 1+g.IntN(3)
			// The limit is part of the key, so that a trace can be checked against it.
			o.key = fmt.Sprintf("limit%d-%s", o.max, o.key)
			o.body = g.ops(depth-1, 1+g.IntN(2), siblings)
		case k < 15 && depth > 0:
			o.kind = "all"
			var names []string
			for i := range 1 + g.IntN(4) {
				names = append(names, fmt.Sprintf("b%d", i))
			}
			for i, n := range names {
				// Later ones are waited for by earlier ones; any when cycles may be.
				may := names[i+1:]
				if g.cycles {
					may = names
				}
				o.branches = append(o.branches, branchScript{n, g.ops(depth-1, 1+g.IntN(3), may)})
			}
		case k < 17 && len(siblings) > 0:
			o.kind, o.key = "wait", siblings[g.IntN(len(siblings))]
		case k < 18:
			o.kind, o.hours = "until", g.IntN(5)
		case k < 19:
			o.kind = "ask"
		default:
			o.kind = "defer"
		}
		if o.kind != "" {
			out = append(out, o)
		}
	}
	return out
}

func mix(acc uint64, v string) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, acc, v)
	return h.Sum64() % 1_000_003
}

var scripted = flow.Step[uint64, string]{Name: "scripted"}

// exec carries a script out as a workflow.
func exec(c *flow.Ctx, acc uint64, ops []op) (_ uint64, failure error) {
	for _, o := range ops {
		var v string
		var err error
		switch o.kind {
		case "do":
			v, err = flow.Do(c, o.key, scripted, acc)
		case "note":
			flow.Note(c, o.key, acc)
			continue
		case "wait":
			var n uint64
			n, err = flow.Wait[uint64](c, o.key)
			v = fmt.Sprint(n)
		case "until":
			err = flow.Until(c, o.key, c.Now().Add(time.Duration(o.hours)*time.Hour))
		case "ask":
			var a flow.Answer
			a, err = flow.Ask(c, o.key, flow.Question{Text: fmt.Sprint(acc)})
			v = a.Verb
		case "defer":
			in := acc
			defer func() {
				if failure != nil {
					_, _ = flow.Do(c, o.key, scripted, in)
				}
			}()
			continue
		case "rounds":
			for _, c := range flow.Rounds(c, o.key, o.max) {
				if acc, err = exec(c, acc, o.body); err != nil || acc%3 == 0 {
					break
				}
			}
		case "all":
			var rs []uint64
			rs, err = flow.All(c, o.key, o.branches, func(b branchScript) string { return b.key }, func(c *flow.Ctx, b branchScript) (uint64, error) {
				return exec(c, acc, b.ops)
			})
			v = fmt.Sprint(rs)
		}
		if err != nil && !o.swallow {
			return 0, err
		}
		acc = mix(acc, v+string(flow.ClassOf(err)))
	}
	return acc, nil
}

// oracle evaluates everything from the top with each question.
type oracle struct {
	recs      map[string]*flow.Rec
	started   map[string]bool
	cancelled bool
	wants     map[string]int64 // key -> until
	notes     map[string]uint64
	results   map[string]*result // of branches, by path
}

type result struct {
	v     uint64
	class flow.Class // "" = none
	at    int64
}

// at is a position of a branch in the oracle.
type at struct {
	now      *int64
	path     string // of keys
	branches string // path of the group whose siblings can be waited for
}

type pending struct{}

func (o *oracle) ask(ops []op, start int64) *result {
	for {
		before := len(o.results)
		o.wants, o.notes = map[string]int64{}, map[string]uint64{}
		if r := o.branch(ops, 1, start, "", ""); r != nil {
			return r
		}
		if len(o.results) == before {
			return nil
		}
	}
}

// branch evaluates one branch; nil = it waits.
func (o *oracle) branch(ops []op, acc uint64, born int64, prefix, group string) (r *result) {
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(pending); !ok {
				panic(p)
			}
			r = nil
		}
	}()
	now := born
	v, class := o.eval(at{&now, prefix, group}, acc, ops)
	return &result{v, class, now}
}

func (o *oracle) eval(a at, acc uint64, ops []op) (uint64, flow.Class) {
	var deferred []string
	fin := func(v uint64, class flow.Class) (uint64, flow.Class) {
		for i := len(deferred) - 1; i >= 0 && class != ""; i-- {
			o.call(a, deferred[i], 0)
		}
		return v, class
	}
	for _, p := range ops {
		v, class := "", flow.Class("")
		switch p.kind {
		case "do":
			v, class = o.call(a, p.key, 0)
		case "note":
			o.notes[a.path+p.key] = acc
			continue
		case "wait":
			r := o.results[a.branches+"/"+p.key]
			if r == nil {
				panic(pending{})
			}
			*a.now = max(*a.now, r.at)
			class = r.class
			v = fmt.Sprint(map[bool]uint64{true: r.v}[class == ""])
		case "until":
			_, class = o.call(a, p.key, *a.now+int64(p.hours)*3600_000)
		case "ask":
			v, class = o.call(a, p.key, 0)
		case "defer":
			deferred = append(deferred, p.key)
			continue
		case "rounds":
			for i := 1; i <= p.max; i++ {
				in := a
				in.path = fmt.Sprintf("%s%s/%d/", a.path, p.key, i)
				if acc, class = o.eval(in, acc, p.body); class != "" || acc%3 == 0 {
					break
				}
			}
		case "all":
			v, class = o.all(a, acc, p)
		}
		if class != "" && !p.swallow {
			return fin(0, class)
		}
		acc = mix(acc, v+string(class))
	}
	return fin(acc, "")
}

func (o *oracle) all(a at, acc uint64, p op) (string, flow.Class) {
	group, open := a.path+p.key, false
	born := *a.now
	values, class := make([]uint64, len(p.branches)), flow.Class("")
	for i, b := range p.branches {
		path := group + "/" + b.key
		r := o.results[path]
		if r == nil {
			if r = o.branch(b.ops, acc, born, path+":", group); r == nil {
				open = true
				continue
			}
			o.results[path] = r
		} else {
			o.branch(b.ops, acc, born, path+":", group) // for its notes
		}
		*a.now = max(*a.now, r.at)
		if r.class != "" && class == "" {
			class = r.class
		}
		if r.class == "" {
			values[i] = r.v
		}
	}
	if open {
		panic(pending{})
	}
	return fmt.Sprint(values), class
}

// call is a step, gate or timer.
func (o *oracle) call(a at, key string, until int64) (string, flow.Class) {
	full := a.path + key
	if r := o.recs[full]; r != nil {
		*a.now = max(*a.now, r.At)
		if r.Err != nil {
			return "", r.Err.Class
		}
		var s string
		var ans flow.Answer
		switch {
		case json.Unmarshal(r.Out, &ans) == nil:
			return ans.Verb, ""
		case json.Unmarshal(r.Out, &s) == nil:
			return s, ""
		}
		panic(errors.New("unreadable record"))
	}
	if o.cancelled && !o.started[full] {
		return "", flow.Cancelled
	}
	o.wants[full] = until
	panic(pending{})
}
