package target

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

const hexDigits = "0123456789ABCDEF"

// special are the bytes that have a meaning in a line of the lock; they are written as %XX, like
// control characters.
const special = " ,#%~@"

// escape writes a text so that it can stand in a line of the lock. Letters of all scripts stay
// readable.
func escape(s string) string {
	means := func(r rune) bool { return r < ' ' || r == 0x7f || strings.ContainsRune(special, r) }
	if !strings.ContainsFunc(s, means) {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; means(rune(c)) {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func unescape(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			hi, lo := strings.IndexByte(hexDigits, s[i+1]), strings.IndexByte(hexDigits, s[i+2])
			if hi >= 0 && lo >= 0 {
				b.WriteByte(byte(hi<<4 | lo))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// encodeMap writes `name:hash,name:hash`, sorted. Names are paths where dir is given: those in the
// module are written from the module, others from the root with a leading slash.
func encodeMap(m map[string]string, dir string) string {
	names := make(map[string]string, len(m))
	for name, hash := range m {
		if dir != "" {
			name = relative(dir, nfc(name))
		}
		names[name] = hash
	}
	var b strings.Builder
	for i, name := range slices.Sorted(maps.Keys(names)) {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(escape(name) + ":" + escape(names[name]))
	}
	return b.String()
}

func relative(dir, file string) string {
	if dir == "." {
		return file
	}
	if rest, ok := strings.CutPrefix(file, dir+"/"); ok {
		return rest
	}
	return "/" + file
}

func absolute(dir, file string) string {
	if rest, ok := strings.CutPrefix(file, "/"); ok {
		return rest
	}
	if dir == "." || dir == "" {
		return file
	}
	return dir + "/" + file
}

// pairs iterates over what encodeMap wrote.
func pairs(s, dir string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for s != "" {
			var part string
			part, s, _ = strings.Cut(s, ",")
			i := strings.LastIndexByte(part, ':')
			if i < 0 {
				continue
			}
			name := unescape(part[:i])
			if dir != "" {
				name = absolute(dir, name)
			}
			if !yield(name, unescape(part[i+1:])) {
				return
			}
		}
	}
}

func decodeMap(s, dir string) map[string]string {
	if s == "" {
		return nil
	}
	return maps.Collect(pairs(s, dir))
}

// encodeUses writes `path@hash` for a whole interface and `path#name:hash#name:hash` for parts of
// one, with "~" in front of a soft use.
func encodeUses(uses []Use) string {
	out := make([]string, 0, len(uses))
	for _, u := range uses {
		s := escape(nfc(u.Path))
		if u.Soft {
			s = "~" + s
		}
		if len(u.Symbols) == 0 {
			s += "@" + escape(u.Hash)
		}
		for _, name := range slices.Sorted(maps.Keys(u.Symbols)) {
			s += "#" + escape(name) + ":" + escape(u.Symbols[name])
		}
		out = append(out, s)
	}
	return strings.Join(out, ",")
}

func decodeUses(s string) []Use {
	var out []Use
	for part := range strings.SplitSeq(s, ",") {
		if part == "" {
			continue
		}
		var u Use
		part, u.Soft = strings.CutPrefix(part, "~")
		if path, hash, whole := strings.Cut(part, "@"); whole {
			u.Path, u.Hash = unescape(path), unescape(hash)
			out = append(out, u)
			continue
		}
		path, rest, _ := strings.Cut(part, "#")
		u.Path, u.Symbols = unescape(path), map[string]string{}
		for sym := range strings.SplitSeq(rest, "#") {
			if i := strings.LastIndexByte(sym, ':'); i >= 0 {
				u.Symbols[unescape(sym[:i])] = unescape(sym[i+1:])
			}
		}
		out = append(out, u)
	}
	return out
}

// encodeCovers writes `test@item@item,test@item`, sorted. Tests are written as paths are.
func encodeCovers(m map[string][]string, dir string) string {
	parts := make([]string, 0, len(m))
	for test, items := range m {
		items = slices.Clone(items)
		slices.Sort(items)
		part := escape(relative(dir, nfc(test)))
		for _, it := range slices.Compact(items) {
			part += "@" + escape(it)
		}
		parts = append(parts, part)
	}
	slices.Sort(parts)
	return strings.Join(parts, ",")
}

func decodeCovers(s, dir string) map[string][]string {
	if s == "" {
		return nil
	}
	m := map[string][]string{}
	for part := range strings.SplitSeq(s, ",") {
		f := strings.Split(part, "@")
		for i := range f {
			f[i] = unescape(f[i])
		}
		m[absolute(dir, f[0])] = f[1:]
	}
	return m
}
