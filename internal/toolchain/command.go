package toolchain

import (
	"slices"
	"strings"
)

// testCommands are the beginnings of command lines that run tests.
var testCommands = []string{
	"go test", "node --test", "npx vitest", "npx jest", "vitest", "jest", "bun test", "deno test", "cargo test", "cargo nextest run",
	"npm test", "npm t", "npm run test", "pnpm test", "pnpm run test", "yarn test", "yarn run test", "bun run test",
	"pytest", "python -m pytest", "python3 -m pytest", "uv run pytest", "poetry run pytest", "python -m unittest", "python3 -m unittest",
	"mvn test", "mvn -q test", "./mvnw test", "sh mvnw test",
	"rspec", "bundle exec rspec", "rake test", "bundle exec rake test", "ruby -Itest", "ruby -Ilib:test", "ruby -Ilib -Itest", "phpunit", "vendor/bin/phpunit", "mix test", "ctest",
}

// TestCommand reports whether a command runs tests, by how it begins, and whether it runs all of them: nothing in it
// chooses some.
func TestCommand(argv []string) (tests, all bool) {
	for _, c := range testCommands {
		words := strings.Fields(c)
		if len(argv) < len(words) || !slices.Equal(argv[:len(words)], words) {
			continue
		}
		rest := slices.Clone(argv[len(words):])
		if words[0] == "go" && !slices.Contains(rest, "./...") {
			return true, false // of one package
		}
		rest = slices.DeleteFunc(rest, func(a string) bool {
			return a == "./..." || a == "run" || a == "discover" || strings.HasPrefix(a, "-") && (!strings.Contains(a, "=") || strings.HasPrefix(a, "-count=") || strings.HasPrefix(a, "-timeout="))
		})
		return true, len(rest) == 0 // what chooses tests has a value or is a path
	}
	return false, false
}
