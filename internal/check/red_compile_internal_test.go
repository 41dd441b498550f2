package check

import (
	"testing"

	"github.com/jacquard-build/jacquard/internal/source"
)

// A test needs what the change brings where it says so itself, or what it uses in its file does.
func TestNeeds(t *testing.T) {
	t.Parallel()
	const python = `import pytest
from shop import clamp, mean

CASES = [(mean, 2)]


@pytest.fixture
def half():
    return mean(1, 0)


def helper():
    return mean(1, 3)


def test_calls():
    assert mean(1, 3) == 2


def test_by_helper():
    assert helper() == 2


def test_by_fixture(half):
    assert half == 0.5


@pytest.mark.parametrize("f,n", CASES)
def test_by_table(f, n):
    assert f(1, 3) == n


def test_other():
    assert clamp(7) == 7
`
	const script = `const { clamp, mean } = require('../shop')

let half

beforeEach(() => { half = mean(1, 0) })

test('set up before', () => { expect(half).toBe(0.5) })

test('calls', () => { expect(mean(1, 3)).toBe(2) })

test('other', () => { expect(clamp(7)).toBe(7) })
`
	for _, file := range []struct {
		path, text string
		other      string
	}{{"tests/test_shop.py", python, "test_other"}, {"test/shop.test.js", script, "other"}} {
		f := source.Parse(file.path, []byte(file.text))
		if len(f.Tests) < 3 {
			t.Fatalf("%s: %d tests", file.path, len(f.Tests))
		}
		for _, x := range f.Tests {
			got := needs(test{Test: x, ID: file.path + "::" + x.Name, File: file.path}, []byte(file.text), map[string]bool{"mean": true})
			if want := x.Name != file.other; got != want {
				t.Errorf("%s %s needs it: %v, want %v", file.path, x.Name, got, want)
			}
		}
	}
}
