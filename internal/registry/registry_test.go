package registry_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/registry"
)

// reached asks which of some addresses a list lets through, by a proxy that is asked without reaching anything.
func reached(l *registry.List, at ...string) string {
	var out []string
	for _, a := range at {
		listed, user := registry.Find(l, a)
		if listed {
			out = append(out, fmt.Sprintf("%s %v", a, user))
		}
	}
	return strings.Join(out, ", ")
}

// TestProject: a project's files name hosts, each in the words of its package manager, and nothing of what else they link to.
func TestProject(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, text, want, not string }{
		{"package-lock.json", `{"resolved": "https://npm.example.com/a/-/a-1.tgz", "funding": {"url": "https://fund.example.com"}}`, "npm.example.com:443", "fund.example.com:443"},
		{"web/package-lock.json", `"resolved": "git+ssh://git@github.com/a/b.git#1"`, "codeload.github.com:443", "gitlab.com:443"},
		{"package.json", `{"homepage": 1, "dependencies": {"@a/b": "github:a/b", "c": "https://tar.example.com/c.tgz"}}`, "tar.example.com:443", "example.com:443"},
		{"yarn.lock", "  resolved \"https://y.example.com/a.tgz#12\"", "y.example.com:443", ""},
		{"pnpm-lock.yaml", "    resolution: {tarball: https://p.example.com/a.tgz}", "p.example.com:443", ""},
		{".npmrc", "@a:registry=http://n.example.com:4873/\n", "n.example.com:4873", "n.example.com:80"},
		{"requirements.txt", "--extra-index-url https://i.example.com/simple\nrequests==2\n", "i.example.com:443", ""},
		{"dev-requirements.txt", "a @ git+https://g.example.com/a.git\n", "g.example.com:443", ""},
		{"pyproject.toml", "[[tool.uv.index]]\nname = \"x\"\nurl = \"https://u.example.com/simple\"\n", "u.example.com:443", ""},
		{"uv.lock", `source = { registry = "https://v.example.com/simple" }`, "v.example.com:443", ""},
		{"Cargo.lock", `source = "registry+https://github.com/rust-lang/crates.io-index"`, "", "github.com:443"},
		{"Cargo.lock", `source = "sparse+https://c.example.com/index/"`, "c.example.com:443", ""},
		{"Cargo.toml", `a = { git = "https://d.example.com/a" }`, "d.example.com:443", ""},
		{"pom.xml", "<url>https://home.example.com</url><repositories><repository><id>x</id><url>https://m.example.com/maven2</url></repository></repositories>", "m.example.com:443", "home.example.com:443"},
		{"gradle/wrapper/gradle-wrapper.properties", "distributionUrl=https\\://services.gradle.org/distributions/gradle-8.10-bin.zip", "downloads.gradle.org:443", "w.example.com:443"},
		{"build.gradle.kts", "repositories { maven(\"https://g.example.com/m2\") }", "g.example.com:443", "services.gradle.org:443"},
		{".mvn/wrapper/maven-wrapper.properties", "distributionUrl=https://w.example.com/maven.zip", "w.example.com:443", ""},
		{"README.md", "https://r.example.com", "", "r.example.com:443"},
		{"go.sum", "host.example.com/mod v1.0.0 h1:=\n", "", "host.example.com:443"},
	} {
		l := registry.New()
		l.Project(c.file, []byte(c.text))
		if got := reached(l, c.want); c.want != "" && got != c.want+" false" {
			t.Errorf("%s: %s: %q", c.file, c.want, got)
		}
		if got := reached(l, c.not); got != "" {
			t.Errorf("%s: %s is let through", c.file, got)
		}
	}
}

// TestUser: what a person has named is told from what a project has.
func TestUser(t *testing.T) {
	t.Parallel()
	l := registry.New()
	l.Environment([]string{
		"PIP_INDEX_URL=https://user:secret@index.example.com/simple", "GOPROXY=http://127.0.0.1:3000|direct", "GOPRIVATE=*.corp.example.com,git.example.com/team",
		"CARGO_REGISTRIES_X_INDEX=sparse+https://crates.example.com/", "HTTPS_PROXY=http://proxy.example.com:3128",
	})
	l.Settings("/home/u/.npmrc", []byte("registry=https://npm.example.com/\n"))
	l.Settings("settings.xml", []byte("<mirrors><mirror><url>https://maven.example.com/repo</url></mirror></mirrors>"))
	l.Allow("*.allowed.example.com", "10.0.0.5:8081")
	for at, want := range map[string]bool{
		"index.example.com:443": true, "127.0.0.1:3000": true, "a.b.corp.example.com:443": true, "git.example.com:443": true, "crates.example.com:443": true,
		"npm.example.com:443": true, "maven.example.com:443": true, "x.allowed.example.com:443": true, "x.allowed.example.com:80": true, "10.0.0.5:8081": true,
		"10.0.0.5:443": false, "proxy.example.com:3128": false, "example.com:443": false, "corp.example.com.evil.test:443": false,
	} {
		if got := reached(l, at) == at+" true"; got != want {
			t.Errorf("%s: %v, want %v", at, got, want)
		}
	}
	if got := reached(l, "registry.npmjs.org:443"); got != "registry.npmjs.org:443 false" {
		t.Errorf("a usual registry: %q", got)
	}
	if got := l.Local(); !slices.Equal(got, []int{3000}) {
		t.Errorf("Local = %v", got)
	}
	direct := registry.New()
	direct.Environment([]string{"GOPROXY=direct"})
	direct.Project("go.sum", []byte("host.example.com/mod v1.0.0 h1:=\n"))
	if got := reached(direct, "host.example.com:443"); got != "host.example.com:443 false" {
		t.Errorf("a module that is fetched from where it is: %q", got)
	}
}

func TestWithoutProxies(t *testing.T) {
	t.Parallel()
	got := registry.WithoutProxies([]byte("registry=https://a.example.com\nhttps-proxy=http://p:1\n<proxies><proxy><host>p</host></proxy></proxies>"))
	if want := "registry=https://a.example.com\n\n<proxies></proxies>"; string(got) != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestVariables(t *testing.T) {
	t.Parallel()
	got := registry.Variables(25777, []string{"https_proxy=http://corp:1", "NO_PROXY=localhost", "PATH=/bin", "MAVEN_OPTS=-Xmx1g", "npm_config_noproxy=a", "GOPROXY=https://g.example.com"})
	for _, want := range []string{"PATH=/bin", "GOPROXY=https://g.example.com", "HTTPS_PROXY=http://127.0.0.1:25777", "https_proxy=http://127.0.0.1:25777", "npm_config_noproxy="} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is not in %q", want, got)
		}
	}
	for _, kv := range got {
		if strings.Contains(kv, "corp") || strings.HasPrefix(kv, "NO_PROXY") || strings.HasPrefix(kv, "MAVEN_OPTS") && !strings.HasPrefix(kv, "MAVEN_OPTS=-Xmx1g -Dhttps.proxyHost=127.0.0.1 ") {
			t.Errorf("%s is there", kv)
		}
	}
}
