package toolchain_test

import (
	"testing"

	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// TestPackagesOfImports: what an import means of that which a manifest declares, and in which version.
func TestPackagesOfImports(t *testing.T) {
	t.Parallel()
	list, read := project(map[string]string{
		"go.mod":           "module example.org/m\n\nrequire gopkg.in/yaml.v3 v3.0.1\n\nrequire (\n\tgolang.org/x/text v0.3.0 // indirect\n\tgolang.org/x/text/v2 v2.0.0\n)\n",
		"a.go":             "package a\n",
		"web/package.json": `{"dependencies":{"@scope/kit":"^1.2","react":"workspace:*","zod":"3.x || 4"},"devDependencies":{"vitest":"4"}}`,
		"web/a.ts":         "",
		"py/pyproject.toml": "[project]\nname = \"p\"\ndependencies = [\n  \"Requests[socks] >= 2.1 ; python_version > '3'\",  # http\n  \"google-cloud-storage\",\n  \"google-cloud\",\n  \"pytest\",\n]\n" +
			"[dependency-groups]\ndev = [\"attrs==23.1\", \"two>=1,<2\"]\n",
		"py/requirements.txt": "six==1.16.0 --hash=sha256:00\nPyYAML==6\n",
		"py/a.py":             "",
		"rs/Cargo.toml":       "[package]\nname = \"r\"\n[dependencies]\nserde_json = \"1.0\"\nparking-lot = { version = \"0.12\", features = [\"x\"] }\nlocal = { path = \"../1\" }\nrev.rev = \"123\"\nnum.version = \"2\"\n[dependencies.rand]\nversion = \"0.8\"\n",
		"rs/src/lib.rs":       "",
		"jvm/pom.xml": "<project><dependencies><dependency><groupId>org.slf4j</groupId><artifactId>slf4j-api</artifactId><version>2.0.1</version></dependency>" +
			"<dependency><groupId>com.acme</groupId><artifactId>a</artifactId></dependency><dependency><groupId>com.acme</groupId><artifactId>b</artifactId></dependency>" +
			"<dependency><groupId>com.acme.deep</groupId><artifactId>c</artifactId><version>${c}</version></dependency></dependencies></project>",
		"jvm/A.java": "",
	})
	pr := toolchain.NewProject(list, read)
	for _, c := range []struct{ dir, imported, want string }{
		{".", "gopkg.in/yaml.v3", "gopkg.in/yaml.v3 v3.0.1"},
		{".", "golang.org/x/text/language", "golang.org/x/text v0.3.0"},
		{".", "golang.org/x/text/v2/language", "golang.org/x/text/v2 v2.0.0"},
		{".", "golang.org/x/textual", ""},
		{".", "net/http", ""},
		{"web", "@scope/kit/deep/er", "@scope/kit ^1.2"},
		{"web", "react/jsx-runtime", "react "},
		{"web", "zod", "zod "},
		{"web", "vitest", "vitest 4"},
		{"web", "node:fs", ""},
		{"web", "reactive", ""},
		{"py", "requests.adapters", "requests >=2.1"},
		{"py", "google.cloud.storage.blob", "google-cloud-storage "},
		{"py", "google.cloud.other", "google-cloud "},
		{"py", "google", ""},
		{"py", "six.moves", "six 1.16.0"},
		{"py", "two", "two "},
		{"py", "attrs", "attrs 23.1"},
		{"py", "pytest_mock", ""},
		{"py", "yaml", ""},
		{"py", "os.path", ""},
		{"rs", "serde_json::Value", "serde_json 1.0"},
		{"rs", "parking_lot", "parking-lot 0.12"},
		{"rs", "local::x", "local "},
		{"rs", "rev", "rev "},
		{"rs", "num", "num 2"},
		{"rs", "rand::Rng", "rand 0.8"},
		{"rs", "std::fmt", ""},
		{"jvm", "org.slf4j.Logger", "org.slf4j:slf4j-api 2.0.1"},
		{"jvm", "com.acme.X", ""},
		{"jvm", "com.acme.deep.X", "com.acme.deep:c "},
		{"jvm", "java.util.List", ""},
	} {
		f, _ := pr.Detect(c.dir)
		got := ""
		if d, ok := f.Package(c.imported); ok {
			got = d.Name + " " + d.Version
		}
		if got != c.want {
			t.Errorf("%s in %q is %q, want %q", c.imported, c.dir, got, c.want)
		}
	}
}
