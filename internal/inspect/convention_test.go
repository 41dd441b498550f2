package inspect_test

import (
	"slices"
	"testing"
)

// TestModuleRoots: a directory with a manifest is one, unless it is hidden, others' code, or too deep.
func TestModuleRoots(t *testing.T) {
	t.Parallel()
	x := project(map[string]string{
		"api/go.mod": "module api\n", "web/app/package.json": "{}", ".cache/x/Cargo.toml": "", "web/.next/package.json": "{}",
		"node_modules/a/package.json": "{}", "a/b/c/d/pom.xml": "",
	})
	var got []string
	for _, m := range x.Conventions(nil).ModuleRoots {
		got = append(got, m.Path)
	}
	if want := []string{"api", "web/app"}; !slices.Equal(got, want) {
		t.Errorf("roots %q, want %q", got, want)
	}
}
