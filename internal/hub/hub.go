// Package hub carries what steps refer to from machine to machine. Git is the
// data plane: each step that has ended has one ref at the hub, which is made
// once, with the objects and blobs that its result names and the result
// itself. The engine carries only names. Where the refs are, is a Place: a git
// remote, or thin bundles in a folder or a bucket.
package hub

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/git"
)

// Hub is one machine's way to the others.
type Hub struct {
	repo  *git.Repo
	place Place
	blobs flow.Blobs // of this machine
	ids   *regexp.Regexp

	mu   sync.Mutex
	runs map[string]*known
}

// known is what a machine knows of a run at the hub.
type known struct {
	objects map[string]string // ids that the hub has: the parcel that brought each
	blobs   map[string]string // by sha256: the git blob that holds it
	read    map[string]bool   // refs that were read
}

// New makes a hub of a place that a repository shares its objects through.
func New(repo *git.Repo, place Place, blobs flow.Blobs) *Hub {
	return &Hub{
		repo: repo, place: place, blobs: blobs, runs: map[string]*known{},
		ids: regexp.MustCompile(fmt.Sprintf(`\b[0-9a-f]{%d}\b`, repo.IDLength())),
	}
}

// resultName is the file of a parcel with the result of its step.
const resultName = "result"

func prefix(run string) string { return "refs/jacquard/" + run + "/steps/" }

// ref is the ref of a step.
func ref(run, key string) string { return prefix(run) + readable(key, 40, 6) }

// readable names something in a path or a ref: by so many letters at its end that people can read, and so many bytes that make it unique.
func readable(name string, letters, unique int) string {
	sum := sha256.Sum256([]byte(name))
	safe := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			return c
		}
		return '-'
	}, name)
	return strings.Trim(safe[max(0, len(safe)-letters):], "-") + "-" + hex.EncodeToString(sum[:unique])
}

func (h *Hub) known(run string) *known {
	k := h.runs[run]
	if k == nil {
		k = &known{objects: map[string]string{}, blobs: map[string]string{}, read: map[string]bool{}}
		h.runs[run] = k
	}
	return k
}

// refers says what a JSON value refers to: objects of git by anything that
// looks like one's id, and blobs.
func (h *Hub) refers(raw []byte) (objects []string, blobs []flow.Blob) {
	for _, id := range h.ids.FindAll(raw, -1) {
		objects = append(objects, string(id))
	}
	var v any
	if json.Unmarshal(raw, &v) == nil {
		walk(v, &blobs)
	}
	return objects, blobs
}

func walk(v any, blobs *[]flow.Blob) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			walk(x, blobs)
		}
	case map[string]any:
		if sum, ok := v["sha256"].(string); ok && len(sum) == 64 {
			size, _ := v["size"].(float64)
			typ, _ := v["type"].(string)
			*blobs = append(*blobs, flow.Blob{SHA256: sum, Size: int64(size), Type: typ})
		}
		for _, x := range v {
			walk(x, blobs)
		}
	}
}

// Bring makes everything that a value refers to be on this machine.
func (h *Hub) Bring(ctx context.Context, run string, raw []byte) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	missing, err := h.missing(ctx, run, raw)
	if err != nil || len(missing) == 0 {
		return err
	}
	if err := h.fetch(ctx, run); err != nil {
		return err
	}
	// What is nowhere is not an error here: not all that looks like an id is one.
	_, err = h.missing(ctx, run, raw)
	return err
}

// missing lists what a value refers to and is not here; blobs that the hub is
// known to have are brought on the way, and what they refer to counts too.
func (h *Hub) missing(ctx context.Context, run string, raw []byte) ([]string, error) {
	k := h.known(run)
	var out []string
	seen := map[string]bool{}
	for queue := [][]byte{raw}; len(queue) > 0; queue = queue[1:] {
		objects, blobs := h.refers(queue[0])
		here, err := h.repo.Here(ctx, objects)
		if err != nil {
			return nil, err
		}
		for id, ok := range here {
			if !ok {
				out = append(out, id)
			}
		}
		for _, b := range blobs {
			if seen[b.SHA256] {
				continue
			}
			seen[b.SHA256] = true
			data, err := h.blob(ctx, k, b)
			if err != nil {
				return nil, err
			}
			if data == nil {
				out = append(out, b.SHA256)
				continue
			}
			if isJSON(b) {
				queue = append(queue, data)
			}
		}
	}
	return out, nil
}

func isJSON(b flow.Blob) bool { return strings.Contains(b.Type, "json") }

// blob gives a blob of this machine, bringing it from the hub when
// it can; nil = it is not here.
func (h *Hub) blob(ctx context.Context, k *known, b flow.Blob) ([]byte, error) {
	if data, err := h.blobs.Get(b); err == nil {
		return data, nil
	}
	id := k.blobs[b.SHA256]
	if id == "" {
		return nil, nil
	}
	data, err := h.repo.ReadBlob(ctx, id)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != b.SHA256 {
		return nil, fmt.Errorf("blob %s came damaged", b.SHA256)
	}
	_, err = h.blobs.Put(data, b.Type)
	return data, err
}

// fetch brings the refs of a run and reads what is new.
func (h *Hub) fetch(ctx context.Context, run string) error {
	if err := h.place.Fetch(ctx, run); err != nil {
		return err
	}
	refs, err := h.repo.Refs(ctx, prefix(run))
	if err != nil {
		return err
	}
	k := h.known(run)
	for name, id := range refs {
		if k.read[name] {
			continue
		}
		p, err := h.repo.Unpack(ctx, id)
		if err != nil {
			return err
		}
		for file, blob := range p.Files {
			if file != resultName {
				k.blobs[file] = blob
			}
		}
		k.has(p.Objects, id)
		k.read[name] = true
	}
	return nil
}

// Fetch brings blobs near that a decision needs.
func (h *Hub) Fetch(ctx context.Context, run string, refs []flow.Blob) error {
	raw, err := json.Marshal(refs)
	if err != nil {
		return err
	}
	return h.Bring(ctx, run, raw)
}

// Keep makes the result of a step durable at the hub, with all that it and the
// step's input refer to, and returns the one that counts: that of another
// machine, where it was first.
func (h *Hub) Keep(ctx context.Context, run, key string, in, result []byte) ([]byte, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	k := h.known(run)
	p := git.Parcel{Files: map[string][]byte{resultName: result}}
	var near []string
	for queue := [][]byte{in, result}; len(queue) > 0; queue = queue[1:] {
		objects, blobs := h.refers(queue[0])
		here, err := h.repo.Here(ctx, objects)
		if err != nil {
			return nil, err
		}
		for id, ok := range here {
			if from := k.objects[id]; from != "" {
				near = append(near, from)
			} else if ok {
				p.Objects = append(p.Objects, id)
			}
		}
		for _, b := range blobs {
			if k.blobs[b.SHA256] != "" || p.Files[b.SHA256] != nil {
				continue
			}
			data, err := h.blobs.Get(b)
			if err != nil {
				continue // it never came here
			}
			p.Files[b.SHA256] = data
			if isJSON(b) {
				queue = append(queue, data)
			}
		}
	}
	commit, err := h.repo.Pack(ctx, p)
	if err != nil {
		return nil, err
	}
	name := ref(run, key)
	if err := h.place.Make(ctx, run, name, commit, near); errors.Is(err, git.ErrRejected) {
		first, err := h.find(ctx, run, key)
		if first == nil && err == nil { // it was deleted, or a store shows it later
			err = flow.Failf(flow.Environment, "the hub has %s and does not show it", name)
		}
		return first, err
	} else if err != nil {
		return nil, err
	}
	k.has(p.Objects, commit)
	return result, nil
}

// has notes which parcel brought objects to the hub.
func (k *known) has(objects []string, parcel string) {
	for _, id := range objects {
		if k.objects[id] == "" {
			k.objects[id] = parcel
		}
	}
}

// Find gives the result that any machine has made durable for a step; nil = none.
func (h *Hub) Find(ctx context.Context, run, key string) ([]byte, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.find(ctx, run, key)
}

func (h *Hub) find(ctx context.Context, run, key string) ([]byte, error) {
	if err := h.fetch(ctx, run); err != nil {
		return nil, err
	}
	id, err := h.repo.Ref(ctx, ref(run, key))
	if errors.Is(err, git.ErrNoRef) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	p, err := h.repo.Unpack(ctx, id)
	if err != nil {
		return nil, err
	}
	return h.repo.ReadBlob(ctx, p.Files[resultName])
}

// Forget takes away what runs that have ended left at the hub, and returns how
// many refs that were.
func (h *Hub) Forget(ctx context.Context, runs []string) (int, error) {
	n := 0
	for _, run := range runs {
		gone, err := h.place.Drop(ctx, run)
		n += gone
		if err != nil {
			return n, err
		}
	}
	return n, nil
}
