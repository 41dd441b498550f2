package source

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Recorded is a file of tests whose calls of some functions are written down while it runs: a line of JSON each, with the name and the arguments,
// appended to the file at, where all of them are plain values. id tells what is added to several files of a package apart. ok is false where
// there is no such call, or the language is none of Go, Python, JavaScript and TypeScript.
func (f File) Recorded(called map[string]bool, at, id string) (src []byte, ok bool) {
	recorder := recorders[f.Lang]
	if recorder == "" {
		return nil, false
	}
	name := "mutantRecord" + id
	ts := Code(f.Tokens)
	var edits []insertion
	for i := 1; i+1 < len(ts); i++ {
		if ts[i].Kind != Ident || !called[ts[i].Text] || !isPunct(ts[i+1], "(") || declares[ts[i-1].Text] {
			continue
		}
		from := i
		if isPunct(ts[i-1], ".") { // of a module or package
			if i < 3 || ts[i-2].Kind != Ident || isPunct(ts[i-3], ".") || !f.imports(ts[i-2].Text) {
				continue
			}
			from = i - 2
		}
		if end := closing(ts, i+1); end+1 < len(ts) && isPunct(ts[end+1], "{") && f.Lang != Go { // a method is declared
			continue
		}
		edits = append(edits, insertion{ts[from].Off, name + "(" + strconv.Quote(ts[i].Text) + ", "}, insertion{ts[i].End, ")"})
	}
	if len(edits) == 0 {
		return nil, false
	}
	switch f.Lang {
	case Go:
		at := slices.IndexFunc(f.Tokens, func(t Token) bool { return isWord(t, "package") })
		edits = append(edits, insertion{f.Tokens[at+1].End, `; import (mutantjson "encoding/json"; mutantos "os"; mutantreflect "reflect")`})
	case TypeScript:
		edits = append(edits, insertion{ts[0].Off, "// @ts-nocheck\n"})
	}
	slices.SortStableFunc(edits, func(a, b insertion) int { return cmp.Compare(b.off, a.off) }) // the last first
	src = slices.Concat(f.raw, []byte("\n"+strings.NewReplacer("RECORD", name, "FILE", strconv.Quote(at)).Replace(recorder)))
	for _, e := range edits {
		src = slices.Insert(src, e.off, []byte(e.text)...)
	}
	return src, true
}

// imports reports whether a name is that of an imported module or package.
func (f File) imports(name string) bool {
	return slices.ContainsFunc(f.Imports, func(i Import) bool {
		return i.From == name || path.Base(i.From) == name || strings.HasSuffix(i.From, "."+name) || slices.Contains(i.Names, name)
	})
}

// declares are words before a name that is declared, or made, and not called.
var declares = map[string]bool{"func": true, "def": true, "class": true, "function": true, "new": true, "@": true, "async": true, "get": true, "set": true, "*": true}

// recorders are the declarations that write calls down, by language. A call with anything but plain values, and what cannot be written, is left out.
var recorders = map[string]string{
	Go: `
func RECORD[F any](name string, f F) F {
	v := mutantreflect.ValueOf(f)
	if v.Kind() != mutantreflect.Func {
		return f
	}
	return mutantreflect.MakeFunc(v.Type(), func(args []mutantreflect.Value) []mutantreflect.Value {
		list, plain := []any{}, !v.Type().IsVariadic()
		for _, a := range args {
			list, plain = append(list, a.Interface()), plain && RECORDPlain(a.Type())
		}
		if plain {
			if line, err := mutantjson.Marshal([]any{name, list}); err == nil {
				if out, err := mutantos.OpenFile(FILE, mutantos.O_APPEND|mutantos.O_CREATE|mutantos.O_WRONLY, 0o600); err == nil {
					_, _ = out.Write(append(line, '\n'))
					_ = out.Close()
				}
			}
		}
		if v.Type().IsVariadic() {
			return v.CallSlice(args)
		}
		return v.Call(args)
	}).Interface().(F)
}

func RECORDPlain(t mutantreflect.Type) bool {
	switch t.Kind() {
	case mutantreflect.Slice, mutantreflect.Array:
		return t.Elem().Kind() != mutantreflect.Uint8 && RECORDPlain(t.Elem())
	case mutantreflect.Map:
		return t.Key().Kind() == mutantreflect.String && RECORDPlain(t.Elem())
	case mutantreflect.Bool, mutantreflect.String, mutantreflect.Float32, mutantreflect.Float64,
		mutantreflect.Int, mutantreflect.Int8, mutantreflect.Int16, mutantreflect.Int32, mutantreflect.Int64,
		mutantreflect.Uint, mutantreflect.Uint8, mutantreflect.Uint16, mutantreflect.Uint32, mutantreflect.Uint64:
		return t.PkgPath() == ""
	default:
		return false
	}
}
`,
	Python: `

def RECORD(name, f, _open=open):
    import functools
    import json

    def plain(v):
        if type(v) in (list,):
            return all(plain(x) for x in v)
        if type(v) is dict:
            return all(type(k) is str and plain(x) for k, x in v.items())
        return v is None or type(v) in (bool, int, str) or type(v) is float and v - v == 0

    @functools.wraps(f)
    def call(*args, **more):
        try:
            given = [*args, more] if more else [*args]
            if plain(given):
                with _open(FILE, "a") as out:
                    out.write(json.dumps([name, given]) + "\n")
        except Exception:
            pass
        return f(*args, **more)

    return call
`,
	JavaScript: recorderOfScript,
	TypeScript: recorderOfScript,
}

const recorderOfScript = `
function RECORD(name, f) {
  const plain = (v) =>
    v === null || typeof v === "boolean" || typeof v === "string" || (typeof v === "number" && Number.isFinite(v) && !Object.is(v, -0)) ||
    (Array.isArray(v) && Array.from(v).every(plain)) ||
    (typeof v === "object" && Object.getPrototypeOf(v) === Object.prototype && Object.values(v).every(plain));
  if (typeof f !== "function") return f;
  return (...args) => {
    try {
      if (plain(args)) process.getBuiltinModule("node:fs").appendFileSync(FILE, JSON.stringify([name, args]) + "\n");
    } catch {}
    return f(...args);
  };
}
`
