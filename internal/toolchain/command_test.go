package toolchain_test

import (
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/toolchain"
)

func TestTestCommand(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"go test ./...": "all", "go test -race -count=1 ./...": "all", "go test": "some", "go test ./cache": "some", "go test -run TestX ./...": "some",
		"go test -run=TestX ./...": "some", "go vet ./...": "", "go": "", "npm test": "all", "npm run test": "all", "npm run lint": "", "npm test -- --run a.test.ts": "some",
		"npx vitest run": "all", "npx vitest run src/a.test.ts": "some", "npx vitest run -t total": "some", "node --test": "all", "node --test test/a.test.js": "some",
		"pytest": "all", "pytest -q": "all", "pytest -k total": "some", "pytest tests/test_a.py": "some", "python3 -m pytest -x": "all",
		"python3 -m unittest discover": "all", "python3 -m unittest discover -s tests": "some", "python3 -m unittest tests.test_a": "some",
		"cargo test": "all", "cargo test total": "some", "mvn -q test": "all", "mvn test -Dtest=TotalTest": "some", "grep -q x README.md": "", "make test": "",
		"rspec": "all", "bundle exec rspec spec/a_spec.rb -e split": "some", "ruby -Itest test/a_test.rb": "some", "mix test": "all", "ctest --test-dir build -R units": "some", "phpunit": "all",
	} {
		tests, all := toolchain.TestCommand(strings.Fields(line))
		got := map[[2]bool]string{{true, true}: "all", {true, false}: "some"}[[2]bool{tests, all}]
		if got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
