package inspect_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestDecompiledSpecsListPackagesAndFiles: of each language what a manifest names, and what lies in a module.
func TestDecompiledSpecsListPackagesAndFiles(t *testing.T) {
	t.Parallel()
	specs := roundTrip(t, map[string][]byte{
		"go.mod":                        []byte("module example.com/lab\n\nrequire golang.org/x/text v0.3.0\n"),
		"a/a.go":                        []byte("// Package a is first.\npackage a\n\nimport (\n\t\"fmt\"\n\n\t\"example.com/elsewhere\"\n\t\"golang.org/x/text/language\"\n)\n\nvar A = fmt.Sprint(elsewhere.X, language.X)\n"),
		"a/a_test.go":                   []byte("package a\n"),
		"a/b.go":                        []byte("package a\n"),
		"a/deep/in/in.go":               []byte("// Package in is inside.\n//\n// More.\npackage in\n"),
		"a/deep/in/own/own.go":          []byte("package own\n"),
		"web/package.json":              []byte(`{"dependencies": {"@scope/kit": "^1.2", "react": "19.0.0"}}`),
		"web/index.tsx":                 []byte("import { x } from '@scope/kit/x';\nimport fs from 'node:fs';\nimport React from 'react';\nexport const y = 1;\n"),
		"web/(group)/page (old).tsx":    []byte("export const z = 1;\n"),
		"rs/Cargo.toml":                 []byte("[package]\nname = \"rs\"\n[dependencies]\nserde_json = { version = \"1\" }\n"),
		"rs/src/lib.rs":                 []byte("use serde_json::Value;\nuse std::fmt;\npub fn f(v: Value) {}\n"),
		"jvm/pom.xml":                   []byte("<project><dependencies><dependency><groupId>org.slf4j</groupId><artifactId>slf4j-api</artifactId><version>2.0.1</version></dependency></dependencies></project>"),
		"jvm/src/main/java/shop/A.java": []byte("package shop;\nimport java.util.List;\nimport org.slf4j.Logger;\npublic class A { }\n"),
	})
	for dir, want := range map[string]string{
		"a":                      "## Dependencies\n\n- external:\n  - `golang.org/x/text@v0.3.0`\n\n## Structure\n\n- `a.go`\n- `b.go`\n- `deep/in/`: Package in is inside.\n\n## Behavior",
		"a/deep/in":              "\n\n## Structure\n\n- `in.go`\n- `own/`\n\n## Behavior",
		"web":                    "## Dependencies\n\n- external:\n  - `@scope/kit@^1.2`\n  - `react@19.0.0`\n\n## Structure\n\n- `index.tsx`\n\n## Behavior",
		"rs/src":                 "## Dependencies\n\n- external:\n  - `serde_json@1`\n\n## Structure\n\n- `lib.rs`\n\n",
		"jvm/src/main/java/shop": "## Dependencies\n\n- external:\n  - `org.slf4j:slf4j-api@2.0.1`\n\n## Structure",
	} {
		if !strings.Contains(specs[dir], want) {
			t.Errorf("%s lacks %q:\n%s", dir, want, specs[dir])
		}
	}
}

// TestDriftOfPackages: packages of others are compared where a spec lists them as the manifest does, and never guessed at.
func TestDriftOfPackages(t *testing.T) {
	t.Parallel()
	spec := func(packages string) string {
		return "# x\n\n## Purpose\n\nX.\n\n## Exports\n\nNone\n\n## Dependencies\n\n" + packages + "\n## Behavior\n\nNone\n\n## Contract\n\nNone\n\n## Protocol\n\nNone\n\n## Domain Context\n\nNone\n"
	}
	goCode := map[string]string{
		"go.mod": "module m\n\nrequire (\n\texample.com/one v1.0.0\n\texample.com/two v1.0.0\n\texample.com/three v1.0.0\n)\n",
		"x/x.go": "package x\n\nimport (\n\t\"os\"\n\n\t\"example.com/one/sub\"\n)\n\nvar a = sub.X + os.PathSeparator\n", "x/x_test.go": "package x\n\nimport _ \"example.com/two\"\n",
	}
	web := map[string]string{
		"package.json": `{"dependencies": {"react": "19", "zod": "4"}}`, "x/x.tsx": "import { z } from 'zod';\nimport { helper } from './helper';\nconst a = <p>{z}</p>;\n", "x/helper.ts": "const helper = 1;\n",
	}
	for _, c := range []struct {
		name  string
		files map[string]string
		spec  string
		want  string
	}{
		{"all of them", goCode, "- external:\n  - `example.com/one@v1.0.0`\n  - `example.com/two`\n", ""},
		{"one is not imported", goCode, "- external:\n  - `example.com/one`\n  - `example.com/three`\n", "STALE example.com/three"},
		{"one is not named", goCode, "- external:\n  - `example.com/two`\n", "ORPHAN example.com/one"},
		{"another spelling", goCode, "- external:\n  - `One`\n  - `example.com/two`\n", ""},
		{"no list", goCode, "- external: None\n", ""},
		{"a list of something else", goCode, "- external:\n  - `os`\n  - the usual ones\n", ""},
		{"not in the manifest", goCode, "- external:\n  - `example.com/one`\n  - `example.com/later`\n", ""},
		{"used and not imported", web, "- external:\n  - `react`\n  - `zod`\n", ""},
		{"not named", web, "- external:\n  - `react`\n", "ORPHAN zod"},
	} {
		files := maps.Clone(c.files)
		files["x/CLAUDE.md"] = spec(c.spec)
		var got []string
		for _, d := range project(files).Validate(".").Modules[0].Issues {
			got = append(got, d.Type+" "+d.Symbol)
		}
		if slices.Sort(got); strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
