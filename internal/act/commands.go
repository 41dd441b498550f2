package act

import (
	"slices"

	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// commandsFor are the beginnings of command lines that an agent may run: those of the toolchain, and what the project's own
// people run.
func commandsFor(f toolchain.Found) []string {
	out := tableCommands(f)
	for _, c := range slices.Concat(f.Own.Test, f.Own.Types, f.Own.Lint, f.Own.Before) {
		for _, begin := range toolchain.Beginnings(f, c) {
			if !slices.Contains(out, begin) {
				out = append(out, begin)
			}
		}
	}
	return out
}

func tableCommands(f toolchain.Found) []string {
	switch f.Ecosystem {
	case toolchain.Go:
		return []string{"go test", "go build", "go vet", "gofmt"}
	case toolchain.Node:
		out := map[string][]string{"vitest": {"npx vitest run"}, "jest": {"npx jest"}, "node": {"node --test"}}[f.Runner]
		for tool, cmd := range map[string]string{"typescript": "npx tsc --noEmit", "eslint": "npx eslint"} {
			if f.Uses(tool) {
				out = append(out, cmd)
			}
		}
		slices.Sort(out)
		return out
	case toolchain.Python:
		if f.Runner == "unittest" {
			return []string{"python3 -m unittest", "python -m unittest"}
		}
		return []string{"python3 -m pytest", "python -m pytest", "pytest"}
	case toolchain.Rust:
		return []string{"cargo test", "cargo build", "cargo check", "cargo clippy", "cargo fmt"}
	case toolchain.JVM:
		switch {
		case f.Manager != "maven":
		case f.Uses("mvnw"):
			return []string{"sh mvnw"}
		default:
			return []string{"mvn"}
		}
	}
	return nil
}
