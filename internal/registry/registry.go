// Package registry is what an installation can reach: the registries that its package managers, its project and its user name, and
// nothing else. A List says which they are, a Proxy lets through to them and names what it refuses.
package registry

import (
	"net"
	"net/netip"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpproxy"

	"github.com/jacquard-build/jacquard/internal/re"
)

// usual are the registries that package managers ask where nobody says another one, and where these send them to.
var usual = []string{
	"proxy.golang.org", "sum.golang.org", "storage.googleapis.com", "registry.npmjs.org", "registry.yarnpkg.com", "repo.yarnpkg.com", "nodejs.org",
	"pypi.org", "files.pythonhosted.org", "index.crates.io", "static.crates.io", "crates.io", "repo.maven.apache.org", "repo1.maven.org",
	"plugins.gradle.org", "plugins-artifacts.gradle.org", "dl.google.com", "maven.google.com",
	"rubygems.org", "index.rubygems.org", "packagist.org", "repo.packagist.org", "hex.pm", "repo.hex.pm", "builds.hex.pm",
}

// behind are hosts that serve the files of another one.
var behind = map[string][]string{
	"services.gradle.org": {"downloads.gradle.org", "github.com", "release-assets.githubusercontent.com"},
	"github.com":          {"codeload.github.com", "objects.githubusercontent.com", "release-assets.githubusercontent.com"},
}

// List says which hosts an installation may reach. It is not for use by several goroutines while it is filled.
type List struct {
	hosts map[string]bool // host:port; whether a person has named it. "*.example.com:443" is all below
	proxy httpproxy.Config
	goes  bool // modules of Go are fetched from where they are
}

// New is the list of the usual registries of all package managers.
func New() *List {
	l := &List{hosts: map[string]bool{}}
	for _, h := range usual {
		l.add("https://"+h, false)
	}
	return l
}

// Allow adds hosts that a person has named: example.com, *.example.com or 10.0.0.1:8081.
func (l *List) Allow(hosts ...string) {
	for _, h := range hosts {
		l.add("https://"+h, true)
		l.add("http://"+h, true) // the same where h has a port
	}
}

// Environment adds what variables of the user name: registries, and the proxy that the user's network has. They are KEY=value.
func (l *List) Environment(env []string) {
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		switch name = strings.ToUpper(name); name {
		case "HTTPS_PROXY", "NPM_CONFIG_HTTPS_PROXY", "YARN_HTTPS_PROXY", "CARGO_HTTP_PROXY", "PIP_PROXY":
			l.through(value, "")
		case "HTTP_PROXY", "NPM_CONFIG_PROXY", "NPM_CONFIG_HTTP_PROXY", "YARN_HTTP_PROXY":
			l.through("", value)
		case "ALL_PROXY":
			l.through(value, value)
		case "NO_PROXY", "NPM_CONFIG_NOPROXY":
			l.proxy.NoProxy = value
		case "GOPRIVATE", "GONOPROXY", "GOSUMDB":
			for _, word := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' }) {
				host, _, _ := strings.Cut(strings.TrimPrefix(word, "https://"), "/")
				if host, _, _ = strings.Cut(host, "+"); strings.Contains(host, ".") {
					l.add("https://"+host, true)
				}
			}
		case "MAVEN_OPTS":
			host, port := javaProxy().FindStringSubmatch(value), javaPort().FindStringSubmatch(value)
			if host != nil && port != nil {
				l.through("http://"+net.JoinHostPort(host[1], port[1]), "")
			}
			l.text(address(), value, true)
		default:
			l.goes = l.goes || name == "GOPROXY" && strings.HasPrefix(value, "direct")
			l.text(address(), value, true)
		}
	}
}

// through notes the user's proxies; the first that is said counts.
func (l *List) through(https, http string) {
	if l.proxy.HTTPSProxy == "" {
		l.proxy.HTTPSProxy = strings.Trim(https, `"' `)
	}
	if l.proxy.HTTPProxy == "" {
		l.proxy.HTTPProxy = strings.Trim(http, `"' `)
	}
}

// Project adds what a file of the repository names: a manifest, a lock file, a configuration of a package manager.
func (l *List) Project(name string, text []byte) { l.file(name, string(text), false) }

// Settings adds what a file of the user's own names: where registries are, and the proxy to reach them.
func (l *List) Settings(name string, text []byte) {
	l.file(name, string(text), true)
	for _, m := range proxyLine().FindAllStringSubmatch(string(text), -1) { // .npmrc, pip.conf, config.toml
		if m[1] == "proxy" || m[1] == "https-proxy" {
			l.through(m[2], "")
		}
		if m[1] == "proxy" || m[1] == "http-proxy" {
			l.through("", m[2])
		}
	}
	for _, block := range proxyElement().FindAllString(string(text), -1) { // settings.xml
		host, port := hostElement().FindStringSubmatch(block), portElement().FindStringSubmatch(block)
		if host != nil && port != nil && !strings.Contains(block, "<active>false") {
			at := "http://" + net.JoinHostPort(host[1], port[1])
			l.through(at, at)
		}
	}
}

// WithoutProxies is a file of settings without the proxy that it names.
func WithoutProxies(text []byte) []byte {
	return proxyElement().ReplaceAll(proxyLine().ReplaceAll(text, nil), nil)
}

var (
	address      = re.New(`https?://[^\s"'<>,|;]+`)
	javaProxy    = re.New(`-Dhttps\.proxyHost=(\S+)`)
	javaPort     = re.New(`-Dhttps\.proxyPort=(\d+)`)
	proxyLine    = re.New(`(?m)^\s*(proxy|https-proxy|http-proxy)\s*=\s*(\S+)`)
	proxyElement = re.New(`(?s)<proxy>.*?</proxy>`)
	hostElement  = re.New(`<host>\s*([^<\s]+)\s*</host>`)
	portElement  = re.New(`<port>\s*(\d+)\s*</port>`)
)

// forms are where files of package managers name what they fetch from; the first group that is there is an address.
var forms = []struct {
	file string
	form re.Regexp
}{
	{"package-lock.json", re.New(`"resolved":\s*"([^"]+)"`)},
	{"npm-shrinkwrap.json", re.New(`"resolved":\s*"([^"]+)"`)},
	{"package.json", re.New(`"(?:@[\w./-]+|[\w.-]+)":\s*"((?:git\+|git:|github:|https?:)[^"]+)"`)},
	{"yarn.lock", re.New(`(?:resolved "|@)(https?://[^"#\s]+|git[^"\s]+)`)},
	{"pnpm-lock.yaml", re.New(`(?:tarball|repo):\s*['"]?([^\s'",}]+)`)},
	{"bun.lock", re.New(`"((?:git\+|github:|https?:)[^"]+)"`)},
	{"npmrc", re.New(`(?m)^\s*(?:@[^:=\s]+:)?registry\s*=\s*(\S+)`)},
	{".npmrc", re.New(`(?m)^\s*(?:@[^:=\s]+:)?registry\s*=\s*(\S+)`)},
	{".yarnrc", re.New(`registry"?\s+"?([^\s"]+)`)},
	{".yarnrc.yml", re.New(`npmRegistryServer:\s*['"]?([^\s'"]+)`)},
	{"bunfig.toml", re.New(`"(https?://[^"]+)"`)},
	{"*requirements*.txt", re.New(`(?m)(?:^\s*(?:-i|--index-url|--extra-index-url|-f|--find-links)[ =]+|^\s*(?:-e\s+)?|@\s*)((?:git\+)?https?://\S+)`)},
	{"*constraints*.txt", re.New(`@\s*((?:git\+)?https?://\S+)`)},
	{"uv.lock", re.New(`(?:registry|url|git)\s*=\s*"([^"]+)"`)},
	{"pdm.lock", re.New(`(?:url|git)\s*=\s*"([^"]+)"`)},
	{"poetry.lock", re.New(`url\s*=\s*"([^"]+)"`)},
	{"Pipfile*", re.New(`"?url"?\s*[=:]\s*"([^"]+)"`)},
	{"pyproject.toml", re.New(`(?:(?m)^\s*(?:index-url|extra-index-url|default-index|index|find-links|url)\s*=\s*\[?\s*|\b(?:git|url)\s*=\s*|@\s*)"?((?:git\+)?https?://[^"'\s,]+)`)},
	{"uv.toml", re.New(`"(https?://[^"]+)"`)},
	{"pip.conf", re.New(`(https?://\S+)`)},
	{"Cargo.toml", re.New(`\b(?:git|index|registry-index)\s*=\s*"([^"]+)"`)},
	{"Cargo.lock", re.New(`source = "([^"]+)"`)},
	{"config.toml", re.New(`\b(?:index|registry|git)\s*=\s*"([^"]+)"`)},
	{"pom.xml", re.New(`(?s)<(?:pluginRepository|repository|snapshotRepository)>(?:.*?)<url>\s*([^<\s]+)`)},
	{"settings.xml", re.New(`<url>\s*([^<\s]+)`)},
	{"maven-wrapper.properties", re.New(`Url=(\S+)`)},
	{"gradle-wrapper.properties", re.New(`distributionUrl=(\S+)`)},
	{"*.gradle*", re.New(`\b(?:url|uri|maven)\b[^"'\n]*["'](https?://[^"']+)`)},
	{"Gemfile", re.New(`(?:source|git:|git_source)[ (:]*['"]([^'"]+)`)},
	{"Gemfile.lock", re.New(`remote:\s*(\S+)`)},
	{"composer.json", re.New(`"url":\s*"([^"]+)"`)},
	{"composer.lock", re.New(`"url":\s*"([^"]+)"`)},
	{"mix.exs", re.New(`git:\s*"([^"]+)"`)},
	{"mix.lock", re.New(`\{:git, "([^"]+)"`)},
}

// file adds what a file of this name says.
func (l *List) file(name, text string, user bool) {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	for _, f := range forms {
		if ok, _ := path.Match(f.file, base); ok { // the patterns are right
			l.text(f.form(), text, user)
		}
	}
	if base == "composer.json" { // Packagist sends there for nearly all packages
		l.add("https://github.com", user)
		l.add("https://api.github.com", user)
	}
	if base == "go.sum" && l.goes {
		for line := range strings.Lines(text) {
			host, _, _ := strings.Cut(line, "/")
			l.add("https://"+host, user)
		}
	}
}

// index is what Cargo.lock says of all packages of crates.io; nothing is fetched from there.
const index = "https://github.com/rust-lang/crates.io-index"

func (l *List) text(form *regexp.Regexp, text string, user bool) {
	for _, m := range form.FindAllStringSubmatch(text, -1) {
		if at := strings.TrimPrefix(m[len(m)-1], "registry+"); at != index {
			l.add(at, user)
		}
	}
}

// add adds what an address leads to.
func (l *List) add(at string, user bool) {
	for _, before := range []string{"git+", "sparse+", "registry+", "direct+"} {
		at = strings.TrimPrefix(at, before)
	}
	switch short, ok := strings.CutPrefix(at, "github:"); {
	case ok:
		at = "https://github.com/" + short
	case strings.HasPrefix(at, "git@"):
		host, _, _ := strings.Cut(strings.TrimPrefix(at, "git@"), ":")
		at = "https://" + host
	}
	u, err := url.Parse(strings.ReplaceAll(at, `\:`, ":")) // as files of properties write it
	if err != nil || u.Hostname() == "" {
		return
	}
	port := u.Port()
	switch u.Scheme {
	case "http":
		port = first(port, "80")
	case "https":
		port = first(port, "443")
	case "ssh", "git": // package managers ask for archives of it as well
		port = "443"
	default:
		return
	}
	for _, host := range append([]string{u.Hostname()}, behind[u.Hostname()]...) {
		key := net.JoinHostPort(strings.ToLower(host), port)
		l.hosts[key] = l.hosts[key] || user
	}
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// find says whether a host may be reached at a port, and whether a person has named it.
func (l *List) find(host, port string) (listed, user bool) {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	for at := host; ; {
		if u, ok := l.hosts[net.JoinHostPort(at, port)]; ok {
			return true, u
		}
		_, rest, ok := strings.Cut(strings.TrimPrefix(at, "*."), ".")
		if !ok {
			return false, false
		}
		at = "*." + rest
	}
}

// Local are the ports of this machine's loopback interface at which registries are that a person has named. Some package managers use
// no proxy for that interface.
func (l *List) Local() []int {
	var out []int
	for at, user := range l.hosts {
		host, number, err := net.SplitHostPort(at)
		if ip, bad := netip.ParseAddr(host); err != nil || !user || host != "localhost" && (bad != nil || !ip.IsLoopback()) {
			continue
		}
		if port, err := strconv.Atoi(number); err == nil && !slices.Contains(out, port) {
			out = append(out, port)
		}
	}
	slices.Sort(out)
	return out
}
