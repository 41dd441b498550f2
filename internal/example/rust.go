package example

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/signature"
)

const rustHead = `use std::io::Write;

fn text(s: &str) -> String {
    let mut out = String::from("\"");
    for c in s.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if (c as u32) < 32 => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out + "\""
}

fn say(out: &mut std::fs::File, id: &str, call: impl FnOnce() -> String + std::panic::UnwindSafe) {
    let line = match std::panic::catch_unwind(call) {
        Ok(s) => format!("{{\"id\": \"{id}\", \"debug\": {}}}", text(&s)),
        Err(_) => format!("{{\"id\": \"{id}\", \"error\": {{\"names\": [\"panic\"], \"text\": \"\"}}}}"),
    };
    writeln!(out, "{line}").unwrap();
}

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let mut out = std::fs::File::create({out}).unwrap();
`

// Rust is the program that makes the calls of a plan: Rust cannot look a function up by its name, so each call is a line of it. Lines
// says which call is on which line, cannot which have arguments that cannot be written. Signatures are those of the exports, by name and by
// Type.name: they say whether a text is a String, and what can fail.
func Rust(plan Plan, signatures map[string]string) (program []byte, lines, cannot map[string]string) {
	lines, cannot = map[string]string{}, map[string]string{}
	var b strings.Builder
	b.WriteString(strings.NewReplacer("{out}", Quoted(plan.Out)).Replace(rustHead))
	for _, c := range plan.Calls {
		text, ok := rustSequence(c, signatures)
		if !ok {
			cannot[c.ID] = "its arguments cannot be written in Rust"
			continue
		}
		fmt.Fprintf(&b, "    say(&mut out, %q, || format!(\"{:?}\", %s));\n", c.ID, text)
		lines[fmt.Sprint(strings.Count(b.String(), "\n"))] = c.ID
	}
	b.WriteString("}\n")
	return []byte(b.String()), lines, cannot
}

// rustSequence writes what is done before a call, and that.
func rustSequence(c Call, signatures map[string]string) (string, bool) {
	text, ok := rustCall(c.Links, signatures)
	var b strings.Builder
	for _, s := range c.Before {
		step, may := rustCall(s.Call, signatures)
		ok = ok && may
		if s.Name == "" {
			b.WriteString("let _ = " + step + "; ")
			continue
		}
		last := s.Call[len(s.Call)-1]
		b.WriteString("let mut " + s.Name + " = " + step + taken(declared(signatures, last.Name)) + "; ")
	}
	if b.Len() > 0 {
		text = "{ " + b.String() + text + " }"
	}
	return text, ok
}

// rustCall writes a chain. What a call before the last gives is used where it can fail or be missing, as its object or as an argument.
func rustCall(links []Link, signatures map[string]string) (string, bool) {
	var b strings.Builder
	good := true
	written := func(v Value, t string) string {
		text, ok := rustValue(v, t, signatures)
		good = good && ok
		return text
	}
	for i, l := range links {
		switch {
		case l.Index != nil:
			b.WriteString("[" + written(*l.Index, "") + "]")
			continue
		case l.Var:
			b.WriteString(l.Name)
			continue
		case i == 0:
			b.WriteString(l.Module + "::" + strings.ReplaceAll(l.Name, ".", "::"))
		case l.Name != "":
			b.WriteString("." + l.Name)
		}
		switch {
		case l.Field:
			continue
		case l.Fields != nil:
			var fields []string
			for _, f := range l.Fields {
				fields = append(fields, f.Name+": "+written(f.Value, "String"))
			}
			b.WriteString(" { " + strings.Join(fields, ", ") + " }")
		default:
			types := parameters(declared(signatures, l.Name))
			var args []string
			for k, a := range l.Args {
				t := ""
				if k < len(types) {
					t = types[k]
				}
				args = append(args, written(a, t))
			}
			b.WriteString("(" + strings.Join(args, ", ") + ")")
		}
		if i+1 < len(links) && !unwraps(links[i+1]) { // its result is what the next one is called of
			b.WriteString(taken(declared(signatures, l.Name)))
		}
	}
	return b.String(), good
}

// declared is the signature of a function by its name, with its type as far as that is known.
func declared(signatures map[string]string, name string) string {
	if s := signatures[name]; s != "" {
		return s
	}
	return signatures[lastName(name)]
}

// taken is how what a function gives is taken out of a Result, an Option, or one in the other.
func taken(text string) string {
	s, _ := signature.Parse(text, signature.Rust)
	out := ""
	if s.Result != nil {
		t := signature.Text(*s.Result, signature.Rust)
		for strings.HasPrefix(t, "Result<") || strings.HasPrefix(t, "Option<") {
			t = t[len("Result<"):]
			out += ".unwrap()"
		}
	}
	return out
}

// unwraps reports whether a call is one of a Result or an Option itself.
func unwraps(l Link) bool {
	return slices.Contains([]string{"unwrap", "expect", "is_ok", "is_err", "is_some", "is_none", "unwrap_or", "unwrap_err", "ok", "err"}, l.Name)
}

// parameters are the types of a function's parameters, without that of the object.
func parameters(text string) []string {
	s, _ := signature.Parse(text, signature.Rust)
	var out []string
	for _, p := range s.Params {
		if p.Type != nil {
			out = append(out, signature.Text(*p.Type, signature.Rust))
		}
	}
	return out
}

func rustValue(v Value, t string, signatures map[string]string) (string, bool) {
	if inner, ok := strings.CutPrefix(t, "Option<"); ok && v.Kind != Null && v.Kind != Made {
		s, ok := rustValue(v, strings.TrimSuffix(inner, ">"), signatures)
		return "Some(" + s + ")", ok
	}
	switch v.Kind {
	case Null:
		return "None", true
	case Bool:
		return v.Text, true
	case Number:
		if (t == "f64" || t == "f32") && whole(v.Text) {
			return v.Text + ".0", true
		}
		return v.Text, true
	case String:
		s := Quoted(v.Text) // JSON's escapes are Rust's but for \uXXXX, which it does not write for what can be printed
		switch {
		case strings.Contains(s, `\u`) || strings.Contains(s, `\b`) || strings.Contains(s, `\f`):
			return "", false
		case t == "char":
			return "'" + strings.ReplaceAll(strings.Trim(s, `"`), "'", `\'`) + "'", len([]rune(v.Text)) == 1
		case t == "String":
			s += ".to_string()"
		}
		return s, true
	case List:
		inner := strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(t, "&"), "Vec<"), "["), ">"), "]")
		var parts []string
		for _, x := range v.List {
			s, ok := rustValue(x, inner, signatures)
			if !ok {
				return "", false
			}
			parts = append(parts, s)
		}
		list := "[" + strings.Join(parts, ", ") + "]"
		switch {
		case strings.HasPrefix(t, "&"):
			return "&" + list, true
		case strings.HasPrefix(t, "Vec<"):
			return "vec!" + list, true
		case strings.HasPrefix(t, "("):
			return "(" + strings.Join(parts, ", ") + ")", true
		}
		return list, true
	case Made, Code:
		s, ok := v.Text, strings.Contains(v.Text, "|")
		if v.Kind == Made {
			s, ok = rustCall(v.Call, signatures)
			if last := v.Call[len(v.Call)-1]; !last.Var && !strings.HasPrefix(t, "Option<") && !strings.HasPrefix(t, "Result<") {
				s += taken(declared(signatures, last.Name))
			}
		}
		for _, borrow := range []string{"&mut ", "&"} {
			if strings.HasPrefix(t, borrow) {
				return borrow + s, ok
			}
		}
		return s, ok
	case Object, Name:
	}
	return "", false
}

// debugged turns what Rust's {:?} writes into an outcome.
func debugged(id, text string) Outcome {
	o := Outcome{ID: id}
	for _, wrap := range []string{"Ok(", "Some("} {
		if inner, ok := strings.CutPrefix(text, wrap); ok {
			return debugged(id, strings.TrimSuffix(inner, ")"))
		}
	}
	if inner, ok := strings.CutPrefix(text, "Err("); ok {
		name, _, _ := strings.Cut(strings.TrimSuffix(inner, ")"), "(")
		name, _, _ = strings.Cut(name, " ")
		o.Error = &Thrown{Names: []string{name}, Text: inner[:len(inner)-1]}
		return o
	}
	p := &parser{s: text}
	if v, ok := p.value(); ok && p.end() && v.Kind != Name {
		o.Value = json.RawMessage(v.String())
		return o
	}
	s := shown{Type: text, Text: text}
	p = &parser{s: text}
	if name := p.name(); name != "" {
		s.Type, s.Name = name, name
		if p.take("{") {
			if fields, ok := p.fields(); ok && p.end() {
				s.Fields = json.RawMessage(Value{Kind: Object, Fields: fields}.String())
			}
		}
	}
	o.Value, _ = json.Marshal(s) //nolint:errchkjson // texts and JSON
	return o
}
