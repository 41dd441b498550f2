package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/gateway"
)

func TestOnlyTheTokenOfARunningTurnGetsIn(t *testing.T) {
	t.Parallel()
	g := start(t, gateway.Options{Backend: script(t, "turn * * *\n say hi")})
	a, other := open(t, g, gateway.Turn{}), open(t, g, gateway.Turn{ID: "other"})
	if a.Token() == other.Token() || len(a.Token()) < 32 {
		t.Errorf("tokens %q and %q", a.Token(), other.Token())
	}
	body := newClient(g, a, prompt).body()
	try := func(method, path, header, value string) int {
		req, err := http.NewRequestWithContext(t.Context(), method, listen(g)+path, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set(header, value)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		return resp.StatusCode
	}
	for _, c := range []struct {
		method, path, header, value string
		want                        int
	}{
		{"POST", "/v1/messages", "x-api-key", a.Token(), 200},
		{"POST", "/v1/messages?beta=true", "Authorization", "Bearer " + a.Token(), 200},
		{"POST", "/v1/messages/count_tokens", "x-api-key", a.Token(), 200},
		{"GET", "/v1/messages", "x-api-key", a.Token(), 404},
		{"POST", "/v1/models", "x-api-key", a.Token(), 404},
		{"POST", "/v1/messages/batches", "x-api-key", a.Token(), 404},
		{"POST", "/", "x-api-key", a.Token(), 404},
		{"POST", "/v1/messages", "x-api-key", "", 403},
		{"POST", "/v1/messages", "x-api-key", a.Token() + "0", 403},
		{"POST", "/v1/messages", "x-api-key", a.Token()[:20], 403},
		{"POST", "/v1/messages", "Authorization", a.Token(), 403},
	} {
		if got := try(c.method, c.path, c.header, c.value); got != c.want {
			t.Errorf("%s %s with %s %q = %d, want %d", c.method, c.path, c.header, c.value, got, c.want)
		}
	}
	if s := a.Close(); s.Requests != 2 {
		t.Errorf("%d requests, want 2", s.Requests)
	}
	a.Close()
	if got := try("POST", "/v1/messages", "x-api-key", a.Token()); got != 403 {
		t.Errorf("after its end the token gets %d, want 403", got)
	}
	if got := try("POST", "/v1/messages", "x-api-key", other.Token()); got != 200 {
		t.Errorf("another turn's token gets %d, want 200", got)
	}
}

func TestRequestsThatAreNotForwarded(t *testing.T) {
	t.Parallel()
	asked := 0
	up := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer up.Close()
	backend, err := gateway.Forward(gateway.Provider{Base: up.URL, Key: "sk-real"})
	if err != nil {
		t.Fatal(err)
	}
	g := start(t, gateway.Options{Backend: backend})
	a := open(t, g, gateway.Turn{})
	for body, want := range map[string]int{
		"{":               400,
		`{"model":"x"}`:   400,
		`{"messages":[]}`: 400,
		`{"model":"claude-haiku-4-5","max_tokens":-1,"messages":[{"role":"user","content":"x"}]}`:          400,
		`{"model":"x","messages":[{"role":"user","content":"` + strings.Repeat("x", 32<<20) + `"}]}`:       413,
		`{"model":"x","max_tokens":9000000000000000000,"messages":[{"role":"user","content":"overflow"}]}`: 400,
	} {
		resp, err := post(t.Context(), listen(g), a.Token(), []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		if resp.Body.Close(); resp.StatusCode != want {
			t.Errorf("%.60s… = %d, want %d", body, resp.StatusCode, want)
		}
	}
	if s := a.Close(); asked != 0 || s.Requests != 0 || s.Refused != 0 {
		t.Errorf("the provider was asked %d times; requests, refused = %d, %d, want none", asked, s.Requests, s.Refused)
	}
}

func TestForwardPutsTheKeyIn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		provider  gateway.Provider
		key, auth string
		beta      string
	}{
		"key":   {gateway.Provider{Key: "sk-real"}, "sk-real", "", "tools-1"},
		"oauth": {gateway.Provider{OAuth: "oat-real"}, "", "Bearer oat-real", "tools-1,oauth-2025-04-20"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var seen http.Header
			var path, body string
			up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				data, _ := io.ReadAll(r.Body)
				seen, path, body = r.Header, r.URL.String(), string(data)
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("Set-Cookie", "x=y")
				w.Header().Set("Anthropic-Organization-Id", "org")
				w.Header().Set("Request-Id", "req_1")
				_, _ = io.WriteString(w, `{"content":[],"usage":{"input_tokens":10,"output_tokens":2,"cache_read_input_tokens":1000,"cache_creation_input_tokens":100,"cache_creation":{"ephemeral_1h_input_tokens":40}}}`)
			}))
			defer up.Close()
			c.provider.Base = up.URL + "/prefix"
			backend, err := gateway.Forward(c.provider)
			if err != nil {
				t.Fatal(err)
			}
			g := start(t, gateway.Options{Backend: backend})
			a := open(t, g, gateway.Turn{})
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, listen(g)+"/v1/messages?beta=true", bytes.NewReader(newClient(g, a, "hi").body()))
			if err != nil {
				t.Fatal(err)
			}
			for k, v := range map[string]string{"Authorization": "Bearer " + a.Token(), "anthropic-beta": "tools-1", "anthropic-version": "2023-06-01", "Cookie": "a=b", "X-Stainless-Lang": "js", "X-Secret": "no"} {
				req.Header.Set(k, v)
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			got, err := io.ReadAll(resp.Body)
			if err != nil || !strings.Contains(string(got), `"usage"`) || resp.Header.Get("Request-Id") != "req_1" {
				t.Errorf("answer = %q, %v, %v", got, resp.Header, err)
			}
			if resp.Header.Get("Set-Cookie")+resp.Header.Get("Anthropic-Organization-Id") != "" {
				t.Errorf("headers of the account came through: %v", resp.Header)
			}
			if path != "/prefix/v1/messages?beta=true" || !strings.Contains(body, `"claude-sonnet-4-5"`) {
				t.Errorf("the provider got %s %s", path, body)
			}
			if seen.Get("x-api-key") != c.key || seen.Get("Authorization") != c.auth || seen.Get("anthropic-beta") != c.beta || seen.Get("anthropic-version") != "2023-06-01" || seen.Get("x-stainless-lang") != "js" {
				t.Errorf("the provider got %v", seen)
			}
			if seen.Get("Cookie")+seen.Get("X-Secret") != "" || strings.Contains(strings.Join(seen.Values("Authorization"), ""), a.Token()) {
				t.Errorf("the provider got what is not for it: %v", seen)
			}
			s := a.Close()
			want := gateway.Usage{Input: 10, Output: 2, CacheRead: 1000, CacheWrite: 100, CacheWrite1h: 40}
			// 10·3 + 2·15 + 1000·0.3 + 60·3.75 + 40·6
			if s.Usage != want || s.Spent != (gateway.Amount{MicroUSD: 825, Tokens: 1112}) {
				t.Errorf("usage, spent = %+v, %+v, want %+v, 825 and 1112", s.Usage, s.Spent, want)
			}
		})
	}
	for _, p := range []gateway.Provider{{Base: "https://x"}, {Base: "https://x", Key: "a", OAuth: "b"}, {Base: "ftp://x", Key: "a"}, {Base: "x", Key: "a"}, {Base: "https://u:p@x", Key: "a"}} {
		if _, err := gateway.Forward(p); err == nil || strings.Contains(err.Error(), ":p@") {
			t.Errorf("Forward(%+v) = %v, want an error without the password", p, err)
		}
	}
}

func TestForwardGoesNowhereElse(t *testing.T) {
	t.Parallel()
	elsewhere := 0
	trap := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere++ }))
	defer trap.Close()
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, trap.URL, http.StatusTemporaryRedirect)
	}))
	backend, err := gateway.Forward(gateway.Provider{Base: up.URL, Key: "sk-real"})
	if err != nil {
		t.Fatal(err)
	}
	g := start(t, gateway.Options{Backend: backend})
	c := newClient(g, open(t, g, gateway.Turn{}), "hi")
	if got := c.ask(t); got.status != http.StatusBadGateway || elsewhere != 0 {
		t.Errorf("a redirect gives %d and %d calls elsewhere, want 502 and none", got.status, elsewhere)
	}
	up.Close()
	if got := c.ask(t); got.status != http.StatusBadGateway || strings.Contains(got.body, up.URL) {
		t.Errorf("a provider that is down gives %d %s, want 502 without its address", got.status, got.body)
	}
}

func TestStreamPassesAsItComes(t *testing.T) {
	t.Parallel()
	seen := make(chan struct{})
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":50,\"output_tokens\":1}}}\n\n")
		w.(http.Flusher).Flush()
		select {
		case <-seen: // the client has the first event before the second exists
		case <-time.After(10 * time.Minute):
			t.Error("the first event was held back")
		}
		_, _ = io.WriteString(w, "data: {\"type\":\"content_block_delta\",\"delta\":{\"text\":\""+strings.Repeat("x", 3000)+"\"}}\n\n")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler) // cut before the figures
	}))
	defer up.Close()
	backend, err := gateway.Forward(gateway.Provider{Base: up.URL, Key: "sk-real"})
	if err != nil {
		t.Fatal(err)
	}
	l := &ledger{}
	g := start(t, gateway.Options{Backend: backend, Ledger: l})
	a := open(t, g, gateway.Turn{})
	resp, err := post(t.Context(), listen(g), a.Token(), newClient(g, a, "hi").body())
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	first := make([]byte, 20)
	if _, err := io.ReadFull(resp.Body, first); err != nil || string(first) != "event: message_start" {
		t.Fatalf("first bytes = %q, %v", first, err)
	}
	close(seen)
	if _, err := io.ReadAll(resp.Body); err == nil {
		t.Error("the cut was hidden from the agent")
	}
	s := a.Close()
	if s.Failures != 1 || s.Usage.Input != 50 || s.Usage.Output < 300 || s.Usage.Output > 3000 {
		t.Errorf("after a cut: %+v, want the input and an estimate of the output", s)
	}
	if len(l.open) != 0 || l.spent != s.Spent {
		t.Errorf("the ledger has %+v open and %+v spent, want none and %+v", l.open, l.spent, s.Spent)
	}
}

func TestBudgetRefusesBeforeTheCall(t *testing.T) {
	t.Parallel()
	l := &ledger{}
	g := start(t, gateway.Options{Backend: script(t, "turn * * *\n usage 400 600"), Ledger: l})
	a := open(t, g, gateway.Turn{ID: "t1", Grant: gateway.Amount{Tokens: 2500}})
	c := newClient(g, a, prompt)
	c.maxTokens = 1000
	for i, want := range []int{200, 200, 403} {
		got := c.ask(t)
		if got.status != want {
			t.Errorf("call %d = %d %s, want %d", i, got.status, got.body, want)
		}
		if want == 403 && !strings.Contains(got.body, "jacquard budget: ") {
			t.Errorf("refusal = %s", got.body)
		}
	}
	s := a.Close()
	if s.Requests != 2 || s.Refused != 1 || s.Spent.Tokens != 2000 || s.Spent.MicroUSD != 2*(400*3+600*15) {
		t.Errorf("stats = %+v", s)
	}
	if got := strings.Join(l.entries, ","); got != "reserve t1,settle t1,reserve t1,settle t1" || l.spent != s.Spent {
		t.Errorf("ledger = %s, %+v", got, l.spent)
	}

	money := newClient(g, open(t, g, gateway.Turn{Grant: gateway.Amount{MicroUSD: 14_000}}), prompt)
	money.maxTokens = 1000 // 15,000 millionths
	if got := money.ask(t); got.status != 403 {
		t.Errorf("a call over the money granted = %d, want 403", got.status)
	}
	money.model = "some-other-model"
	if got := money.ask(t); got.status != 200 {
		t.Errorf("a model without a price = %d, want 200: only tokens can be counted", got.status)
	}

	l.refuse = errors.New("the run's budget is used up")
	if got := newClient(g, open(t, g, gateway.Turn{}), prompt).ask(t); got.status != 403 || !strings.Contains(got.body, "used up") {
		t.Errorf("a ledger's refusal = %d %s", got.status, got.body)
	}
}

func TestBudgetHoldsWhileCallsRun(t *testing.T) {
	t.Parallel()
	g := start(t, gateway.Options{Backend: script(t, "turn * * *\n sleep 200ms\n usage 1 1")})
	a := open(t, g, gateway.Turn{Grant: gateway.Amount{Tokens: 5_000}})
	var wg sync.WaitGroup
	var mu sync.Mutex
	codes := map[int]int{}
	for range 20 {
		wg.Go(func() {
			c := newClient(g, a, prompt)
			c.maxTokens = 1000
			status := c.ask(t).status
			mu.Lock()
			defer mu.Unlock()
			codes[status]++
		})
	}
	wg.Wait()
	// Each may cost 1,000 and its input, so that four fit at a time. The others wait, and cost two tokens each.
	if s := a.Close(); codes[200] != 20 || s.Requests != 20 || s.Refused != 0 || s.Spent.Tokens != 40 {
		t.Errorf("codes = %v, stats = %+v", codes, s)
	}
}

// TestLimitOfOutputIsLowered: a call that asks for more output than is left pays for gets what there is, and what is sent says so.
func TestLimitOfOutputIsLowered(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var sent []int
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			Model string `json:"model"`
			Max   int    `json:"max_tokens"`
		}
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil || req.Model == "" {
			t.Errorf("the request is %+v, %v", req, err)
		}
		mu.Lock()
		sent = append(sent, req.Max)
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"usage": {"input_tokens": 10, "output_tokens": 20}}`)
	}))
	defer up.Close()
	backend, err := gateway.Forward(gateway.Provider{Base: up.URL, Key: "sk-real"})
	if err != nil {
		t.Fatal(err)
	}
	g := start(t, gateway.Options{Backend: backend})
	a := open(t, g, gateway.Turn{Grant: gateway.Amount{MicroUSD: 300_000}}) // at 15 a token of output not 20,000
	c := newClient(g, a, prompt)
	for _, c.maxTokens = range []int{128_000, 5_000, 128_000} {
		if got := c.ask(t); got.status != 200 {
			t.Fatalf("asked for %d: %d %s", c.maxTokens, got.status, got.body)
		}
	}
	if len(sent) != 3 || sent[0] < 19_000 || sent[0] >= 20_000 || sent[1] != 5_000 || sent[2] >= sent[0] {
		t.Errorf("sent = %v", sent)
	}
	small := newClient(g, open(t, g, gateway.Turn{Grant: gateway.Amount{MicroUSD: 50_000}}), prompt)
	small.maxTokens = 128_000
	if got := small.ask(t); got.status != 403 || !strings.Contains(got.body, "jacquard budget: ") {
		t.Errorf("a call that could say next to nothing = %d %s", got.status, got.body)
	}
}

func TestCloseEndsWhatRuns(t *testing.T) {
	t.Parallel()
	const label = "gateway-close-test"
	l := &ledger{}
	pprof.Do(t.Context(), pprof.Labels("test", label), func(ctx context.Context) {
		g, err := gateway.Start(ctx, gateway.Options{Backend: script(t, "turn * * *\n hang"), Now: clock, Ledger: l})
		if err != nil {
			t.Fatal(err)
		}
		ask := func() (*gateway.Access, chan answered) {
			a, oerr := g.Open(ctx, gateway.Turn{})
			if oerr != nil {
				t.Fatal(oerr)
			}
			c, result := newClient(g, a, prompt), make(chan answered, 1) //nolint:contextcheck // a gateway listens once, for all that reach it
			go func() { result <- c.ask(t) }()                           //nolint:contextcheck // the test's context is what it runs under
			return a, result
		}
		ended := func(what string, result chan answered) {
			select {
			case r := <-result:
				if r.err == nil && r.status == 200 {
					t.Errorf("%s: a call that was ended got %+v", what, r)
				}
			case <-time.After(10 * time.Minute):
				t.Fatalf("%s: the call still runs", what)
			}
		}
		a, result := ask()
		eventually(t, "a call runs", func() bool { return running(t, label) })
		closed := make(chan struct{})
		go func() { a.Close(); close(closed) }()
		ended("its turn is closed", result)
		<-closed
		_, result = ask()
		eventually(t, "a call runs", func() bool { return running(t, label) })
		if err := g.Close(); err != nil {
			t.Error(err)
		}
		ended("the gateway is closed", result)
	})
	if len(l.open) != 0 || l.late != nil {
		t.Errorf("the ledger has %v open, its last call ended with %v", l.open, l.late)
	}
	http.DefaultClient.CloseIdleConnections()
	eventually(t, "no goroutine of the gateway is left", func() bool { return !profile(t, label) })
}

// TestCutCallCounts: a provider that has a request bills it, whether or not somebody still waits for the answer. One that never got it
// bills nothing.
func TestCutCallCounts(t *testing.T) {
	t.Parallel()
	for name, scheme := range map[string]string{"sent": "http", "in the handshake": "https"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &ledger{}
			came := make(chan struct{})
			provider, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = provider.Close() }()
			go func() { // it reads the request, or the first message of a handshake, and never answers
				if conn, err := provider.Accept(); err == nil {
					_, _ = conn.Read(make([]byte, 1))
					close(came)
				}
			}()
			backend, err := gateway.Forward(gateway.Provider{Base: scheme + "://" + provider.Addr().String(), Key: "k"})
			if err != nil {
				t.Fatal(err)
			}
			g, err := gateway.Start(t.Context(), gateway.Options{Backend: backend, Now: clock, Ledger: l})
			if err != nil {
				t.Fatal(err)
			}
			a, err := g.Open(t.Context(), gateway.Turn{})
			if err != nil {
				t.Fatal(err)
			}
			c, result := newClient(g, a, prompt), make(chan answered, 1)
			go func() { result <- c.ask(t) }()
			<-came
			if err := g.Close(); err != nil {
				t.Error(err)
			}
			<-result
			billed := l.spent.Tokens > 0 && l.spent.MicroUSD > 0
			if billed != (scheme == "http") || len(l.open) != 0 {
				t.Errorf("spent %v, open %v: want what the request alone costs, if it was sent", l.spent, l.open)
			}
		})
	}
}

func running(t *testing.T, label string) bool {
	t.Helper()
	return strings.Contains(goroutines(t, label), "(*part).step")
}

func profile(t *testing.T, label string) bool {
	t.Helper()
	return strings.Contains(goroutines(t, label), "internal/gateway.(")
}

// goroutines returns the stacks that carry the label.
func goroutines(t *testing.T, label string) string {
	t.Helper()
	var b bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&b, 1); err != nil {
		t.Fatal(err)
	}
	var own []string
	for stack := range strings.SplitSeq(b.String(), "\n\n") {
		if strings.Contains(stack, label) {
			own = append(own, stack)
		}
	}
	return strings.Join(own, "\n\n")
}

func TestLimitsAreSeen(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		header map[string]string
		want   time.Time
		retry  string // x-should-retry that the agent gets
	}{
		"seconds":          {429, map[string]string{"retry-after": "30"}, noon.Add(30 * time.Second), ""},
		"far":              {429, map[string]string{"retry-after": "7200"}, noon.Add(2 * time.Hour), "false"},
		"date":             {429, map[string]string{"retry-after": "Fri, 20 Nov 2026 12:00:10 GMT"}, noon.Add(10 * time.Second), ""},
		"subscription":     {429, map[string]string{"anthropic-ratelimit-unified-reset": "1795186800", "retry-after": "1"}, time.Unix(1795186800, 0).UTC(), "false"},
		"the one used up":  {429, map[string]string{"anthropic-ratelimit-tokens-remaining": "0", "anthropic-ratelimit-tokens-reset": "2026-11-20T12:00:40Z", "anthropic-ratelimit-requests-remaining": "9", "anthropic-ratelimit-requests-reset": "2026-11-20T15:00:00Z"}, noon.Add(40 * time.Second), ""},
		"nothing said":     {429, nil, time.Time{}, ""},
		"nonsense":         {429, map[string]string{"retry-after": "soon"}, time.Time{}, ""},
		"wrong key":        {401, nil, time.Time{}, "false"},
		"server's trouble": {500, map[string]string{"retry-after": "7200"}, time.Time{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				for k, v := range c.header {
					w.Header().Set(k, v)
				}
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(`{"error":{"message":"busy"}}`)) // the client may have gone
			}))
			defer up.Close()
			backend, err := gateway.Forward(gateway.Provider{Base: up.URL, Key: "sk-real"})
			if err != nil {
				t.Fatal(err)
			}
			l := &ledger{}
			g := start(t, gateway.Options{Backend: backend, Ledger: l})
			a := open(t, g, gateway.Turn{})
			client := newClient(g, a, "hi")
			client.ask(t)
			got := client.ask(t)
			if got.status != c.status || got.header.Get("x-should-retry") != c.retry {
				t.Errorf("answer = %d, retry %q, want %d, %q", got.status, got.header.Get("x-should-retry"), c.status, c.retry)
			}
			s := a.Close()
			limits, failures := 2, 0
			if c.status != 429 {
				limits, failures = 0, 2
			}
			if !s.ResetsAt.Equal(c.want) || s.Limits != limits || s.Failures != failures || s.Spent != (gateway.Amount{}) {
				t.Errorf("stats = %+v, want reset %v, %d limits, %d failures, nothing spent", s, c.want, limits, failures)
			}
			if want := fmt.Sprintf("%s answered %d: busy", strings.TrimPrefix(up.URL, "http://"), c.status); s.Said != want {
				t.Errorf("said = %q, want %q", s.Said, want)
			}
			if len(l.open) != 0 {
				t.Errorf("the ledger still has %v set aside", l.open)
			}
		})
	}
}

func TestPrices(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]float64{
		"claude-sonnet-4-5": 3, "claude-sonnet-4-5-20250929": 3, "claude-haiku-4-5-latest": 1, "claude-opus-5-5[1m]": 4,
		"claude-sonnet-4-9": 0, "claude": 0, "": 0, "claude-sonnet-4-5-fast": 0,
	} {
		price, known := gateway.PriceOf(model)
		if price.Input != want || known != (want > 0) {
			t.Errorf("the price of %q = %v, %v, want %v", model, price.Input, known, want)
		}
	}
}
