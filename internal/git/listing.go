package git

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// indexed is one entry of the user's index.
type indexed struct {
	path, mode, id string
}

// readIndex reads the user's index as "git ls-files -s" shows it, without a process for
// it (git's "gitformat-index", versions 2 to 4). ok is false where git has to be asked:
// an index that is split, sparse, damaged or of another version. names limit the list to submodules and the files with
// one of these base names; none do not.
func (r *Repo) readIndex(names []string) (list []indexed, ok bool) {
	b, err := os.ReadFile(filepath.Join(r.gitDir, "index"))
	if os.IsNotExist(err) {
		return nil, true
	}
	sum := r.store.size
	if err != nil || len(b) < 12+sum || string(b[:4]) != "DIRC" {
		return nil, false
	}
	version, count := binary.BigEndian.Uint32(b[4:]), int(binary.BigEndian.Uint32(b[8:]))
	b = b[12 : len(b)-sum]
	if version < 2 || version > 4 || count > len(b)/(42+sum) {
		return nil, false
	}
	if len(names) == 0 {
		list = make([]indexed, 0, count)
	}
	var e entry
	for range count {
		if b, ok = e.next(b, version, sum); !ok {
			return nil, false
		}
		if len(names) == 0 || e.mode == modeModule || slices.ContainsFunc(names, e.named) {
			list = append(list, indexed{path: string(e.path), mode: e.mode, id: hex.EncodeToString(e.id)})
		}
	}
	for len(b) >= 8 { // extensions; one in lower case changes the meaning of the rest
		size := int(binary.BigEndian.Uint32(b[4:]))
		if b[0] < 'A' || b[0] > 'Z' || size > len(b)-8 {
			return nil, false
		}
		b = b[8+size:]
	}
	return list, len(b) == 0
}

// entry is one entry of an index as it stands there, until the next one is read.
type entry struct {
	path, id []byte
	mode     string
}

// named reports whether the entry has a base name.
func (e *entry) named(name string) bool {
	dir := len(e.path) - len(name)
	return dir >= 0 && string(e.path[dir:]) == name && (dir == 0 || e.path[dir-1] == '/')
}

// next reads the next entry: 40 bytes of state with the mode at 24, the id, 16 bits of
// flags, 16 more if bit 14 says so, and the path. In version 4 the path is what remains
// of the one before, without so many bytes at its end, and an ending.
func (e *entry) next(b []byte, version uint32, sum int) (rest []byte, ok bool) {
	const fixed = 40
	head := fixed + sum + 2
	if len(b) < head+2 {
		return nil, false
	}
	switch binary.BigEndian.Uint32(b[24:]) {
	case 0o100644:
		e.mode = modeFile
	case 0o100755:
		e.mode = modeExec
	case 0o120000:
		e.mode = modeLink
	case 0o160000:
		e.mode = modeModule
	default: // a directory of a sparse index
		return nil, false
	}
	e.id = b[fixed : fixed+sum]
	if flags := binary.BigEndian.Uint16(b[fixed+sum:]); flags&0x4000 != 0 {
		head += 2
	}
	name := b[head:]
	if version == 4 {
		cut, n := offset(name)
		end := bytes.IndexByte(name[n:], 0)
		if n == 0 || end < 0 || cut > len(e.path) {
			return nil, false
		}
		e.path = append(e.path[:len(e.path)-cut], name[n:n+end]...)
		return name[n+end+1:], true
	}
	end := bytes.IndexByte(name, 0)
	if end < 0 {
		return nil, false
	}
	e.path = name[:end]
	size := head + end
	if size += 8 - size%8; size > len(b) {
		return nil, false
	}
	return b[size:], true
}

// offset reads a number as git's packs have it: seven bits in a byte, the highest first,
// and one added for each byte that follows.
func offset(b []byte) (v, n int) {
	for n < len(b) && n < 5 {
		c := b[n]
		n++
		v = v<<7 | int(c&0x7f)
		if c&0x80 == 0 {
			return v, n
		}
		v++
	}
	return 0, 0
}

// staged lists the index, by git where it cannot be read without. names are those of readIndex; the answer may have more.
func (r *Repo) staged(ctx context.Context, names []string) ([]indexed, error) {
	if list, ok := r.readIndex(names); ok {
		return list, nil
	}
	out, err := r.user(ctx, r.lsFiles()...)
	if err != nil {
		return nil, err
	}
	return parseList(out), nil
}

func (r *Repo) lsFiles() []string {
	return append([]string{"ls-files", "-s", "-z", "--full-name"}, r.scope()...)
}

// parseList reads the output of "git ls-files -s -z".
func parseList(out []byte) []indexed {
	list := make([]indexed, 0, bytes.Count(out, []byte{0}))
	for rec := range strings.SplitSeq(string(out), "\x00") {
		meta, p, ok := strings.Cut(rec, "\t")
		if !ok {
			continue
		}
		mode, rest, _ := strings.Cut(meta, " ")
		id, _, _ := strings.Cut(rest, " ")
		list = append(list, indexed{path: p, mode: mode, id: id})
	}
	return list
}
