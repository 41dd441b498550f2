package gateway_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/gateway"
)

func TestRedactor(t *testing.T) {
	t.Parallel()
	r := gateway.NewRedactor("s3cret\"with quote", "s3cret\"with quote and more", "short", "")
	const x = gateway.Redacted
	for in, want := range map[string]string{
		"plain text, disk-space-is-not-a-key-at-all, task-force-of-sixteen": "plain text, disk-space-is-not-a-key-at-all, task-force-of-sixteen",
		`a s3cret"with quote b`:                                    "a " + x + " b",
		`a s3cret"with quote and more b`:                           "a " + x + " b",
		`{"v":"s3cret\"with quote"}`:                               `{"v":"` + x + `"}`,
		"https://x/?k=s3cret%22with+quote":                         "https://x/?k=" + x,
		"short stays":                                              "short stays",
		"key sk-ant-api03-AAAABBBBCCCCDDDD_-x.":                    "key " + x + ".",
		"ghp_0123456789abcdefghij0123456789abcdef":                 x,
		"github_pat_11AAAAAAA0123456789abcdef":                     x,
		"AKIAIOSFODNN7EXAMPLE":                                     x,
		"Authorization: Bearer abcdef0123456789==":                 "Authorization: Bearer " + x,
		`"authorization":"bearer abcdef0123456789"`:                `"authorization":"bearer ` + x + `"`,
		"the bearer of news":                                       "the bearer of news",
		"xoxb-123456789012-abcdef":                                 x,
		"jacquard-turn-0123456789abcdef0123456789abcdef0123456789": x,
		"-----BEGIN RSA PRIVATE KEY-----\nMIIE\nAAAA\n-----END RSA PRIVATE KEY----- end": x + " end",
	} {
		if got := r.String(in); got != want {
			t.Errorf("String(%q) = %q, want %q", in, got, want)
		}
		if r.Has(in) != (in != want) {
			t.Errorf("Has(%q) = %v", in, r.Has(in))
		}
	}
	if got := (gateway.Redactor{}).String("sk-" + strings.Repeat("a1", 12)); got != x {
		t.Errorf("the zero value gives %q", got)
	}
}

func FuzzRedactor(f *testing.F) {
	f.Add("before ", "s3cret\"<\n", " after")
	f.Add("sk-", "aaaaaaaaaaaaaaaaaaaa", "")
	f.Fuzz(func(t *testing.T, before, secret, after string) {
		if len(secret) < 6 || strings.Contains(gateway.Redacted, secret) {
			return
		}
		r := gateway.NewRedactor(secret)
		quoted, err := json.Marshal(secret)
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range []string{secret, string(quoted), url.QueryEscape(secret)} {
			out := r.String(before + form + after)
			if strings.Contains(out, strings.Trim(form, `"`)) && !strings.Contains(before+" "+after, form) && !strings.ContainsAny(secret, "[]redacted") {
				t.Fatalf("String(%q) = %q, still holds the secret", before+form+after, out)
			}
		}
	})
}
