package inspect

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/signature"
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

// declared finds the types that a file declares, and the names that it gives to others: by name, what it stands for, ""
// for a type of its own.
func declared(f source.File) map[string]string {
	out := map[string]string{}
	lang, _ := signature.Lang(f.Lang)
	ts := source.Code(f.Tokens)
	alias := func(name string, from int) {
		if text := rightSide(ts, from); text != "" {
			out[name] = text
		}
	}
	importing := false
	for i, t := range ts {
		if t.Kind == source.Punct && t.Text == ";" || t.Indent >= 0 && lang == signature.Python {
			importing = false
		}
		if t.Kind != source.Ident || i+1 >= len(ts) {
			importing = importing && t.Kind != source.String
			continue
		}
		next := ts[i+1]
		switch {
		case t.Text == "import" || t.Text == "use" || t.Text == "from" && t.Indent >= 0:
			importing = true
		case t.Text == "as" && importing && i > 0 && ts[i-1].Kind == source.Ident && next.Kind == source.Ident:
			out[next.Text] = ts[i-1].Text
		case slices.Contains(declaring, t.Text) && next.Kind == source.Ident:
			if _, twice := out[next.Text]; !twice {
				out[next.Text] = ""
			}
		case (t.Text == "type" || t.Text == "typealias") && next.Kind == source.Ident && i+2 < len(ts):
			if ts[i+2].Text == "=" {
				alias(next.Text, i+3)
			} else if lang == signature.Go && ts[i+2].Text != "[" {
				out[next.Text] = ""
			}
		case lang == signature.Python && t.Indent == 0 && next.Text == "=":
			alias(t.Text, i+2)
		}
	}
	return out
}

// rightSide is the type behind the sign of equality: to the end of its statement.
func rightSide(ts []source.Token, from int) string {
	var b strings.Builder
	depth := 0
	for i := from; i < len(ts) && i < from+60; i++ {
		t := ts[i]
		joins := i > from && (strings.Contains("|&=,.", ts[i-1].Text) || strings.Contains("|&.", t.Text))
		if depth == 0 && (t.Text == ";" || i > from && t.Line != ts[i-1].Line && !joins) {
			break
		}
		switch t.Text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
		if depth < 0 {
			break
		}
		b.WriteString(t.Text + " ")
	}
	return strings.TrimSpace(b.String())
}

// declaring are the words before the name of a new type.
var declaring = []string{"class", "interface", "enum", "struct", "trait", "record", "object"}
