package inspect_test

import (
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/inspect"
)

// TestUsesOfAnInterface: only what code says of a module counts, with what that is made of.
func TestUsesOfAnInterface(t *testing.T) {
	t.Parallel()
	money := "# money\n\n## Purpose\n\nx\n\n## Exports\n\n- `Parse(text: string): Money`\n- `Format(m: Money): string`\n- `Money { cents: int }`\n- `Money.Add(o: Money): Money`\n- `Other { x: int }`\n\n## Behavior\n\nNone\n"
	for _, c := range []struct{ file, src, want string }{
		{"shop/shop.go", "package shop\n\nimport \"example.com/lab/money\"\n\nfunc F() { money.Parse(\"1\") }\n", "Money Parse"},
		{"shop/shop.go", "package shop\n\nimport cash \"example.com/lab/money\"\n\nfunc F(m cash.Money) { m.Add(m) }\n", "Money Money.Add"},
		{"shop/shop.go", "package shop\n\n// money.Parse is not called.\nfunc F() { _ = \"Parse\" }\n", ""},
		{"shop/shop.go", "package shop\n\nimport . \"example.com/lab/money\"\n\nfunc F() { Format(Money{}) }\n", "Format Money"},
		{"shop/shop.ts", "import { Parse as p } from '../money';\nexport const f = () => p('1');\n", "Money Parse"},
		{"shop/shop.ts", "import * as m from '../money';\nexport const f = () => m.Format({ cents: 1 });\n", "Format Money"},
		{"shop/shop.py", "from money import Parse\n\n\ndef f():\n    return Parse('1')\n", "Money Parse"},
		{"shop/shop.py", "from money import *\n\n\ndef f():\n    return Parse('1')\n", ""},
		{"src/shop.rs", "use crate::money::{Parse};\npub fn f() { Parse(\"1\"); }\n", ""},
	} {
		files := map[string]string{
			"go.mod": "module example.com/lab\n", "money/CLAUDE.md": money, "money/__init__.py": "", c.file: c.src,
		}
		var list []string
		for f := range files {
			list = append(list, f)
		}
		p := inspect.New("/p", list, func(f string) []byte { return []byte(files[f]) })
		if got := strings.Join(p.Used([]string{c.file}, "money"), " "); got != c.want {
			t.Errorf("%s\nuses %q, want %q", c.src, got, c.want)
		}
	}
}

// TestSuperOfAModuleInTheFile: what is written out in a file has the file's own module above it.
func TestSuperOfAModuleInTheFile(t *testing.T) {
	t.Parallel()
	for use, want := range map[string]string{"super::*": "", "super::x": "", "super::super::x": "src", "crate::x": "src"} {
		specs := roundTrip(t, map[string][]byte{
			"Cargo.toml": []byte("[package]\nname = \"shop\"\n"), "src/lib.rs": []byte("pub fn x() {}\n"),
			"src/money/mod.rs": []byte("pub fn y() {}\n#[cfg(test)]\nmod tests {\n    use " + use + ";\n}\n"),
		})
		if named := strings.Contains(specs["src/money"], "`src/CLAUDE.md`"); named != (want != "") {
			t.Errorf("use %s: the spec names the module above: %v\n%s", use, named, specs["src/money"])
		}
	}
}
