package toolchain_test

import (
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/toolchain"
)

func TestOpaqueTypesHaveStubs(t *testing.T) {
	t.Parallel()
	for sig, want := range map[string]string{
		"type Cart struct": "type Cart struct{}\n", "type Cart": "type Cart struct{}\n", "Cart": "type Cart struct{}\n", "class Cart": "type Cart struct{}\n",
		"type Cart struct { … }": "type Cart struct{}\n", "type Cart interface": "type Cart interface{}\n", "type Cart struct{ N int }": "type Cart struct{ N int }\n",
		"type Cart int64": "type Cart int64\n",
	} {
		if got := toolchain.EmptyStub(toolchain.LangGo, toolchain.Symbol{Name: "Cart", Kind: "type", Signature: sig}); got != want {
			t.Errorf("stub of %q = %q, want %q", sig, got, want)
		}
	}
}

func TestDeclarations(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		s       toolchain.Symbol
		members []toolchain.Symbol
		want    string
	}{
		{s: toolchain.Symbol{Name: "f", Kind: "function", Signature: "f(a: string): number"}, want: "export declare function f(a: string): number;"},
		{s: toolchain.Symbol{Name: "f", Kind: "function", Signature: "async function f(a: (x: T) => void)"}, want: "export declare function f(a: (x: T) => void): any;"},
		{s: toolchain.Symbol{Name: "f", Kind: "function", Signature: "f<T extends { id(): string }>(a: T)"}, want: "export declare function f<T extends { id(): string }>(a: T): any;"},
		{s: toolchain.Symbol{Name: "f", Kind: "function", Signature: "function f<T extends (a: number) => string>(a: T) → T"}, want: "export declare function f<T extends (a: number) => string>(a: T): T;"},
		{s: toolchain.Symbol{Name: "f", Kind: "function", Signature: "function f<T>"}, want: "export declare function f<T>;"},
		{s: toolchain.Symbol{Name: "f", Kind: "function", Signature: "f(a) -> string"}, want: "export declare function f(a): string;"},
		{s: toolchain.Symbol{Name: "I", Kind: "type", Signature: "interface I { a: string }"}, want: "export interface I { a: string }"},
		{s: toolchain.Symbol{Name: "I", Kind: "type", Signature: "I { a: string }"}, want: "export interface I { a: string }"},
		{s: toolchain.Symbol{Name: "T", Kind: "type", Signature: "type T = 'a' | 'b'"}, want: "export type T = 'a' | 'b';"},
		{s: toolchain.Symbol{Name: "E", Kind: "class", Signature: "class E extends Error { readonly code: string }"}, want: "export declare class E extends Error { constructor(...args: any[]); readonly code: string }"},
		{s: toolchain.Symbol{Name: "E", Kind: "class", Signature: "E(code: string) extends Error"}, want: "export declare class E extends Error { constructor(code: string);  }"},
		{
			s: toolchain.Symbol{Name: "R", Kind: "class", Signature: "class R"}, members: []toolchain.Symbol{{Name: "get", Signature: "R.get(k: string): number"}, {Name: "size", Signature: "R.size: number"}},
			want: "export declare class R { constructor(...args: any[]); ; get(k: string): number; size: number }",
		},
		{s: toolchain.Symbol{Name: "O", Kind: "class", Signature: "O"}, want: "export declare class O { constructor(...args: any[]);  [member: string]: any; static [member: string]: any; }"},
		{s: toolchain.Symbol{Name: "MAX", Kind: "variable", Signature: "MAX = 5"}, want: "export declare const MAX: number;"},
		{s: toolchain.Symbol{Name: "MAX", Kind: "variable", Signature: "const MAX: number = 5"}, want: "export declare const MAX: number;"},
		{s: toolchain.Symbol{Name: "x", Kind: "type", Signature: "whatever"}},
	} {
		if got := toolchain.Declaration(c.s, c.members); got != c.want {
			t.Errorf("Declaration(%q) = %q, want %q", c.s.Signature, got, c.want)
		}
	}
}

// TestRustStubsWithLifetimes: a lifetime that bounds a type parameter is no quote, which would hide the brackets behind it.
func TestRustStubsWithLifetimes(t *testing.T) {
	t.Parallel()
	for sig, want := range map[string]string{
		"pub fn f<'a, T: 'a + Clone>(x: &'a T) -> bool":                  `pub fn f<'a, T: 'a + Clone>(x: &'a T) -> bool { panic!("jacquard: not implemented: f") }`,
		"pub fn f<T: 'static, U>(a: T, b: Box<dyn Any + 'static>, c: U)": `pub fn f<T: 'static, U>(a: T, b: Box<dyn Any + 'static>, c: U) { panic!("jacquard: not implemented: f") }`,
		"pub struct f<'a, T: 'a + Clone> { input: &'a str, t: T }":       "pub struct f<'a, T: 'a + Clone> { pub input: &'a str, pub t: T }",
	} {
		kind := map[bool]string{true: "struct", false: "function"}[strings.Contains(sig, "struct")]
		s := toolchain.Stubs{Language: toolchain.LangRust, Symbols: []toolchain.Symbol{{Name: "f", Kind: kind, Signature: sig}}, Fails: true, File: "lib.rs", Find: func(string) string { return "" }}
		files := s.Files()
		if len(files) != 1 || len(files[0].Parts) != 1 || !strings.HasSuffix(strings.TrimSpace(files[0].Parts[0][0]), want) {
			t.Errorf("the stub of %s is %q, want %q", sig, files, want)
		}
	}
}
