package git

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
)

// writeIndex writes the index of a work tree at dir whose files are those of entries,
// which are sorted by path; of skipped no file was made. The format is version 2 of
// git's "gitformat-index", or 3 when there is something to skip. Of a file's state only
// time and size are filled in: writeGitDir tells git to compare no more than that.
func (r *Repo) writeIndex(file, dir string, entries []Entry, skipped map[string]bool) error {
	version := uint32(2)
	if len(skipped) > 0 {
		version = 3
	}
	b := append([]byte("DIRC"), 0, 0, 0, 0, 0, 0, 0, 0)
	binary.BigEndian.PutUint32(b[4:], version)
	binary.BigEndian.PutUint32(b[8:], uint32(len(entries))) //nolint:gosec // far fewer files than that
	for _, e := range entries {
		at := len(b)
		b = append(b, make([]byte, 40)...)
		head := b[at:]
		if info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(e.Path))); err == nil && e.Mode != modeModule {
			binary.BigEndian.PutUint32(head[8:], uint32(info.ModTime().Unix()))        //nolint:gosec // 32 bits in the format
			binary.BigEndian.PutUint32(head[12:], uint32(info.ModTime().Nanosecond())) //nolint:gosec // below 1e9
			binary.BigEndian.PutUint32(head[36:], uint32(info.Size()))                 //nolint:gosec // 32 bits in the format
		}
		mode := map[string]uint32{modeFile: 0o100644, modeExec: 0o100755, modeLink: 0o120000, modeModule: 0o160000}[e.Mode]
		binary.BigEndian.PutUint32(head[24:], mode)
		id, err := hex.DecodeString(e.ID)
		if err != nil {
			return fmt.Errorf("write index: %w", err)
		}
		b = append(b, id...)
		flags := uint16(min(len(e.Path), 0xfff)) //nolint:gosec // at most 12 bits
		const extended, skipWorktree = 0x4000, 0x4000
		if skipped[e.Path] {
			b = binary.BigEndian.AppendUint16(b, flags|extended)
			b = binary.BigEndian.AppendUint16(b, skipWorktree)
		} else {
			b = binary.BigEndian.AppendUint16(b, flags)
		}
		b = append(b, e.Path...)
		b = append(b, bytes.Repeat([]byte{0}, 8-(len(b)-at)%8)...)
	}
	sum := r.newHash()
	_, _ = sum.Write(b)
	return os.WriteFile(file, sum.Sum(b), 0o644)
}
