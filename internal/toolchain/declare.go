package toolchain

import (
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/signature"
)

var (
	tsModifiers = re.New(`^(?:export |default |declare |async |abstract |public )+`)
	tsKeyword   = re.New(`^(function|class|interface|type|enum|const|let|var|namespace)\b`)
)

// Declaration declares an export of a spec with its types for TypeScript's type checker; members are what the spec lists by
// itself for it. It is on one line, and "" when the signature says too little. What it returns need not be correct:
// signatures are written by people.
func Declaration(s Symbol, members []Symbol) string {
	sig := strings.Trim(strings.TrimSpace(s.Signature), "`")
	sig = strings.TrimSpace(tsModifiers().ReplaceAllString(strings.TrimRight(strings.Join(strings.Fields(sig), " "), "; "), ""))
	word := tsKeyword().FindString(sig)
	switch {
	case word == "class" || s.Kind == "class":
		return declareClass(s.Name, sig, members)
	case word == "function":
		return "export declare " + resultAny(sig) + ";"
	case word == "interface", word == "enum" && strings.Contains(sig, "{"):
		if !strings.Contains(sig, "{") {
			return ""
		}
		return "export " + map[bool]string{true: "declare "}[word == "enum"] + sig
	case word == "type":
		if !strings.Contains(sig, "=") {
			return ""
		}
		return "export " + sig + ";"
	case word == "const", word == "let", word == "var":
		return declareValue(s.Name, strings.TrimSpace(strings.TrimPrefix(sig, word)))
	}
	rest, named := strings.CutPrefix(sig, s.Name)
	rest = strings.TrimSpace(rest)
	switch {
	case !named:
		return ""
	case s.Kind == "function" && (strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "<")):
		return "export declare function " + s.Name + resultAny(rest) + ";"
	case s.Kind == "type" && strings.HasPrefix(rest, "{"):
		return "export interface " + s.Name + " " + rest
	case s.Kind == "type" && strings.HasPrefix(rest, "="):
		return "export type " + sig + ";"
	case s.Kind == "variable" || s.Kind == "constant":
		return declareValue(s.Name, sig)
	}
	return ""
}

// VagueDeclaration declares a name of which nothing is known: it can be used as a value and as a type.
func VagueDeclaration(name string) string {
	return "export declare const " + name + ": any; export type " + name + " = any;"
}

// resultAny makes a function without a result type return anything.
func resultAny(sig string) string {
	before, _, _ := signature.Cut(sig, "(") // behind type parameters
	_, tail, ok := signature.CutGroup(sig[len(before):])
	head := sig[:len(sig)-len(tail)]
	switch tail = strings.TrimSpace(tail); {
	case !ok:
		return sig
	case tail == "":
		return head + ": any"
	}
	for _, arrow := range []string{"->", "=>", "→"} {
		if t, ok := strings.CutPrefix(tail, arrow); ok {
			return head + ": " + strings.TrimSpace(t)
		}
	}
	return sig
}

func declareValue(name, sig string) string {
	rest := strings.TrimSpace(strings.TrimPrefix(sig, name))
	if t, ok := strings.CutPrefix(rest, ":"); ok {
		t, _, _ = strings.Cut(t, " = ")
		return "export declare const " + name + ": " + strings.TrimSpace(t) + ";"
	}
	if v, ok := strings.CutPrefix(rest, "="); ok && !strings.Contains(v, "=>") {
		return "export declare const " + name + ": " + typeOfValue(strings.TrimSpace(v)) + ";"
	}
	return ""
}

func typeOfValue(v string) string {
	switch {
	case v == "":
		return "any"
	case strings.ContainsAny(v[:1], "\"'`"):
		return "string"
	case v[0] >= '0' && v[0] <= '9' || v[0] == '-':
		return "number"
	case v == "true", v == "false":
		return "boolean"
	}
	return "any"
}

// declareClass keeps what the signature lists. A constructor that it does not list takes anything, and so does a class of
// which no member is known.
func declareClass(name, sig string, members []Symbol) string {
	head, body := sig, ""
	if i := strings.IndexByte(sig, '{'); i >= 0 {
		head, body = strings.TrimSpace(sig[:i]), strings.TrimSpace(sig[i+1:])
		body = strings.TrimSpace(strings.TrimSuffix(body, "}"))
	}
	head = strings.TrimSpace(strings.TrimPrefix(head, "class "))
	if called, base, ok := strings.Cut(head, ") extends "); ok { // as specs write it: Late(at: string) extends Error
		own, params, _ := strings.Cut(called, "(")
		head = own + " extends " + base + "(" + params + ")"
	}
	head, params, called := strings.Cut(head, "(")
	head = strings.TrimSpace(head)
	if !strings.HasPrefix(head, name) {
		head = name
	}
	known := body != "" || len(members) > 0
	switch {
	case strings.Contains(body, "constructor"):
	case called && strings.HasSuffix(params, ")"):
		body = "constructor(" + params + "; " + body
	default:
		body = "constructor(...args: any[]); " + body
	}
	for _, m := range members {
		rest := strings.TrimSpace(m.Signature[strings.LastIndex(m.Signature, m.Name)+len(m.Name):])
		rest = strings.TrimSpace(strings.Trim(rest, "`"))
		switch {
		case !strings.Contains(m.Signature, m.Name):
			rest = ": any"
		case strings.HasPrefix(rest, "("):
			rest = resultAny(rest)
		case strings.HasPrefix(rest, "->"):
			rest = ": " + strings.TrimSpace(strings.TrimPrefix(rest, "->"))
		case !strings.HasPrefix(rest, ":"):
			rest = ": any"
		}
		body += "; " + m.Name + rest
	}
	if !known && !strings.Contains(head, " extends ") {
		body += " [member: string]: any; static [member: string]: any;"
	}
	return "export declare class " + head + " { " + strings.TrimLeft(body, "; ") + " }"
}
