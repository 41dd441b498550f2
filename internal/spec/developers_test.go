package spec_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/spec"
)

const developers = "# auth\n\n## File Map\n\n| File | Role | Uses |\n|---|---|---|\n| `token.ts` | signs | `claims.ts`, util.ts |\n| claims.ts | types | None |\n\n" +
	"## Data Structures\n\n### Internal types\n\n- `Session`\n\n### Transformation\n\nrequest → claims\n\n" +
	"## Decision Log\n\n### One key for all\n\n- **Context**: two services\n  and a worker\n- **Decision**: one key\n- **Rationale**: `a:  b` is simple\n\n" +
	"### 토큰 만료\n**맥락**: PCI\n\n**결정**: 7일\n\n**근거**: 규정\n\n## Operations\n\n### Gotchas\n\nclock skew\n"

func severities(ps []spec.Problem) string {
	var out []string
	for _, p := range ps {
		out = append(out, fmt.Sprintf("%d %s %s", p.Line, p.Severity, p.Text))
	}
	return strings.Join(out, "\n")
}

func TestDevelopers(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{"as written": developers, "CRLF and a byte order mark": "\ufeff" + strings.ReplaceAll(developers, "\n", "\r\n")} {
		files, ps := spec.ParseDevelopers("auth/DEVELOPERS.md", []byte(src))
		equal(t, name+": problems", severities(ps), "")
		equal(t, name+": files", fmt.Sprint(files), "[{token.ts 7} {claims.ts 8}]")
		placed(t, files, src)
	}
	korean := "# x\n## 파일 맵\n| 파일 | 역할 | 의존 |\n|---|---|---|\n| a.go | b | c.go |\n## 데이터 구조\nNone\n## 결정 로그\nNone\n## 운영\n없음\n"
	files, ps := spec.ParseDevelopers("DEVELOPERS.md", []byte(korean))
	equal(t, "in Korean", fmt.Sprint(files, severities(ps)), "[{a.go 5}]")
}

func TestDevelopersProblems(t *testing.T) {
	t.Parallel()
	const rest = "## Data Structures\nNone\n## Decision Log\nNone\n## Operations\nNone\n"
	tests := map[string]struct{ src, want string }{
		"nothing": {"", "1 error Missing required section: Data Structures\n1 error Missing required section: Decision Log\n" +
			"1 error Missing required section: File Map\n1 error Missing required section: Operations"},
		"no file":        {"## File Map\nNone\n" + rest, "1 error Section 'File Map' does not allow 'None' as value"},
		"only prose":     {"## File Map\nAll of them.\n" + rest, "1 error File Map must list the files of the module"},
		"empty table":    {"## File Map\n| File | Role |\n|---|---|\n" + rest, "1 error File Map must list the files of the module"},
		"a list":         {"## File Map\n- a.go: b\n- `Makefile` — c\n" + rest, ""},
		"missing fields": {"## File Map\n- a.go: b\n" + strings.Replace(rest, "Log\nNone", "Log\n### D\n- Context: x\n- **Decision**:\n### E\n#### Context\nc\n#### Decision\nd\n#### Rationale\nr", 1), "6 error decision 'D' has no Decision\n6 error decision 'D' has no Rationale"},
		"a date":         {"## File Map\n- a.go: b\n" + strings.Replace(rest, "Log\nNone", "Log\n### 2026-01-02 D\n- 맥락: x\n- 결정: y\n- 근거: z", 1), "6 warning decision '2026-01-02 D' has a date"},
		"no headings":    {"## File Map\n- a.go: b\n" + strings.Replace(rest, "Log\nNone", "Log\n- we decided", 1), "5 error Decision Log must have a heading for each decision, or 'None'"},
		"in a fence":     {"```\n## File Map\n```\n## File Map\n- a.go: b\n" + rest, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, ps := spec.ParseDevelopers("DEVELOPERS.md", []byte(tc.src))
			equal(t, "problems", severities(ps), tc.want)
		})
	}
}

const style = "# Style\n\n## Naming\n\n### Variables\n- pattern: camelCase\n- prefix: _\n- examples: [userId, isOpen]\n\n### Files\n- pattern: `kebab-case`\n- suffix: .service\n- test_suffix: \".test\"\n\n" +
	"## Formatting\n- indentation: 2 spaces\n- line_length: 100\n- **quotes**: single\n- semicolons: true\n- trailing_comma: none\n- brace_style: 1tbs\n\n" +
	"## Code Structure\n### Imports\n- order: [builtin, external, internal, relative]\n- grouping: blank line\n### Exports\n- style: named\n- barrel_files: false\n### Function Length\n- max_lines: 50\n- max_parameters: 4\n\n" +
	"## Error Handling\n- style: throw\n- custom_errors: true\n- error_naming: `{Domain}Error`\n\n## Testing\n- framework: vitest\n- file_pattern: `*.test.ts`\n- location: beside\n- describe_pattern: name\n- assertion_style: expect\n\n" +
	"## Project-Specific\n- no `any`\n- more\n"

func TestStyle(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{"as written": style, "CRLF": strings.ReplaceAll(style, "\n", "\r\n")} {
		f, ps := spec.ParseConvention("code-convention.md", []byte(src))
		equal(t, name+": problems", severities(append(ps, spec.CheckConvention(f)...)), "")
		equal(t, name, f.Style, spec.Style{
			Naming: []spec.NamingRule{
				{Of: "Variables", Pattern: "camelCase", Prefix: "_", Examples: []string{"userId", "isOpen"}, Line: 5},
				{Of: "Files", Pattern: "kebab-case", Suffix: ".service", TestSuffix: ".test", Line: 10},
			},
			Indentation: "2 spaces", LineLength: 100, Quotes: "single", Semicolons: "true", TrailingComma: "none", BraceStyle: "1tbs",
			ImportOrder: []string{"builtin", "external", "internal", "relative"}, ImportGrouping: "blank line", ExportStyle: "named", BarrelFiles: "false", MaxLines: 50, MaxParameters: 4,
			ErrorStyle: "throw", CustomErrors: "true", ErrorNaming: "{Domain}Error",
			Framework: "vitest", FilePattern: "*.test.ts", Location: "beside", DescribePattern: "name", AssertionStyle: "expect",
			Project: []spec.Clause{{Text: "no `any`", Line: 47}, {Text: "more", Line: 48}},
		})
		placed(t, f, src)
	}
	for src, want := range map[string]string{
		"": "1 error Missing required section: Formatting\n1 error Missing required section: Naming",
		"## Naming\n### Types\n- pattern: Pascal\n### Files\n- kebab\n## Formatting\n- quotes: both\n- line_length: wide\n- colour: red\n": "3 warning pattern cannot be set to Pascal\n4 warning naming of Files has no pattern\n" +
			"7 warning quotes cannot be set to both\n8 warning line_length cannot be set to wide",
	} {
		f, ps := spec.ParseConvention("code-convention.md", []byte(src))
		equal(t, "problems of parsing", len(ps), 0)
		equal(t, "problems", severities(spec.CheckConvention(f)), want)
	}
}
