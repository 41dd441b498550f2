package check

import (
	"reflect"
	"testing"

	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// TestReach: which tests a change can matter to, by the imports of three languages.
func TestReach(t *testing.T) {
	t.Parallel()
	goFiles := map[string]string{
		"a/a.go": "package a\n", "a/a_test.go": "package a\n", "b/b.go": "package b\n\nimport \"example.com/x/a\"\n\nvar _ = a.A\n", "b/b_test.go": "package b_test\n\nimport \"example.com/x/b\"\n",
		"c/c.go": "package c\n", "c/c_test.go": "package c\n\nimport _ \"example.com/x/b\"\n", "d/d.go": "package d\n", "d/d_test.go": "package d\n", "e/e_test.go": "package e\n\nimport _ \"example.com/x/a\"\n",
	}
	ts := map[string]string{
		"src/tax.ts": "export const a = 1\n", "src/tax.test.ts": "import { a } from './tax'\n", "src/cart/index.ts": "import { a } from '../tax.js'\n", "test/cart.test.ts": "import {\n b,\n} from '../src/cart'\n",
		"test/alias.test.ts": "const x = require('@/tax')\n", "test/other.test.ts": "import { z } from 'zod'\n",
	}
	root := map[string]string{
		"index.js": "const { a } = require('./lib/a.js')\n", "lib/a.js": "exports.a = 1\n", "lib/b.js": "exports.b = 1\n", "test/a.test.js": "const x = require('../')\n",
		"test/b.test.js": "const { b } = require('../lib/b.js')\n", "test/c.test.js": "const x = require('../index')\n",
	}
	py := map[string]string{
		"src/shop/__init__.py": "", "src/shop/tax.py": "", "src/shop/cart.py": "from .tax import rate\n", "tests/test_tax.py": "from shop.tax import rate\n",
		"tests/test_cart.py": "from shop import cart, other\n", "tests/test_other.py": "import json\n", "tests/conftest.py": "", "tests/sub/test_deep.py": "def test_x(): pass\n",
	}
	jvm := map[string]string{
		"src/main/java/a/Tax.java": "package a;\n\npublic final class Tax {\n}\n", "src/main/java/a/Cart.java": "package a;\n\npublic class Cart {\n    Tax tax;\n}\n", "src/main/java/b/Tax.java": "package b;\n\nclass Tax {\n}\n",
		"src/main/kotlin/a/texts.kt": "package a\n\nfun String.slug(): String = this\n", "src/test/java/a/TaxTest.java": "package a;\n\nclass TaxTest {\n    Tax tax;\n}\n", "src/test/java/b/TaxTest.java": "package b;\n\nclass TaxTest {\n    Tax tax;\n}\n",
		"src/test/java/c/BillTest.java": "package c;\n\nimport a.*;\n\nclass BillTest {\n    Tax tax;\n}\n", "src/test/java/a/CartTest.java": "package a;\n\nclass CartTest {\n    Cart cart;\n}\n", "src/test/kotlin/c/SlugTest.kt": "package c\n\nimport a.slug\n\nclass SlugTest {\n    val x = \"\".slug()\n}\n",
	}
	for name, c := range map[string]struct {
		eco, module string
		files       map[string]string
		changed     []string
		near, far   []string
	}{
		"go: its package and who imports it":    {toolchain.Go, "example.com/x", goFiles, []string{"a/a.go"}, []string{"a/a_test.go", "e/e_test.go"}, []string{"b/b_test.go", "c/c_test.go"}},
		"go: a test is nobody's import":         {toolchain.Go, "example.com/x", goFiles, []string{"c/c.go"}, []string{"c/c_test.go"}, nil},
		"go: data selects the tests beside it":  {toolchain.Go, "example.com/x", goFiles, []string{"d/testdata/in.txt"}, []string{"d/d_test.go"}, nil},
		"go: a test that changed":               {toolchain.Go, "example.com/x", goFiles, []string{"b/b_test.go"}, []string{"b/b_test.go"}, nil},
		"typescript: by path, index and alias":  {toolchain.Node, "", ts, []string{"src/tax.ts"}, []string{"src/tax.test.ts", "test/alias.test.ts"}, []string{"test/cart.test.ts"}},
		"javascript: the face of the project":   {toolchain.Node, "", root, []string{"lib/a.js"}, nil, []string{"test/a.test.js", "test/c.test.js"}},
		"python: packages, modules of packages": {toolchain.Python, "", py, []string{"src/shop/tax.py"}, []string{"tests/test_tax.py"}, []string{"tests/test_cart.py"}},
		"java: its package and its imports":     {toolchain.JVM, "", jvm, []string{"src/main/java/a/Tax.java"}, []string{"src/test/java/a/TaxTest.java", "src/test/java/c/BillTest.java"}, []string{"src/test/java/a/CartTest.java"}},
		"kotlin: functions of a file":           {toolchain.JVM, "", jvm, []string{"src/main/kotlin/a/texts.kt"}, []string{"src/test/kotlin/c/SlugTest.kt"}, nil},
		"python: conftest":                      {toolchain.Python, "", py, []string{"tests/conftest.py"}, []string{"tests/sub/test_deep.py", "tests/test_cart.py", "tests/test_other.py", "tests/test_tax.py"}, nil},
	} {
		files := map[string][]byte{}
		for p, text := range c.files {
			files[p] = []byte(text)
		}
		isTest := func(p string) bool { return toolchain.IsTest(p) && p != "tests/conftest.py" }
		got := reach(toolchain.Found{Ecosystem: c.eco, Module: c.module, Root: "."}, files, isTest, c.changed)
		if !reflect.DeepEqual(got.near, c.near) || !reflect.DeepEqual(got.far, c.far) {
			t.Errorf("%s: near %v, far %v; want %v, %v", name, got.near, got.far, c.near, c.far)
		}
	}
}
