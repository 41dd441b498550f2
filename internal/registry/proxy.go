package registry

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// Proxy lets an installation through to the hosts of a list.
type Proxy struct {
	list    *List
	through func(*url.URL) (*url.URL, error) // the user's own proxy for an address, nil for none

	mu        sync.Mutex
	refused   []string
	unreached []string
}

// Proxy makes one. The list must not change any more.
func (l *List) Proxy() *Proxy {
	return &Proxy{list: l, through: l.proxy.ProxyFunc()}
}

// Refused are the hosts that were asked for in vain, each with the reason and what a person can do, a line each.
func (p *Proxy) Refused() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refused
}

// Unreached are the hosts that are let through and did not answer, each with the reason, a line each.
func (p *Proxy) Unreached() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.unreached
}

// missed notes that an address does not answer.
func (p *Proxy) missed(at string, err error) {
	var no refusal
	if errors.As(err, &no) || errors.Is(err, context.Canceled) {
		return
	}
	host, port, _ := net.SplitHostPort(at)
	p.note(&p.unreached, fmt.Sprintf("error: %s cannot be reached: %v", named(host, port), err))
}

// mostRefused is how many lines of a kind are told.
const mostRefused = 20

// note adds a line to some that are told, once.
func (p *Proxy) note(lines *[]string, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(*lines) < mostRefused && !slices.Contains(*lines, text) {
		*lines = append(*lines, text)
	}
}

// refusal says why an address is not let through.
type refusal string

func (r refusal) Error() string { return string(r) }

func (p *Proxy) refuse(format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	p.note(&p.refused, text)
	return refusal(text)
}

// patience bounds finding and reaching a host.
const patience = 30 * time.Second

// Serve answers what comes through a listener until that is closed, and ends every connection then.
func (p *Proxy) Serve(l net.Listener) {
	ctx, cancel := context.WithCancel(context.Background())
	var tunnels sync.WaitGroup
	plain := &http.Transport{
		Proxy: func(r *http.Request) (*url.URL, error) { return p.through(r.URL) },
		DialContext: func(ctx context.Context, network, at string) (net.Conn, error) {
			if p.isProxy(at) {
				return (&net.Dialer{Timeout: patience}).DialContext(ctx, network, at)
			}
			return p.reach(ctx, at)
		},
		DisableCompression: true, DisableKeepAlives: true,
	}
	server := &http.Server{
		ReadHeaderTimeout: patience,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodConnect {
				tunnels.Add(1)
				defer tunnels.Done()
				p.tunnel(ctx, w, r)
				return
			}
			p.forward(plain, w, r)
		}),
	}
	_ = server.Serve(l)
	cancel()
	_ = server.Close()
	tunnels.Wait()
}

// isProxy says whether an address is that of the user's proxy for plain http.
func (p *Proxy) isProxy(at string) bool {
	up, err := p.through(&url.URL{Scheme: "http", Host: "registry.invalid"})
	return err == nil && up != nil && addressOf(up) == at
}

// tunnel carries a connection whose content nobody here reads.
func (p *Proxy) tunnel(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	out, err := p.connect(ctx, r.Host)
	if err != nil {
		p.missed(r.Host, err)
		answer(w, err)
		return
	}
	defer out.Close() //nolint:errcheck // what was not said by now is lost
	hijacker, ok := w.(http.Hijacker)
	if !ok {
		return
	}
	in, buffered, err := hijacker.Hijack()
	if err != nil {
		return
	}
	defer in.Close() //nolint:errcheck // as above
	stop := context.AfterFunc(ctx, func() { _, _ = in.Close(), out.Close() })
	defer stop()
	if _, err := io.WriteString(in, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	var wg sync.WaitGroup
	wg.Go(func() { pass(in, out, out) })
	pass(out, in, buffered)
	wg.Wait()
}

// pass copies one direction. The end of it is told, and the other direction goes on.
func pass(to, other net.Conn, from io.Reader) {
	_, err := io.Copy(to, from)
	if half, ok := to.(interface{ CloseWrite() error }); ok && err == nil {
		_ = half.CloseWrite()
		return
	}
	_, _ = to.Close(), other.Close()
}

// forward asks for one page of a registry without encryption.
func (p *Proxy) forward(plain *http.Transport, w http.ResponseWriter, r *http.Request) {
	if r.URL.Scheme != "http" || r.URL.Host == "" {
		http.Error(w, "this is a proxy: it wants whole addresses", http.StatusBadRequest)
		return
	}
	if _, err := p.allowed(addressOf(r.URL)); err != nil {
		answer(w, err)
		return
	}
	r.RequestURI = ""
	for _, name := range []string{"Proxy-Connection", "Proxy-Authorization", "Connection", "Keep-Alive", "Te", "Trailer", "Upgrade"} {
		r.Header.Del(name)
	}
	res, err := plain.RoundTrip(r)
	if err != nil {
		p.missed(addressOf(r.URL), err)
		answer(w, err)
		return
	}
	defer res.Body.Close() //nolint:errcheck // it was only read
	res.Header.Del("Connection")
	for name, values := range res.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(res.StatusCode)
	_, _ = io.Copy(w, res.Body)
}

// answer tells the package manager why there is nothing.
func answer(w http.ResponseWriter, err error) {
	var no refusal
	if errors.As(err, &no) {
		http.Error(w, no.Error(), http.StatusForbidden)
		return
	}
	http.Error(w, err.Error(), http.StatusBadGateway)
}

// allowed says whether an address is on the list, and whether a person has named it.
func (p *Proxy) allowed(at string) (user bool, err error) {
	host, port, err := net.SplitHostPort(at)
	if err != nil {
		return false, err
	}
	if ip, err := netip.ParseAddr(host); err == nil && metadata(ip) {
		return false, p.metadata(host)
	}
	listed, user := p.list.find(host, port)
	if !listed {
		return false, p.refuse("installing asked for %[1]s, which neither package files of the project nor your settings name as a registry: refused. If it is needed, say sandbox: {install: [%[1]q]} in jacquard.yaml, then jacquard trust", named(host, port))
	}
	return user, nil
}

// named is an address as a person writes it.
func named(host, port string) string {
	if port == "443" || port == "80" {
		return host
	}
	return net.JoinHostPort(host, port)
}

func (p *Proxy) metadata(host string) error {
	return p.refuse("installing asked for %s, where clouds give keys to their machines: always refused", host)
}

// metadata says whether an address is where clouds give keys to their machines.
func metadata(ip netip.Addr) bool {
	switch ip.Unmap().WithZone("").String() {
	case "169.254.169.254", "169.254.170.2", "fd00:ec2::254", "100.100.100.200":
		return true
	}
	return false
}

// shared is what providers give to many customers at once; there is nothing public in it.
var shared = netip.MustParsePrefix("100.64.0.0/10")

// private says whether an address is of this machine or of a network around it.
func private(ip netip.Addr) bool {
	ip = ip.Unmap()
	return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified() || ip.IsMulticast() || shared.Contains(ip)
}

// find looks a host up and says why it is not reached. Who asks has looked whether it is on the list.
func (p *Proxy) find(ctx context.Context, host, port string, user bool) ([]netip.Addr, error) {
	found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, err
	}
	for _, ip := range found {
		if metadata(ip) {
			return nil, p.metadata(host + " (" + ip.Unmap().String() + ")")
		}
		if private(ip) && !user {
			return nil, p.refuse("installing asked for %[1]s, which is at %[2]s, not in the public network, and only the project names it: refused. If it is your registry, say sandbox: {install: [%[1]q]} in jacquard.yaml, then jacquard trust", named(host, port), ip.Unmap())
		}
	}
	return found, nil
}

// reach connects to an address of the list, at what was looked at and nothing else.
func (p *Proxy) reach(ctx context.Context, at string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	user, err := p.allowed(at)
	if err != nil {
		return nil, err
	}
	host, port, err := net.SplitHostPort(at)
	if err != nil {
		return nil, err
	}
	ips, err := p.find(ctx, host, port, user)
	if err != nil {
		return nil, err
	}
	for _, ip := range ips {
		var conn net.Conn
		if conn, err = (&net.Dialer{Timeout: patience / 3}).DialContext(ctx, "tcp", net.JoinHostPort(ip.Unmap().String(), port)); err == nil {
			return conn, nil
		}
	}
	return nil, err
}

// connect makes a tunnel to an address of the list, through the user's own proxy where there is one.
func (p *Proxy) connect(ctx context.Context, at string) (net.Conn, error) {
	up, err := p.through(&url.URL{Scheme: "https", Host: at})
	if err != nil || up == nil {
		return p.reach(ctx, at)
	}
	user, err := p.allowed(at)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	host, port, _ := net.SplitHostPort(at) // it was split before
	var no refusal
	if _, err := p.find(ctx, host, port, user); errors.As(err, &no) { // names of the world may be known to that proxy only
		return nil, err
	}
	return upstream(ctx, up, at)
}

// upstream asks the user's proxy for a tunnel.
func upstream(ctx context.Context, up *url.URL, at string) (conn net.Conn, err error) {
	switch up.Scheme {
	case "http":
		conn, err = (&net.Dialer{}).DialContext(ctx, "tcp", addressOf(up))
	case "https":
		conn, err = (&tls.Dialer{Config: &tls.Config{MinVersion: tls.VersionTLS12}}).DialContext(ctx, "tcp", addressOf(up))
	default:
		return nil, fmt.Errorf("reach %s: your proxy is of a kind that installations cannot use in the sandbox: %s; use http or https", at, up.Scheme)
	}
	if err != nil {
		return nil, fmt.Errorf("reach your proxy: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	ask := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: at}, Host: at, Header: http.Header{}}
	if up.User != nil {
		secret, _ := up.User.Password()
		ask.Header.Set("Proxy-Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(up.User.Username()+":"+secret)))
	}
	err = ask.Write(conn)
	if err == nil {
		in := bufio.NewReader(conn)
		var res *http.Response
		if res, err = http.ReadResponse(in, ask); err == nil {
			_ = res.Body.Close()
			if res.StatusCode == http.StatusOK && in.Buffered() == 0 {
				return conn, nil
			}
			err = errors.New(res.Status)
		}
	}
	_ = conn.Close()
	return nil, fmt.Errorf("your proxy does not reach %s: %w", at, err)
}

// addressOf is where to connect to for a URL.
func addressOf(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// Variables lead package managers to a proxy of ours at a port, and keep those of the user from them.
func Variables(port int, env []string) []string {
	at := fmt.Sprintf("http://127.0.0.1:%d", port)
	java := fmt.Sprintf("-Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=%[1]d -Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=%[1]d -Dhttp.nonProxyHosts=", port)
	var out []string
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		switch up := strings.ToUpper(name); {
		case up == "MAVEN_OPTS":
			java = value + " " + java
		case strings.HasSuffix(up, "_PROXY"), strings.HasSuffix(up, "_NOPROXY"):
		default:
			out = append(out, kv)
		}
	}
	for _, name := range []string{
		"HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy", "npm_config_proxy", "npm_config_https_proxy", "YARN_HTTP_PROXY", "YARN_HTTPS_PROXY",
		"PIP_PROXY", "CARGO_HTTP_PROXY",
	} {
		out = append(out, name+"="+at)
	}
	return append(out, "npm_config_noproxy=", "NODE_USE_ENV_PROXY=1", "MAVEN_OPTS="+java)
}
