package source_test

import (
	"testing"

	"github.com/jacquard-build/jacquard/internal/source"
)

func TestZZ(t *testing.T) {
	f := source.Parse("a/a_test.go", []byte("package a\n\nimport \"testing\"\n\nfunc TestTwice(t *testing.T) {\n\tif got, err := Twice(2; err != nil || got != 4 {\n\t\tt.Error(got)\n\t}\n}\n\nfunc TestOver(t *testing.T) {\n\tif got, err := Twice(1001); err == nil {\n\t\tt.Errorf(\"Twice = %d, want an error\", got)\n\t}\n}\n"))
	t.Logf("%+v", f.Tests)
}
