package inspect

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"hash/crc32"

	"github.com/jacquard-build/jacquard/internal/source"
)

// Kept is where the readings of source files are kept from one command to the next, by path and contents. Go is read
// fast enough without.
type Kept struct {
	Stamp   string                     // of the program: another one reads anew
	Get     func(key string) []byte    // nil when there is none; a key is 64 hexadecimal digits
	Put     func(key string, b []byte) // what cannot be kept is read again
	Damaged func()                     // called for each that can be read no more; Put follows
}

// Keep makes the project use readings that are kept.
func (p *Project) Keep(k Kept) { p.kept = &k }

// reading is what is kept of a file: everything but its tokens, with the names of types that were read out of them.
type reading struct {
	File     source.File
	Declared map[string]string
}

// parsed is a file as it is read, with the names of types that it declares and what they stand for.
type parsed struct {
	source.File

	declared map[string]string
}

func (p *Project) parse(f string, src []byte) source.File { return p.parsed(f, src).File }

func (p *Project) parsed(f string, src []byte) parsed {
	if lang := source.LangOf(f); p.kept == nil || lang == "" || lang == source.Go || len(src) == 0 {
		x := source.Parse(f, src)
		if lang == source.Go {
			p.typed(&x)
		}
		return parsed{x, declared(x)}
	}
	h := sha256.New()
	for _, part := range [][]byte{[]byte(p.kept.Stamp), []byte(f), src} { // a test is known by its path
		h.Write(part)
		h.Write([]byte{0})
	}
	key := hex.EncodeToString(h.Sum(nil))
	if b := p.kept.Get(key); b != nil {
		if r, ok := decodeReading(b); ok {
			return parsed{r.File, r.Declared}
		}
		p.kept.Damaged()
	}
	x := source.Parse(f, src)
	r := reading{x, declared(x)}
	r.File.Tokens = nil
	if b, err := r.encode(); err == nil {
		p.kept.Put(key, b)
	}
	return parsed{x, r.Declared}
}

func (r reading) encode() ([]byte, error) {
	var b bytes.Buffer
	b.Write(make([]byte, 4))
	if err := gob.NewEncoder(&b).Encode(r); err != nil {
		return nil, err
	}
	out := b.Bytes()
	sum := crc32.Checksum(out[4:], castagnoli)
	out[0], out[1], out[2], out[3] = byte(sum), byte(sum>>8), byte(sum>>16), byte(sum>>24)
	return out, nil
}

func decodeReading(b []byte) (reading, bool) {
	var r reading
	if len(b) < 5 {
		return r, false
	}
	sum := crc32.Checksum(b[4:], castagnoli)
	if b[0] != byte(sum) || b[1] != byte(sum>>8) || b[2] != byte(sum>>16) || b[3] != byte(sum>>24) {
		return r, false
	}
	return r, gob.NewDecoder(bytes.NewReader(b[4:])).Decode(&r) == nil
}
