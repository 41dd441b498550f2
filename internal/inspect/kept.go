package inspect

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"

	"github.com/jacquard-build/jacquard/internal/source"
)

// Kept is where the readings of source files are kept from one command to the next, by path and contents, and for packages
// of Go the types that they infer.
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

// parse reads a file; its exports are as they are written.
func (p *Project) parse(f string, src []byte) source.File { return p.parsed(f, src).File }

// typed reads a file for what it exports, with the types that Go infers.
func (p *Project) typed(f string, src []byte) parsed {
	x := p.parsed(f, src)
	if x.Lang == source.Go {
		p.inferTypes(&x.File)
	}
	return x
}

func (p *Project) parsed(f string, src []byte) parsed {
	if p.kept == nil || source.LangOf(f) == "" || len(src) == 0 {
		x := source.Parse(f, src)
		return parsed{x, declared(x)}
	}
	key := p.kept.key([]byte(f), src) // a test is known by its path
	if b := p.kept.Get(key); b != nil {
		if r, ok := decodeReading(b); ok {
			return parsed{r.File, r.Declared}
		}
		p.kept.Damaged()
	}
	x := source.Parse(f, src)
	if x.Failed {
		return parsed{x, declared(x)}
	}
	r := reading{x, declared(x)}
	r.File.Tokens = nil
	if b, err := r.encode(); err == nil {
		p.kept.Put(key, b)
	}
	return parsed{x, r.Declared}
}

// key is the name under which something made of these parts is kept.
func (k *Kept) key(parts ...[]byte) string {
	h := sha256.New()
	h.Write([]byte(k.Stamp))
	for _, part := range parts {
		h.Write([]byte{0})
		h.Write(part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (r reading) encode() ([]byte, error) {
	var b bytes.Buffer
	b.Write(make([]byte, 4))
	if err := gob.NewEncoder(&b).Encode(r); err != nil {
		return nil, err
	}
	seal(b.Bytes())
	return b.Bytes(), nil
}

func decodeReading(b []byte) (r reading, ok bool) {
	body, ok := unseal(b)
	return r, ok && gob.NewDecoder(bytes.NewReader(body)).Decode(&r) == nil
}
