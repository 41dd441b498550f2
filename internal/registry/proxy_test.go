package registry_test

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/registry"
)

// client reaches the world through a proxy for a list.
func client(t *testing.T, l *registry.List, trusted *x509.Certificate) (*http.Client, *registry.Proxy) {
	t.Helper()
	door, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := l.Proxy()
	served := make(chan struct{})
	go func() { p.Serve(door); close(served) }()
	t.Cleanup(func() { door.Close(); <-served })
	pool := x509.NewCertPool()
	if trusted != nil {
		pool.AddCert(trusted)
	}
	at := &url.URL{Scheme: "http", Host: door.Addr().String()}
	return &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(at), TLSClientConfig: &tls.Config{RootCAs: pool}}}, p
}

func get(t *testing.T, c *http.Client, at string) string {
	t.Helper()
	res, err := c.Get(at)
	if err != nil {
		return err.Error()
	}
	defer res.Body.Close()
	b, _ := io.ReadAll(res.Body)
	return fmt.Sprintf("%d %s", res.StatusCode, strings.TrimSpace(string(b)))
}

func hello(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "hello", r.URL.Path) }

// TestProxy: a registry is reached, with and without encryption; everything else is refused and named.
func TestProxy(t *testing.T) {
	t.Parallel()
	plain, secret := httptest.NewServer(http.HandlerFunc(hello)), httptest.NewTLSServer(http.HandlerFunc(hello))
	defer plain.Close()
	defer secret.Close()
	l := registry.New()
	l.Environment([]string{"PIP_INDEX_URL=" + plain.URL, "UV_INDEX_URL=" + secret.URL})
	// Only the project names what is in no public network.
	l.Project(".npmrc", []byte("registry=http://localhost:1/\na:registry=http://[::1]:2\n@b:registry=https://10.1.2.3\n@c:registry=http://169.254.169.254/\n@d:registry=http://[fd00:ec2::254]/\n@e:registry=http://[::ffff:169.254.169.254]/"))
	c, p := client(t, l, secret.Certificate())
	for _, s := range []*httptest.Server{plain, secret} {
		if got := get(t, c, s.URL+"/pkg"); got != "200 hello /pkg" {
			t.Errorf("%s: %s", s.URL, got)
		}
	}
	if len(p.Refused()) > 0 {
		t.Errorf("refused: %q", p.Refused())
	}
	for at, want := range map[string]string{
		"http://other.example.com/":        "other.example.com, which neither",
		"https://other.example.com/x":      "other.example.com, which neither",
		"https://pypi.org:8443/":           "pypi.org:8443, which neither",
		"http://169.254.169.254/latest":    "169.254.169.254, where clouds",
		"https://169.254.169.254/":         "169.254.169.254, where clouds",
		"http://[::ffff:169.254.169.254]/": "where clouds",
		"http://[fd00:ec2::254]/":          "where clouds",
		"http://localhost:1/":              "localhost:1, which is at",
		"https://10.1.2.3/":                "10.1.2.3, which is at 10.1.2.3, not in the public network",
	} {
		got := get(t, c, at)
		if strings.HasPrefix(at, "http:") && !strings.HasPrefix(got, "403 installing asked for") || strings.HasPrefix(at, "https:") && !strings.Contains(got, "Forbidden") {
			t.Errorf("%s: %s", at, got)
		}
		if all := strings.Join(p.Refused(), "\n"); !strings.Contains(all, want) {
			t.Errorf("%s: refusals %q, want %q", at, all, want)
		}
	}
	if text := strings.Join(p.Refused(), "\n"); strings.Count(text, "other.example.com,") != 1 || !strings.Contains(text, `sandbox: {install: ["other.example.com"]} in jacquard.yaml, then jacquard trust`) {
		t.Errorf("refusals:\n%s", text)
	}
}

// TestPersonAllows: what a person names is reached wherever it is, but for where clouds give keys. What does not answer is told.
func TestPersonAllows(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(hello))
	defer s.Close()
	l := registry.New()
	l.Allow("localhost:"+s.URL[strings.LastIndex(s.URL, ":")+1:], "169.254.169.254", "nobody.invalid")
	c, p := client(t, l, nil)
	if got := get(t, c, strings.Replace(s.URL, "127.0.0.1", "localhost", 1)); got != "200 hello /" {
		t.Error(got)
	}
	if got := get(t, c, "http://169.254.169.254/"); !strings.Contains(got, "always refused") {
		t.Error(got)
	}
	for range 2 {
		if got := get(t, c, "https://nobody.invalid/"); !strings.Contains(got, "Bad Gateway") {
			t.Error(got)
		}
	}
	if got := p.Unreached(); len(got) != 1 || !strings.HasPrefix(got[0], "error: nobody.invalid cannot be reached: ") {
		t.Errorf("unreached: %q", got)
	}
}

// TestUsersProxy: the user's own proxy is gone through, with its password, for what is on the list only.
func TestUsersProxy(t *testing.T) {
	t.Parallel()
	secret := httptest.NewTLSServer(http.HandlerFunc(hello))
	defer secret.Close()
	asked := make(chan string, 8)
	corp := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Method + " " + r.Host + " " + r.Header.Get("Proxy-Authorization")
		if r.Method != http.MethodConnect {
			fmt.Fprint(w, "by proxy")
			return
		}
		out, err := net.Dial("tcp", secret.Listener.Addr().String()) // it knows names that nobody else does
		if err != nil {
			t.Error(err)
			return
		}
		in, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		fmt.Fprint(in, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { io.Copy(out, in); out.Close() }()
		go func() { io.Copy(in, out); in.Close() }()
	}))
	defer corp.Close()
	l := registry.New()
	at := strings.Replace(corp.URL, "//", "//u:p@", 1)
	l.Environment([]string{"https_proxy=" + at, "HTTP_PROXY=" + at, "PIP_INDEX_URL=https://example.com/", "npm_config_registry=http://plain.invalid/"})
	c, p := client(t, l, secret.Certificate()) // whose name is example.com
	if got := get(t, c, "https://example.com/pkg"); got != "200 hello /pkg" {
		t.Errorf("%s", got)
	}
	if got, want := <-asked, "CONNECT example.com:443 Basic dTpw"; got != want {
		t.Errorf("the proxy was asked %q, want %q", got, want)
	}
	if got := get(t, c, "http://plain.invalid/"); got != "200 by proxy" {
		t.Errorf("%s", got)
	}
	if got, want := <-asked, "GET plain.invalid Basic dTpw"; got != want {
		t.Errorf("the proxy was asked %q, want %q", got, want)
	}
	if got := get(t, c, "https://other.invalid/"); !strings.Contains(got, "Forbidden") || len(p.Refused()) != 1 || len(asked) > 0 {
		t.Errorf("%s, refused %q", got, p.Refused())
	}
}
