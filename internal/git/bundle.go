package git

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrBundle says that something is no bundle that this repository can take.
var ErrBundle = errors.New("not a whole bundle")

// Bundle is a file that carries one ref ("gitformat-bundle").
type Bundle struct {
	Ref     string
	ID      string            // commit that the ref is at
	After   []string          // commits that whoever takes the bundle has to have, with their histories
	Objects *io.SectionReader // a pack; of bundles that were read
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

// ReadBundle reads the heading of a bundle of so many bytes, and that its objects have come as they were sent. The error is
// ErrBundle where they have not.
func (r *Repo) ReadBundle(file io.ReaderAt, size int64) (Bundle, error) {
	b, head, err := r.readHead(bufio.NewReader(io.NewSectionReader(file, 0, size)))
	if err != nil {
		return b, err
	}
	b.Objects = io.NewSectionReader(file, head, size-head)
	sum := r.newHash()
	whole := make([]byte, sum.Size())
	n, err := io.CopyN(sum, b.Objects, b.Objects.Size()-int64(len(whole)))
	if err == nil && n >= packHead {
		_, err = io.ReadFull(b.Objects, whole)
	}
	var magic [4]byte
	if err == nil {
		_, err = b.Objects.ReadAt(magic[:], 0)
	}
	if err != nil || string(magic[:]) != "PACK" || !bytes.Equal(whole, sum.Sum(nil)) {
		return b, fmt.Errorf("its objects are damaged or cut short: %w", ErrBundle)
	}
	return b, nil
}

func (r *Repo) readHead(in *bufio.Reader) (b Bundle, read int64, err error) {
	want := r.signature()
	for {
		line, err := in.ReadSlice('\n')
		if read += int64(len(line)); err != nil || read > maxHead {
			return b, 0, fmt.Errorf("it has no heading: %w", ErrBundle)
		}
		switch text := strings.TrimSuffix(string(line), "\n"); {
		case want != "":
			rest, ok := strings.CutPrefix(want, string(line))
			if !ok {
				return b, 0, fmt.Errorf("it begins with %.40q: %w", text, ErrBundle)
			}
			want = rest
		case text == "":
			if b.Ref == "" {
				return b, 0, fmt.Errorf("it has no ref: %w", ErrBundle)
			}
			return b, read, nil
		default:
			before, isBefore := strings.CutPrefix(text, "-")
			id, ref, _ := strings.Cut(before, " ")
			if err := r.checkID(id); err != nil || !isBefore && (b.Ref != "" || ref == "") {
				return b, 0, fmt.Errorf("its heading has the line %.80q: %w", text, ErrBundle)
			}
			if isBefore {
				b.After = append(b.After, id)
			} else {
				b.ID, b.Ref = id, ref
			}
		}
	}
}

// A pack begins with "PACK", its version and the number of its objects, and ends with the hash of all that ("gitformat-pack").
const packHead = 12

// join makes one pack of those of several bundles: an object says how far before it lies the one that it is a change of, so
// that packs can follow one another.
func (r *Repo) join(list []Bundle) (io.Reader, error) {
	sum, objects := r.newHash(), uint64(0)
	parts := make([]io.Reader, 1, len(list)+1)
	for _, b := range list {
		objects += uint64(b.count())
		parts = append(parts, io.NewSectionReader(b.Objects, packHead, b.Objects.Size()-packHead-int64(sum.Size())))
	}
	if objects > math.MaxUint32 {
		return nil, fmt.Errorf("%d objects at once: %w", objects, ErrBundle)
	}
	head := append([]byte("PACK\x00\x00\x00\x02"), 0, 0, 0, 0)
	binary.BigEndian.PutUint32(head[8:], uint32(objects))
	parts[0] = bytes.NewReader(head)
	return io.MultiReader(io.TeeReader(io.MultiReader(parts...), sum), &late{of: sum}), nil
}

// late reads a hash that is known once what comes before it was read.
type late struct {
	of  hash.Hash
	sum *bytes.Reader
}

func (l *late) Read(p []byte) (int, error) {
	if l.sum == nil {
		l.sum = bytes.NewReader(l.of.Sum(nil))
	}
	return l.sum.Read(p)
}

// few is how many objects are kept one by one rather than as a pack, as by git's own fetch.unpackLimit: with a pack for each
// step, git would look for every object in hundreds.
const few = 100

// Large says that a bundle is kept as a pack, and so taken alone.
func (b Bundle) Large() bool { return b.count() >= few }

func (b Bundle) count() uint32 {
	var n [4]byte
	_, _ = b.Objects.ReadAt(n[:], 8)
	return binary.BigEndian.Uint32(n[:])
}

// TakeBundles stores the objects of bundles that have been read: of a large one, or of several that are not and may need each
// other. All that they point at has to be here then; otherwise nothing is taken, and the error is ErrBundle. No ref changes.
func (r *Repo) TakeBundles(ctx context.Context, list ...Bundle) error {
	if len(list) == 0 {
		return nil
	}
	err := error(nil)
	if list[0].Large() {
		err = r.takePack(ctx, list[0])
	} else {
		err = r.takeFew(ctx, list)
	}
	if f, ok := errors.AsType[*failure](err); ok && f.class == nil {
		return fmt.Errorf("its objects: %w: %w", f, ErrBundle)
	}
	if err != nil {
		return fmt.Errorf("take a bundle: %w", err)
	}
	return nil
}

// takePack has git look at each object and at what it points at before it keeps any.
func (r *Repo) takePack(ctx context.Context, b Bundle) error {
	args := []string{"index-pack", "--stdin", "--fix-thin", "--check-self-contained-and-connected"}
	_, err := r.in(ctx, call{args: args, in: io.NewSectionReader(b.Objects, 0, b.Objects.Size()), ok: []int{1}})
	if err != nil && !isAnswer(err) { // 1: it points at what was here before, as thin bundles do
		return err
	}
	if _, _, err := r.ReadCommit(ctx, b.ID); err != nil {
		return fmt.Errorf("it has no commit %s: %w", b.ID, ErrBundle)
	}
	return nil
}

// takeFew unpacks bundles beside the repository's objects and moves what their commits reach: a step that git's own fetch takes
// too, and for the same reason. What is in the repository is then complete, which Here relies on.
func (r *Repo) takeFew(ctx context.Context, list []Bundle) error {
	pack, err := r.join(list)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(r.store.dir, "tmp_objdir-") // git's clean-up knows this name
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // git's clean-up takes it then
	if err := os.Mkdir(filepath.Join(dir, "info"), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "info", "alternates"), []byte(filepath.ToSlash(r.store.dir)+"\n"), 0o600); err != nil {
		return err
	}
	env := []string{"GIT_OBJECT_DIRECTORY=" + dir}
	if _, err := r.in(ctx, call{args: []string{"unpack-objects", "-q"}, env: env, in: pack}); err != nil {
		return err
	}
	var tips strings.Builder
	for _, b := range list {
		tips.WriteString(b.ID + "^{commit}\n")
	}
	out, err := r.in(ctx, call{args: []string{"rev-list", "--objects", "--stdin", "--not", "--all"}, env: env, in: strings.NewReader(tips.String())})
	if err != nil {
		return err
	}
	// What points comes before what it points at, and is moved after it.
	for _, line := range slices.Backward(strings.Split(strings.TrimSpace(string(out)), "\n")) {
		id, _, _ := strings.Cut(line, " ")
		if r.checkID(id) != nil {
			continue
		}
		err := r.store.place(filepath.Join(dir, id[:2], id[2:]), id)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // it was here
			return err
		}
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
