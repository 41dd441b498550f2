package commands

import (
	"strings"
	"testing"
)

// TestChooses: a command that is given the names of tests is not the one that runs all.
func TestChooses(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"pytest -k fast": true, "python -m pytest -k smoke tests": true, "pytest tests/test_a.py::test_b": true, "pytest -k": false,
		"pytest tests": false, "pytest -k not_x": true, "python -m unittest tests.test_meta.TestVersion.test_it": true, "unittest tests.test_a.TestB": true,
		"unittest tests.test_a": false, "unittest discover -s tests -p *Test.py": false, "go test -run=TestX ./...": true, "go test -run TestX": true, "go test ./...": false,
		"jest -t name": true, "tap -t 30": false, "mvn -Dtest=FooTest test": true, "node --test --test-name-pattern=x": true, "ls -k x": false,
	} {
		if got := chooses(strings.Fields(line)); got != want {
			t.Errorf("chooses(%q) = %v", line, got)
		}
	}
	if chooses([]string{"pytest", "-k", "not slow"}) {
		t.Error("what leaves some out chooses none")
	}
}
