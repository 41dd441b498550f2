package inbox

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"mime"
	"net/http"
	"net/mail"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/oauth2"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/re"
)

const (
	gmailMails = 20 // that are read
	gmailAPI   = "https://gmail.googleapis.com"
	googleAuth = "https://oauth2.googleapis.com/token"
	// Unread is the query of the mails that nobody has read yet.
	Unread = "is:unread"
)

// ErrNoGmail says how to get a token for Gmail.
var ErrNoGmail = errors.New("not logged in to Gmail: create an OAuth client of the kind \"desktop app\" at https://console.cloud.google.com/apis/credentials with the Gmail API, log in with `gcloud auth application-default login --client-id-file=CLIENT.json --scopes=https://www.googleapis.com/auth/gmail.readonly,https://www.googleapis.com/auth/cloud-platform`, and set GMAIL_TOKEN_FILE to the file that it writes (~/.config/gcloud/application_default_credentials.json); without the variable it is looked for in ~/.config/jacquard/gmail.json")

// IsQuery reports whether a text is a search of Gmail (from:client newer_than:7d) rather than a task in words.
func IsQuery(s string) bool { return query().MatchString(s) }

var query = re.New(`(?i)(^|\s)-?(from|to|cc|bcc|subject|label|has|is|in|after|before|older|newer|older_than|newer_than|filename|category|larger|smaller|list|deliveredto|rfc822msgid):\S`)

// Gmail reads the newest mails that a query finds, in the order in which they came. The log-in is the file that
// GMAIL_TOKEN_FILE names, else gmail.json in the user's folder of settings: an OAuth token of the authorized user, as Google's
// tools write it. GMAIL_API_URL may name another address. Without a file the error is ErrNoGmail.
func Gmail(ctx context.Context, env map[string]string, search string) ([]pdca.Message, error) {
	s, err := openGmail(ctx, env)
	if err != nil {
		return nil, err
	}
	var found struct {
		Messages []struct {
			ID string `json:"id"`
		} `json:"messages"`
	}
	if err := s.mails(ctx, "", url.Values{"q": {search}, "maxResults": {strconv.Itoa(gmailMails)}}, &found); err != nil {
		return nil, err
	}
	var out []pdca.Message
	for _, f := range slices.Backward(found.Messages) { // newest first
		var m gmailMail
		if err := s.mails(ctx, "/"+url.PathEscape(f.ID), url.Values{"format": {"full"}}, &m); err != nil {
			return nil, err
		}
		out = append(out, m.message())
	}
	slices.SortStableFunc(out, func(a, b pdca.Message) int { return a.At.Compare(b.At) })
	return masked(out), nil
}

func openGmail(ctx context.Context, env map[string]string) (*service, error) {
	path := env["GMAIL_TOKEN_FILE"]
	if path == "" {
		dir := cmp.Or(env["XDG_CONFIG_HOME"], filepath.Join(env["HOME"], ".config"))
		path = filepath.Join(dir, "jacquard", "gmail.json")
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			return nil, ErrNoGmail
		}
	}
	source, err := googleLogin(ctx, path)
	if err != nil {
		return nil, err
	}
	return open("Gmail", "GMAIL_API_URL", env["GMAIL_API_URL"], gmailAPI, source)
}

// googleLogin reads a token of an authorized user, as gcloud and Google's libraries write it.
func googleLogin(ctx context.Context, path string) (http.RoundTripper, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the log-in for Gmail (GMAIL_TOKEN_FILE): %w", err)
	}
	var v struct {
		ID      string `json:"client_id"`
		Secret  string `json:"client_secret"`
		Refresh string `json:"refresh_token"`
		Server  string `json:"token_uri"`
	}
	if err := json.Unmarshal(raw, &v); err != nil || v.ID == "" || v.Refresh == "" {
		return nil, fmt.Errorf("%s is not an OAuth user token: it is JSON with client_id, client_secret and refresh_token. %w", path, ErrNoGmail)
	}
	v.Server = cmp.Or(v.Server, googleAuth)
	server, err := open("Google's log-in", "token_uri", v.Server, googleAuth, http.DefaultTransport)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	config := oauth2.Config{ClientID: v.ID, ClientSecret: v.Secret, Endpoint: oauth2.Endpoint{TokenURL: v.Server}}
	ctx = context.WithValue(ctx, oauth2.HTTPClient, server.client)
	return &login{source: config.TokenSource(ctx, &oauth2.Token{RefreshToken: v.Refresh}), path: path}, nil
}

// login adds a fresh token to requests.
type login struct {
	source oauth2.TokenSource
	path   string
}

// RoundTrip sends a request with the token.
func (l *login) RoundTrip(req *http.Request) (*http.Response, error) {
	token, err := l.source.Token()
	if err != nil {
		why := "it does not answer"
		if r, ok := errors.AsType[*oauth2.RetrieveError](err); ok { // its text has the whole answer
			why = strings.TrimRight(clip(strings.TrimSpace(r.ErrorCode+" "+r.ErrorDescription), 200), ".")
		}
		return nil, flow.Failf(flow.Auth, "Google's log-in refuses the token of %s: %s. Log in again", l.path, why)
	}
	return bearer(token.AccessToken).RoundTrip(req)
}

func (s *service) mails(ctx context.Context, path string, q url.Values, to any) error {
	return s.get(ctx, "/gmail/v1/users/me/messages"+path, q, to)
}

type gmailMail struct {
	Snippet string    `json:"snippet"`
	Payload gmailPart `json:"payload"`
}

type gmailPart struct {
	Type    string      `json:"mimeType"`
	File    string      `json:"filename"`
	Parts   []gmailPart `json:"parts"`
	Headers []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"headers"`
	Body struct {
		Data string `json:"data"`
	} `json:"body"`
}

func (p gmailPart) header(name string) string {
	for _, h := range p.Headers {
		if strings.EqualFold(h.Name, name) {
			v, err := new(mime.WordDecoder).DecodeHeader(h.Value)
			if err != nil {
				v = h.Value
			}
			return clip(strings.Join(strings.Fields(v), " "), 500)
		}
	}
	return ""
}

// text is the first part of a type.
func (p gmailPart) text(typ string) string {
	if p.File == "" && strings.EqualFold(p.Type, typ) {
		raw, err := base64.URLEncoding.DecodeString(p.Body.Data)
		if err != nil {
			raw, err = base64.RawURLEncoding.DecodeString(p.Body.Data)
		}
		if err == nil {
			return strings.ToValidUTF8(string(raw), "�")
		}
	}
	for _, q := range p.Parts {
		if s := q.text(typ); s != "" {
			return s
		}
	}
	return ""
}

func (p gmailPart) files(out *[]string) {
	if p.File != "" {
		*out = append(*out, clip(strings.Join(strings.Fields(p.File), " "), 200))
	}
	for _, q := range p.Parts {
		q.files(out)
	}
}

func (m gmailMail) message() pdca.Message {
	out := pdca.Message{From: m.Payload.header("From"), To: m.Payload.header("To"), Cc: m.Payload.header("Cc"), Subject: m.Payload.header("Subject"), Reply: m.Payload.header("Reply-To"), Ref: m.Payload.header("Message-ID")}
	if at, err := mail.ParseDate(m.Payload.header("Date")); err == nil {
		out.At = at
	}
	text := m.Payload.text("text/plain")
	if strings.TrimSpace(text) == "" {
		text = plain(m.Payload.text("text/html"))
	}
	if text == "" {
		text = html.UnescapeString(m.Snippet)
	}
	out.Text = clip(strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")), maxText)
	m.Payload.files(&out.Files)
	return out
}

var (
	unseen  = re.New(`(?is)<(style|script|head|title)\b.*?</(style|script|head|title)\s*>|<!--.*?-->`)
	breaks  = re.New(`(?i)<(br|/p|/div|/tr|/li|/h[1-6]|/blockquote)\b[^>]*>`)
	cells   = re.New(`(?i)</(td|th)\b[^>]*>`)
	links   = re.New(`(?is)<a\b[^>]*\bhref\s*=\s*["']?(https?://[^"'\s>]+)[^>]*>(.*?)</a\s*>`)
	anyTag  = re.New(`(?s)<[^>]*>`)
	manyEnd = re.New(`[ \t]*\n\s*\n\s*`)
)

// plain is the text of a mail that has only HTML: what is seen of it, and where its links lead.
func plain(s string) string {
	s = unseen().ReplaceAllString(s, "")
	s = strings.Join(strings.Fields(s), " ")
	s = links().ReplaceAllString(s, "$2 ($1)")
	s = breaks().ReplaceAllString(cells().ReplaceAllString(s, " "), "\n")
	s = html.UnescapeString(anyTag().ReplaceAllString(s, ""))
	return strings.TrimSpace(manyEnd().ReplaceAllString(s, "\n\n"))
}

// secret is a token from the environment, or from the file that NAME_FILE names.
func secret(env map[string]string, name string) (string, error) {
	if v := strings.TrimSpace(env[name]); v != "" {
		return v, nil
	}
	path := env[name+"_FILE"]
	if path == "" {
		return "", nil
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read %s_FILE: %w", name, err)
	}
	return strings.TrimSpace(string(raw)), nil
}
