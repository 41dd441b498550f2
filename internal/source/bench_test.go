package source_test

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/source"
)

// BenchmarkAnalysis reads the corpus of each language, and Go's by the parser of Go alone, which is the yardstick: a
// parser that was written by hand for one language, without what is read out of its tree afterwards.
func BenchmarkAnalysis(b *testing.B) {
	for _, lang := range []string{"go", "ts", "python", "rust", "java", "kotlin"} {
		files := map[string][]byte{}
		size := 0
		paths, _ := filepath.Glob(filepath.Join("testdata", "corpus", lang, "*"))
		for _, p := range paths {
			if strings.HasSuffix(p, ".json") {
				continue
			}
			src, err := os.ReadFile(p)
			if err != nil {
				b.Fatal(err)
			}
			files[filepath.Base(p)] = src
			size += len(src)
		}
		if lang == "go" {
			b.Run("yardstick", func(b *testing.B) {
				b.SetBytes(int64(size))
				for b.Loop() {
					for name, src := range files {
						if _, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ParseComments); err != nil {
							b.Fatal(err)
						}
					}
				}
			})
		}
		b.Run(lang, func(b *testing.B) {
			for name, src := range files { // grammars are loaded once
				source.Parse(name, src)
			}
			b.SetBytes(int64(size))
			for b.Loop() {
				for name, src := range files {
					source.Parse(name, src)
				}
			}
		})
	}
}
