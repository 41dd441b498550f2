package check_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/conformance"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// playwrightPackage is what TestPlaywright installs. Its tests here open no browser, but for one that cannot.
const playwrightPackage = "1.65.1"

// TestPlaywright runs end-to-end tests with the real runner: they are no tests of the other runner, what fails is said, what
// failed before is nobody's, and a browser that was never fetched is what is wrong with the machine.
func TestPlaywright(t *testing.T) {
	t.Parallel()
	conformance.InTurn(t, 16)
	needs(t, "npm")
	reaches(t, "", "npm", "view", "@playwright/test@"+playwrightPackage, "version")
	l := newLab(t, func(o *check.Options) { o.Env = append(o.Env, "PLAYWRIGHT_BROWSERS_PATH="+t.TempDir()) })
	spec := func(want string) string {
		return "import { test, expect } from '@playwright/test';\nimport { total } from '../cart.js';\n\ntest('total of a cart', () => { expect(total([1, 2])).toBe(" + want + "); });\n"
	}
	files := map[string]string{
		"package.json":         `{"name": "shop", "private": true, "type": "module", "scripts": {"test": "node --test"}, "devDependencies": {"@playwright/test": "` + playwrightPackage + `"}}` + "\n",
		"playwright.config.js": "export default { testDir: 'e2e' };\n",
		"cart.js":              "export const total = (list) => list.reduce((a, b) => a + b, 0);\n",
		"cart.test.js":         "import { test } from 'node:test';\nimport assert from 'node:assert';\nimport { total } from './cart.js';\n\ntest('none', () => { assert.equal(total([]), 0); });\n",
		"e2e/cart.spec.js":     spec("3"),
	}
	base := l.tree("", files)
	chains := []toolchain.Found{l.module(base, ".").Chain}
	task := check.Task{Chains: chains, Base: base}
	red := l.tree(base, map[string]string{"e2e/other.spec.js": strings.Replace(spec("4"), "total of", "other total of", 1)})
	for name, c := range map[string]struct {
		before, tree string
		failed, was  bool
		said         string
	}{
		"all is well":       {base, l.tree(base, map[string]string{"cart.js": files["cart.js"] + "// same\n"}), false, false, ""},
		"one fails":         {base, l.tree(base, map[string]string{"cart.js": "export const total = () => 5;\n"}), true, false, "total of a cart"},
		"one failed before": {red, l.tree(red, map[string]string{"README.md": "x\n"}), false, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, records, err := l.checker.E2E(t.Context(), task, c.before, c.tree)
			if err != nil {
				t.Fatal(err)
			}
			if !g.Ran || g.Failed != c.failed || g.Before != c.was || !strings.Contains(g.Tail, c.said) || len(records) != 1 {
				t.Errorf("%+v, %d records; want failed %v, before %v, saying %q", g, len(records), c.failed, c.was, c.said)
			}
		})
	}
	goals, _, err := l.checker.Goals(t.Context(), task, base, l.tree(base, map[string]string{"cart.js": files["cart.js"] + "// same\n"}))
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range goals {
		for _, r := range g.Results {
			if strings.HasPrefix(r.ID, "e2e/") {
				t.Errorf("the other runner was asked for %s", r.ID)
			}
		}
		if g.Failed {
			t.Errorf("%s: %+v", g.Name, g)
		}
	}
	browser := l.tree(base, map[string]string{"e2e/page.spec.js": "import { test } from '@playwright/test';\n\ntest('page', async ({ page }) => { await page.goto('about:blank'); });\n"})
	_, _, err = l.checker.E2E(t.Context(), task, base, browser)
	var missing *check.EnvironmentError
	if !errors.As(err, &missing) || missing.Tool != "a Playwright browser" {
		t.Errorf("without a browser: %v", err)
	}
	if g, _, err := l.checker.E2E(t.Context(), check.Task{Chains: []toolchain.Found{{Ecosystem: toolchain.Go, Root: "."}}, Base: base}, base, base); g.Ran || err != nil {
		t.Errorf("a project without such tests: %+v, %v", g, err)
	}
}
