package spec_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/spec"
)

// said renders what a document says, each node with its line.
func said(d *spec.Document) string {
	var out []string
	add := func(line int, format string, args ...any) {
		out = append(out, fmt.Sprintf("%d ", line)+fmt.Sprintf(format, args...))
	}
	for _, e := range d.Exports {
		text := string(e.Kind) + " " + e.Name + " = " + e.Signature
		if len(e.Variants) > 0 {
			text += " variants " + strings.Join(e.Variants, ",")
		}
		if e.Value != "" {
			text += " value " + e.Value
		}
		if e.Description != "" {
			text += " — " + e.Description
		}
		add(e.Line, "%s", text)
	}
	for _, b := range d.Behaviors {
		add(b.Line, "%s %s: %s → %s", b.Category, b.Subject, b.Input, b.Output)
	}
	for _, c := range d.Contracts {
		for i, list := range [][]spec.Clause{c.Preconditions, c.Postconditions, c.Throws, c.Invariants} {
			for _, cl := range list {
				add(cl.Line, "%s %s: %s", c.Function, []string{"pre", "post", "throws", "inv"}[i], cl.Text)
			}
		}
	}
	for _, s := range d.Protocol.States {
		add(s.Line, "state %s", s.Text)
	}
	for _, tr := range d.Protocol.Transitions {
		add(tr.Line, "%s + %s → %s", tr.From, tr.Trigger, tr.To)
	}
	for _, s := range d.Protocol.Lifecycle {
		add(s.Line, "stage %d %s: %s", s.Order, s.Method, s.Description)
	}
	for i, list := range [][]spec.Clause{d.Context.Rationale, d.Context.Constraints, d.Context.Compatibility, d.Constraints} {
		for _, cl := range list {
			add(cl.Line, "%s %s", []string{"rationale", "constraint", "compatibility", "limit"}[i], cl.Text)
		}
	}
	for _, i := range d.Dependencies.Internal {
		add(i.Line, "internal %s %v", i.Path, i.Symbols)
	}
	for _, e := range d.Dependencies.External {
		add(e.Line, "external %s %s %v", e.Name, e.Version, e.Symbols)
	}
	for _, s := range d.Structure {
		add(s.Line, "%s: %s", s.Path, s.Description)
	}
	for _, c := range d.Conventions {
		out = append(out, fmt.Sprintf("%s / %s: %s", c.Section, c.Name, strings.TrimSpace(c.Text)))
	}
	return strings.Join(out, "\n")
}

// TestForms reads each section in each form that it was ever written in. The numbers are the lines of the fragment.
func TestForms(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ src, want string }{
		"exports in tables": {
			"## Exports\n### Types\n| Type | Definition | Description |\n|---|---|---|\n| `Claims` | `{ userId: string }` | what |\n| Id | `A \\| B` | |\n" +
				"### Functions\n| Function | Parameters | Returns | Description |\n|---|---|---|---|\n| validateToken | `token: string` | Promise<Claims> | checks |\n| stop | None | | |\n" +
				"### Enums\n| Name | Values |\n|---|---|\n| Status | Active, Inactive |\n### Constants\n| Name | Type | Value |\n|---|---|---|\n| MAX | number | 3 |\n" +
				"### Classes\n| Name | Signature |\n|---|---|\n| Box | `Box(x: T)` |\n",
			"5 type Claims = Claims { userId: string } — what\n6 type Id = Id = A | B\n10 function validateToken = validateToken(token: string): Promise<Claims> — checks\n" +
				"11 function stop = stop()\n15 enum Status = Status: Active | Inactive variants Active,Inactive\n19 variable MAX = MAX: number = 3 value 3\n23 class Box = Box(x: T)",
		},
		"exports in detail": {
			"## Exports\n### Functions\n#### validateToken\n`validateToken(token: string): Promise<Claims>`\n\nChecks a token.\n\n### Types\n#### Claims\n\n```ts\ninterface Claims {\n  userId: string\n}\n```\n",
			"3 function validateToken = validateToken(token: string): Promise<Claims> — Checks a token.\n9 type Claims = interface Claims { userId: string }",
		},
		"exports with metadata": {
			"<!-- schema: 2.0 -->\n## Exports\n#### f\n- **Type**: function\n- **Signature**: `f(a: A): B`\n- **Description**: does\n#### E\n- **Type**: enum\n- **Variants**: a, b\n#### V\n- **Type**: variable\n- **Value**: 3\n",
			"3 function f = f(a: A): B — does\n7 enum E = E variants a,b\n10 variable V = V value 3",
		},
		"exports as headings": {
			"<!-- schema: 2.0 -->\n## Exports\n#### f\n`f(a: A): B`\n#### E\n\n`E: a | b`\n#### V\n`V = 3`\n",
			"3 function f = f(a: A): B\n5 enum E = E: a | b variants a,b\n8 variable V = V = 3 value 3",
		},
		"behavior in tables": {
			"## Behavior\n### 정상 케이스\n\n| Input | Output |\n|---|---|\n| valid | Claims |\n\n### 에러 케이스\n| 입력 | 결과 |\n|---|---|\n| bad | fails |\n\n| Scenario | Given | When | Then |\n|---|---|---|---|\n| s | g | w | t |\n",
			"6 success : valid → Claims\n11 error : bad → fails\n15 error s: g; w → t",
		},
		"contracts over several lines": {
			"## Contract\n### f\n- **Preconditions**:\n  - a: b: c\n    more of it\n  - second\n- **Postconditions**: x\n  y continues\n- **Throws**:\n  1. `E` if x\n\n**Invariants**\n\n- i\n",
			"4 f pre: a: b: c more of it\n6 f pre: second\n7 f post: x y continues\n10 f throws: `E` if x\n14 f inv: i",
		},
		"contracts in tables": {
			"## Contract\n### g(x: string)\n| Throws | When |\n|---|---|\n| `E` | x is 1:2 |\n\n### h\n| Condition | Description |\n|---|---|\n| Precondition | a<br>b |\n\n### All\n| Function | Preconditions | Throws |\n|---|---|---|\n| `k(a)` | a | E |\n",
			"5 g throws: `E`: x is 1:2\n10 h pre: a\n10 h pre: b\n15 k pre: a\n15 k throws: E",
		},
		"protocol in tables": {
			"## Protocol\n### State Machine\n**States**: `A` | `B`\n\n| Current | Event | Next |\n|---|---|---|\n| A | go() | B |\n\n### Lifecycle\n| Order | Method | Description |\n|---|---|---|\n| 1 | `init()` | begins |\n| 2 | `close()` | ends |\n\n3. **stop**: stops\n",
			"3 state A\n3 state B\n7 A + go() → B\n12 stage 1 init: begins\n13 stage 2 close: ends\n15 stage 3 stop: stops",
		},
		"domain context in tables": {
			"## Domain Context\n### Constraints\n| Name | Value | Reason |\n|---|---|---|\n| MAX | 3 | law |\n\n**Compatibility**\n- UUID v1\n\n### Decision Rationale\n- d: x\n  - because\n",
			"11 rationale d: x; because\n5 constraint MAX: 3 (law)\n8 compatibility UUID v1",
		},
		"dependencies under labels": {
			"## Dependencies\n- external:\n  - `jsonwebtoken@9.0.0`: sign, verify\n- internal:\n  - `core/domain/CLAUDE.md`: A, B\n",
			"5 internal core/domain [A B]\n3 external jsonwebtoken 9.0.0 [sign verify]",
		},
		"dependencies under headings": {
			"## Dependencies\n### External\n| Package | Version | Used |\n|---|---|---|\n| `zod` | ^3.1 | z |\n### Internal\n- `x/CLAUDE.md` — text\n- [y](y/CLAUDE.md): A\n- z/CLAUDE.md → A, B\n- `q/CLAUDE.md#Sym`\n\n| Module | Symbols |\n|---|---|\n| `w/CLAUDE.md` | C |\n",
			"7 internal x []\n8 internal y [A]\n9 internal z [A B]\n10 internal q [Sym]\n14 internal w [C]\n5 external zod ^3.1 [z]",
		},
		"conventions": {
			"## Project Convention\n### Project Structure\n- src/\n### Module Boundaries\nNone\n## Code Convention\ngeneral\n### Naming Rules\n- camelCase\n```sh\n## no heading\n```\n",
			"Project Convention / Project Structure: - src/\nProject Convention / Module Boundaries: None\nCode Convention / : general\nCode Convention / Naming Rules: - camelCase\n```sh\n## no heading\n```",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, ps := spec.Parse("m/CLAUDE.md", []byte(tc.src))
			if got := said(d); got != tc.want || len(ps) > 0 {
				t.Errorf("got\n%s\nwant\n%s\nproblems %v", got, tc.want, ps)
			}
			placed(t, d, tc.src)
		})
	}
}

// placed checks that every node of a document has a line of the file.
func placed(t *testing.T, v any, src string) {
	t.Helper()
	last := strings.Count(src, "\n") + 1
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() {
				walk(v.Elem())
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				f := v.Type().Field(i)
				if f.Name == "Line" {
					if n := v.Field(i).Int(); n < 1 || n > int64(last) {
						t.Errorf("%s %+v is at line %d of %d", v.Type().Name(), v, n, last)
					}
				} else if f.IsExported() {
					walk(v.Field(i))
				}
			}
		default:
		}
	}
	walk(reflect.ValueOf(v))
}
