package inspect_test

import (
	"strings"
	"testing"
)

// TestIntegrationMap: what a plan uses of other modules has to be there, in the graph, in check and in validate.
func TestIntegrationMap(t *testing.T) {
	t.Parallel()
	x := project(map[string]string{
		"auth/CLAUDE.md": spec1("- `check(token: string): boolean`\n- `sign(id: number): string`\n- `Claims { id: string }`", "None", ""),
		"auth/auth.ts":   "export interface Claims { id: string }\nexport function check(token: string): boolean { return true; }\nexport function sign(id: number): string { return ''; }\n",
		"web/CLAUDE.md":  spec1("None", "None", "## Dependencies\n\n- internal:\n  - `auth/CLAUDE.md`\n"),
		"web/web.ts":     "import { check } from '../auth/auth';\ncheck('');\n",
		"web/IMPLEMENTS.md": "## External Dependencies\n\n- axios@1: calls\n\n## Module Integration Map\n\n### `../auth` → auth/CLAUDE.md\n\n#### Exports Used\n" +
			"- `check(token: string): boolean` — asks\n- `Claims`\n- `gone(): void`\n- `sign(id: string): string` — signs\n\n#### Integration Context\nx\n\n" +
			"### `../zzz` → zzz/CLAUDE.md\n\n#### Exports Used\n- `f(): void`\n\n#### Integration Context\nx\n",
	})
	var got []string
	for _, v := range x.Graph().Violations {
		got = append(got, v.From+" "+v.To+" "+v.Type)
	}
	if s := strings.Join(got, ", "); s != "web auth missing-exports, web zzz unresolved_integration_target" {
		t.Errorf("graph: %s", s)
	}
	warnings := strings.Join(x.Check("web/CLAUDE.md", false).Warnings, "\n")
	for _, want := range []string{"uses gone of auth", "names zzz", "writes sign of auth as `sign(id: string): string`, its spec as `sign(id: number): string`"} {
		if !strings.Contains(warnings, want) {
			t.Errorf("check: no %q in\n%s", want, warnings)
		}
	}
	got = nil
	for _, m := range x.Validate(".").Modules {
		for _, d := range m.Issues {
			if d.Section == "Module Integration Map" {
				got = append(got, m.Directory+" "+d.Type+" "+d.Symbol)
			}
		}
	}
	if n := x.Validate("web").Modules[0].Notes; len(n) != 1 || n[0].Type != "SIGNATURE_MISMATCH" || n[0].Symbol != "sign" {
		t.Errorf("validate notes %+v", n)
	}
	if s := strings.Join(got, ", "); s != "web EXPORT_NOT_FOUND gone, web BOUNDARY_INVALID zzz" {
		t.Errorf("validate: %s", s)
	}
}
