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

// parsed is a file as it is read, with the names of types that it declares and what they stand for. It is kept without its tokens.
type parsed struct {
	source.File

	Declared map[string]string
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
	key := ""
	if p.kept != nil && source.LangOf(f) != "" && len(src) > 0 {
		key = p.kept.key([]byte(f), src) // a test is known by its path
		if x, ok := recall[parsed](p.kept, key); ok {
			return x
		}
	}
	file := source.Parse(f, src)
	x := parsed{file, declared(file)}
	if key != "" && !x.Failed {
		keep := x
		keep.Tokens = nil
		p.kept.keep(key, keep)
	}
	return x
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

// keep puts a value under a key.
func (k *Kept) keep(key string, value any) {
	var b bytes.Buffer
	b.Write(make([]byte, 4))
	if gob.NewEncoder(&b).Encode(value) == nil {
		seal(b.Bytes())
		k.Put(key, b.Bytes())
	}
}

// recall is the value that was kept under a key, false when there is none.
func recall[T any](k *Kept, key string) (value T, ok bool) {
	b := k.Get(key)
	if b == nil {
		return value, false
	}
	if body, whole := unseal(b); whole && gob.NewDecoder(bytes.NewReader(body)).Decode(&value) == nil {
		return value, true
	}
	k.Damaged()
	return value, false
}
