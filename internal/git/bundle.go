package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ErrBundle says that something is no bundle that this repository can take.
var ErrBundle = errors.New("not a whole bundle")

// Bundle is the heading of a file that carries one ref ("gitformat-bundle").
type Bundle struct {
	Ref   string
	ID    string   // commit that the ref is at
	After []string // commits that whoever takes the bundle has to have, with their histories
}

// signature is the first lines of a bundle; other kinds of ids than the usual need the third version.
func (r *Repo) signature() string {
	if r.format == "sha1" || r.format == "" {
		return "# v2 git bundle\n"
	}
	return "# v3 git bundle\n@object-format=" + r.format + "\n"
}

// WriteBundle writes what b.ID reaches and b.After does not. Blobs and trees that b.After has are left out wherever they are in it.
func (r *Repo) WriteBundle(ctx context.Context, w io.Writer, b Bundle) error {
	head, revs := r.signature(), b.ID+"\n"
	for _, id := range b.After {
		if err := r.checkID(id); err != nil {
			return fmt.Errorf("bundle %s: %w", b.Ref, err)
		}
		head += "-" + id + "\n"
		revs += "^" + id + "\n"
	}
	if err := r.checkID(b.ID); err != nil {
		return fmt.Errorf("bundle %s: %w", b.Ref, err)
	}
	if _, err := io.WriteString(w, head+b.ID+" "+b.Ref+"\n\n"); err != nil {
		return err
	}
	// Without --no-sparse, trees are compared at the same paths only, and in a parcel they are elsewhere.
	args := []string{"pack-objects", "--revs", "--thin", "--no-sparse", "--delta-base-offset", "--stdout", "--quiet"}
	if _, err := r.in(ctx, call{args: args, in: strings.NewReader(revs), out: w}); err != nil {
		return fmt.Errorf("bundle %s: %w", b.Ref, err)
	}
	return nil
}

// maxHead bounds the heading of a bundle, which comes from elsewhere.
const maxHead = 1 << 20

// ReadBundle reads the heading of a bundle and leaves in at its objects. The error is ErrBundle where there is none.
func (r *Repo) ReadBundle(in *bufio.Reader) (Bundle, error) {
	var b Bundle
	want, read := r.signature(), 0
	for {
		line, err := in.ReadSlice('\n')
		if read += len(line); err != nil || read > maxHead {
			return b, fmt.Errorf("it has no heading: %w", ErrBundle)
		}
		switch text := strings.TrimSuffix(string(line), "\n"); {
		case want != "":
			rest, ok := strings.CutPrefix(want, string(line))
			if !ok {
				return b, fmt.Errorf("it begins with %.40q: %w", text, ErrBundle)
			}
			want = rest
		case text == "":
			if b.Ref == "" {
				return b, fmt.Errorf("it has no ref: %w", ErrBundle)
			}
			return b, nil
		default:
			before, isBefore := strings.CutPrefix(text, "-")
			id, ref, _ := strings.Cut(before, " ")
			if err := r.checkID(id); err != nil || !isBefore && (b.Ref != "" || ref == "") {
				return b, fmt.Errorf("its heading has the line %.80q: %w", text, ErrBundle)
			}
			if isBefore {
				b.After = append(b.After, id)
			} else {
				b.ID, b.Ref = id, ref
			}
		}
	}
}

// TakeBundle stores the objects of a bundle whose heading has been read. Each is checked, and so is that everything it points at
// is here; otherwise nothing is taken, and the error is ErrBundle. No ref changes.
func (r *Repo) TakeBundle(ctx context.Context, b Bundle, objects io.Reader) error {
	args := []string{"index-pack", "--stdin", "--fix-thin", "--check-self-contained-and-connected"}
	_, err := r.in(ctx, call{args: args, in: objects, ok: []int{1}})
	var f *failure
	if errors.As(err, &f) {
		if f.answer { // it points at what was here before, as thin bundles do
			err = nil
		} else if f.class == nil {
			return fmt.Errorf("its objects: %w: %w", f, ErrBundle)
		}
	}
	if err != nil {
		return fmt.Errorf("take a bundle: %w", err)
	}
	if _, err := r.treeOf(ctx, b.ID); err != nil {
		return fmt.Errorf("it has no %s: %w", b.ID, ErrBundle)
	}
	return nil
}

// FirstParents lists a commit and what it follows, first parents only, at most limit (0 = all).
func (r *Repo) FirstParents(ctx context.Context, id string, limit int) ([]string, error) {
	if err := r.checkID(id); err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	args := []string{"rev-list", "--first-parent"}
	if limit > 0 {
		args = append(args, fmt.Sprintf("--max-count=%d", limit))
	}
	out, err := r.user(ctx, append(args, id, "--")...)
	if err != nil {
		return nil, fmt.Errorf("history of %s: %w", id, err)
	}
	return strings.Fields(string(out)), nil
}
