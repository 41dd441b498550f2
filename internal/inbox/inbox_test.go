package inbox_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/inbox"
	"github.com/jacquard-build/jacquard/internal/pdca"
)

// served answers paths with queries, and notes what it was asked.
type served struct {
	mu    sync.Mutex
	asked []string
	auth  map[string]bool
}

func serve(t *testing.T, answer func(path string, r *http.Request, w http.ResponseWriter)) (*served, string) {
	t.Helper()
	s := &served{auth: map[string]bool{}}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked = append(s.asked, r.Method+" "+r.URL.Path)
		s.auth[r.Header.Get("Authorization")] = true
		w.Header().Set("Content-Type", "application/json")
		answer(r.URL.Path, r, w)
	}))
	t.Cleanup(srv.Close)
	return s, srv.URL
}

// TestSlack: a channel is read in the order in which it was written, threads below what they answer, names for ids, and what a
// program has noted ("has joined") left out; one that asks to wait is asked again.
func TestSlack(t *testing.T) {
	t.Parallel()
	busy := 1
	s, at := serve(t, func(path string, r *http.Request, w http.ResponseWriter) {
		switch path {
		case "/auth.test":
			fmt.Fprint(w, `{"ok":true}`)
		case "/conversations.history":
			if busy > 0 {
				busy--
				w.Header().Set("Retry-After", "1")
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
			if r.URL.Query().Get("channel") != "C0123ABC" || r.URL.Query().Get("limit") != "100" {
				t.Errorf("asked for %s", r.URL.RawQuery)
			}
			fmt.Fprint(w, `{"ok":true,"messages":[
				{"ts":"1763600300.0","user":"U2","text":"Then &lt;b&gt; it is. See <https://x.example/doc|the doc> and <#C9|shop>, <@U1>, <!here>","files":[{"name":"plan.pdf"}]},
				{"ts":"1763600200.0","user":"U3","subtype":"channel_join","text":"has joined"},
				{"ts":"1763600150.0","thread_ts":"1763600100.0","subtype":"thread_broadcast","user":"U2","text":"SQLite"},
				{"ts":"1763600120.0","subtype":"bot_message","username":"ci","text":"","attachments":[{"fallback":"main is &gt; red"}],"reactions":[{"name":"eyes","users":["U1"]}]},
				{"ts":"1763600100.0","user":"U1","text":"Which one?","reply_count":2}]}`)
		case "/conversations.replies":
			fmt.Fprint(w, `{"ok":true,"messages":[{"ts":"1763600100.0","user":"U1","text":"Which one?"},{"ts":"1763600150.0","user":"U2","text":"SQLite"},{"ts":"1763600160.0","username":"robot","subtype":"bot_message","text":"noted"}]}`)
		case "/users.info":
			switch u := r.URL.Query().Get("user"); u {
			case "U1":
				fmt.Fprint(w, `{"ok":true,"user":{"real_name":"Ann A","profile":{"display_name":"ann"}}}`)
			default:
				fmt.Fprint(w, `{"ok":false,"error":"missing_scope"}`)
			}
		}
	})
	got, err := inbox.Slack(t.Context(), map[string]string{"SLACK_TOKEN": "xoxb-1", "SLACK_API_URL": at}, "C0123ABC")
	if err != nil {
		t.Fatal(err)
	}
	want := "M-001 2025-11-20 00:55Z ann\n| Which one?\n\n" +
		"M-002 2025-11-20 00:55Z (reply to M-001) U2\n| SQLite\n\n" +
		"M-003 2025-11-20 00:56Z (reply to M-001) (bot) robot\n| noted\n\n" +
		"M-004 2025-11-20 00:55Z (bot) ci\n| main is > red\n(reaction eyes of ann)\n\n" +
		"M-005 2025-11-20 00:58Z U2\n| Then <b> it is. See the doc (https://x.example/doc) and #shop, @ann, @here\nAttached: plan.pdf\n\n"
	if text := pdca.Messages(got, 100, 10_000); text != want {
		t.Errorf("read\n%s\nwant\n%s", text, want)
	}
	if len(s.auth) != 1 || !s.auth["Bearer xoxb-1"] {
		t.Errorf("tokens sent: %v", s.auth)
	}
}

// TestSlackRefuses: each refusal says what to do, and none shows the token.
func TestSlackRefuses(t *testing.T) {
	t.Parallel()
	answer := ""
	_, at := serve(t, func(path string, _ *http.Request, w http.ResponseWriter) {
		if path == "/auth.test" && !strings.Contains(answer, "auth") {
			fmt.Fprint(w, `{"ok":true}`)
			return
		}
		fmt.Fprint(w, answer)
	})
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("xoxb-secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"SLACK_TOKEN_FILE": token, "SLACK_API_URL": at}
	for answered, want := range map[string]string{
		`{"ok":false,"error":"invalid_auth"}`:      "SLACK_TOKEN",
		`{"ok":false,"error":"not_in_channel"}`:    "invite the app",
		`{"ok":false,"error":"missing_scope"}`:     "channels:history",
		`{"ok":false,"error":"channel_not_found"}`: "sees no channel",
		`<html>`: "JSON",
	} {
		answer = answered
		_, err := inbox.Slack(t.Context(), env, "C0123ABC")
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "xoxb-secret") {
			t.Errorf("%s: %v, want %q", answered, err, want)
		}
	}
	for name, c := range map[string]struct {
		env     map[string]string
		channel string
		want    string
	}{
		"no token":       {map[string]string{}, "C0123ABC", "https://api.slack.com/apps"},
		"a name":         {env, "general", "not a Slack channel id"},
		"a path":         {env, "C/../../x", "not a Slack channel id"},
		"plain http":     {map[string]string{"SLACK_TOKEN": "x", "SLACK_API_URL": "http://slack.example"}, "C0123ABC", "use https"},
		"no such file":   {map[string]string{"SLACK_TOKEN_FILE": token + "x"}, "C0123ABC", "SLACK_TOKEN_FILE"},
		"nobody answers": {map[string]string{"SLACK_TOKEN": "x", "SLACK_API_URL": "http://127.0.0.1:1"}, "C0123ABC", "cannot be reached"},
	} {
		if _, err := inbox.Slack(t.Context(), c.env, c.channel); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// TestRedirect: a token does not follow a redirect.
func TestRedirect(t *testing.T) {
	t.Parallel()
	other, there := serve(t, func(_ string, _ *http.Request, w http.ResponseWriter) { fmt.Fprint(w, `{"ok":true}`) })
	_, at := serve(t, func(path string, r *http.Request, w http.ResponseWriter) {
		http.Redirect(w, r, there+path, http.StatusFound)
	})
	if _, err := inbox.Slack(t.Context(), map[string]string{"SLACK_TOKEN": "x", "SLACK_API_URL": at}, "C0123ABC"); err == nil {
		t.Error("a redirect was taken for an answer")
	}
	if len(other.asked) > 0 {
		t.Errorf("the redirect was followed: %v", other.asked)
	}
}

func google(t *testing.T, server string) string {
	t.Helper()
	raw, err := json.Marshal(map[string]string{"type": "authorized_user", "client_id": "id", "client_secret": "hush", "refresh_token": "again", "token_uri": server + "/token"})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "gmail.json")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestGmail: mails are read with what they say as text, also where they have only HTML, and what is attached; the token of the
// log-in is fetched once.
func TestGmail(t *testing.T) {
	t.Parallel()
	part := func(typ, file, text string) string {
		return fmt.Sprintf(`{"mimeType":%q,"filename":%q,"body":{"data":%q}}`, typ, file, base64.URLEncoding.EncodeToString([]byte(text)))
	}
	s, at := serve(t, func(path string, r *http.Request, w http.ResponseWriter) {
		switch path {
		case "/token":
			if r.FormValue("refresh_token") != "again" || r.FormValue("grant_type") != "refresh_token" {
				t.Errorf("asked with %v", r.Form)
			}
			fmt.Fprint(w, `{"access_token":"fresh","expires_in":3600,"token_type":"Bearer"}`)
		case "/gmail/v1/users/me/messages":
			if q := r.URL.Query(); q.Get("q") != "from:client" || q.Get("maxResults") != "20" {
				t.Errorf("asked for %v", q)
			}
			fmt.Fprint(w, `{"messages":[{"id":"b"},{"id":"a"}]}`)
		case "/gmail/v1/users/me/messages/a":
			fmt.Fprintf(w, `{"payload":{"mimeType":"multipart/mixed","headers":[{"name":"From","value":"=?utf-8?B?67CV?= <p@x.example>"},{"name":"To","value":"me@x.example"},{"name":"Subject","value":"The\r\n order"},
				{"name":"Date","value":"Thu, 20 Nov 2025 10:00:00 +0900"},{"name":"Message-ID","value":"<1@x>"}],"parts":[%s,%s]}}`,
				part("text/plain", "", "Please add it.\r\nThanks, my password: hunter2"), part("application/pdf", "order.pdf", ""))
		case "/gmail/v1/users/me/messages/b":
			fmt.Fprintf(w, `{"snippet":"x","payload":{"mimeType":"multipart/alternative","headers":[{"name":"from","value":"q@x.example"},{"name":"Reply-To","value":"list@x.example"}],"parts":[%s]}}`,
				part("text/html", "", `<html><head><title>no</title></head><style>p{}</style><table><tr><td>Compute</td><td>900</td></tr></table><p>By <b>Friday</b>,<br>see <a class=x href="https://x.example/a?b=1&amp;c">this</a></p><script>no()</script>`))
		}
	})
	got, err := inbox.Gmail(t.Context(), map[string]string{"GMAIL_TOKEN_FILE": google(t, at), "GMAIL_API_URL": at}, "from:client")
	if err != nil {
		t.Fatal(err)
	}
	want := "M-001 q@x.example\n| Compute 900 \n| By Friday,\n| see this (https://x.example/a?b=1&c)\n\n" +
		"M-002 2025-11-20 10:00+09:00 박 <p@x.example> → me@x.example\nSubject: The order\n| Please add it.\n| Thanks, my password: *hidden*\nAttached: order.pdf\n\n"
	if text := pdca.Messages(got, 20, 10_000); text != want {
		t.Errorf("read\n%q\nwant\n%q", text, want)
	}
	if got[0].Reply != "list@x.example" || got[1].Ref != "<1@x>" {
		t.Errorf("headers: %+v", got)
	}
	n := 0
	for _, a := range s.asked {
		if a == "POST /token" {
			n++
		}
	}
	if n != 1 || !s.auth["Bearer fresh"] {
		t.Errorf("%d tokens were fetched, and sent: %v", n, s.auth)
	}
}

// TestGmailRefuses: what is wrong with a log-in is said with what to do, and never shows a secret.
func TestGmailRefuses(t *testing.T) {
	t.Parallel()
	_, at := serve(t, func(path string, _ *http.Request, w http.ResponseWriter) {
		if path == "/token" {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":"invalid_grant","error_description":"Token has been revoked."}`)
		}
	})
	broken := filepath.Join(t.TempDir(), "broken.json")
	if err := os.WriteFile(broken, []byte(`{"installed":{"client_id":"x"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		env  map[string]string
		want string
	}{
		"none":       {map[string]string{"HOME": t.TempDir()}, "console.cloud.google.com"},
		"not there":  {map[string]string{"GMAIL_TOKEN_FILE": broken + "x"}, "GMAIL_TOKEN_FILE"},
		"a client's": {map[string]string{"GMAIL_TOKEN_FILE": broken}, "refresh_token"},
		"revoked":    {map[string]string{"GMAIL_TOKEN_FILE": google(t, at), "GMAIL_API_URL": at}, "invalid_grant Token has been revoked. Log in again"},
		"plain http": {map[string]string{"GMAIL_TOKEN_FILE": google(t, "http://google.example")}, "use https"},
	} {
		_, err := inbox.Gmail(t.Context(), c.env, inbox.Unread)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hush") || strings.Contains(err.Error(), "again\"") {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	_, err := inbox.Gmail(t.Context(), map[string]string{"GMAIL_TOKEN_FILE": google(t, at), "GMAIL_API_URL": at}, inbox.Unread)
	if flow.ClassOf(err) != flow.Auth {
		t.Errorf("a revoked log-in is %v", flow.ClassOf(err))
	}
}

// TestLimit: a service that is busy for longer than a minute is not waited for.
func TestLimit(t *testing.T) {
	t.Parallel()
	_, at := serve(t, func(_ string, _ *http.Request, w http.ResponseWriter) {
		w.Header().Set("Retry-After", "61")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	_, err := inbox.Slack(t.Context(), map[string]string{"SLACK_TOKEN": "x", "SLACK_API_URL": at}, "C0123ABC")
	if flow.ClassOf(err) != flow.Limit || !strings.Contains(err.Error(), "61 s") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stopped")
	_, at = serve(t, func(_ string, _ *http.Request, w http.ResponseWriter) {
		cancel(stop)
		w.Header().Set("Retry-After", "60")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	if _, err := inbox.Slack(ctx, map[string]string{"SLACK_TOKEN": "x", "SLACK_API_URL": at}, "C0123ABC"); !errors.Is(err, stop) {
		t.Errorf("a wait that is cut says %v", err)
	}
}

// TestIsQuery: a search is told from a task in words.
func TestIsQuery(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"from:client": true, "subject:order newer_than:7d": true, "is:unread": true, "invoice has:attachment": true, "-label:old x": true, "label:일": true,
		"answer the mails of the client": false, "응답 초안": false, "note: do this": false, "fix the bug at 10:30": false, "": false,
	} {
		if got := inbox.IsQuery(text); got != want {
			t.Errorf("IsQuery(%q) = %v", text, got)
		}
	}
}

// TestThreads: of more threads than are read the newest are, and it is said of the others.
func TestThreads(t *testing.T) {
	t.Parallel()
	_, at := serve(t, func(path string, _ *http.Request, w http.ResponseWriter) {
		switch path {
		case "/conversations.history":
			var list []string
			for i := range 11 {
				list = append(list, fmt.Sprintf(`{"ts":"17636%05d.0","username":"a","text":"q%d","reply_count":3}`, 100-i, 100-i))
			}
			list = append(list, `{"ts":"1763600010.0","thread_ts":"1763600001.0","subtype":"thread_broadcast","username":"a","text":"old"}`)
			fmt.Fprintf(w, `{"ok":true,"messages":[%s]}`, strings.Join(list, ","))
		case "/conversations.replies":
			fmt.Fprint(w, `{"ok":true,"messages":[{"ts":"1.1","username":"b","text":"one"},{"ts":"1.2","username":"b","text":"two"},{"ts":"1.3","username":"b","text":"three"}]}`)
		default:
			fmt.Fprint(w, `{"ok":true}`)
		}
	})
	got, err := inbox.Slack(t.Context(), map[string]string{"SLACK_TOKEN": "x", "SLACK_API_URL": at}, "C0123ABC")
	if err != nil {
		t.Fatal(err)
	}
	text := pdca.Messages(got, 100, 10_000)
	if strings.Count(text, "were not read") != 1 || !strings.Contains(text, "| q90\n(3 replies were not read)") || !strings.Contains(text, "(reply to an older message) (bot) a\n| old") {
		t.Errorf("read\n%s", text)
	}
}

// TestSecrets: what is plainly a secret is in no message that is kept.
func TestSecrets(t *testing.T) {
	t.Parallel()
	said := ""
	_, at := serve(t, func(path string, _ *http.Request, w http.ResponseWriter) {
		if path == "/conversations.history" {
			raw, _ := json.Marshal(said)
			fmt.Fprintf(w, `{"ok":true,"messages":[{"ts":"1.0","username":"a","text":%s}]}`, raw)
			return
		}
		fmt.Fprint(w, `{"ok":true}`)
	})
	for text, want := range map[string]string{
		"staging password: Hunter!2 ok":           "staging password: *hidden* ok",
		"비밀번호는 qwer1234 입니다":                      "비밀번호는 *hidden* 입니다",
		"the password is wrong":                   "the password is wrong",
		"use ghp_abcdefghijklmnop now":            "use *hidden* now",
		"API key = abc123 and AKIAABCDEFGHIJKLMN": "API key = *hidden* and *hidden*",
		"postgres://hook:S3cret@db/x?y":           "postgres://hook:*hidden*@db/x?y",
		"PIN 4821, 인증번호는 482913":                  "PIN *hidden*, 인증번호는 *hidden*",
		"token: 3개 필요, `pw: hunter2`":             "token: 3개 필요, `pw: *hidden*`",
		"The password is `Xk3!pass99`.":           "The password is `*hidden*`.",
		`{"password":"hunter22"}`:                 `{"password":"*hidden*"}`,
		"AWS_SECRET_ACCESS_KEY=abcdef":            "AWS_SECRET_ACCESS_KEY=*hidden*",
		"client_secret: abcdef":                   "client_secret: *hidden*",
		"redis://:s3cret99@host":                  "redis://:*hidden*@host",
		"Authorization: Bearer abcdef123":         "Authorization: Bearer *hidden*",
		"max_tokens=5000, the token bucket":       "max_tokens=5000, the token bucket",
		"nothing here: the tokenizer is 2":        "nothing here: the tokenizer is 2",
	} {
		said = text
		got, err := inbox.Slack(t.Context(), map[string]string{"SLACK_TOKEN": "x", "SLACK_API_URL": at}, "C0123ABC")
		if err != nil || len(got) != 1 || got[0].Text != want {
			t.Errorf("%q became %+v, %v", text, got, err)
		}
	}
}
