package gateway

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

// Redacted stands where a secret was.
const Redacted = "[redacted]"

// minSecret is the length below which a value is too common to be looked for.
const minSecret = 6

// secretForms are what keys and tokens of known makers look like.
var secretForms = re.New(strings.Join([]string{
	`\bsk-[A-Za-z0-9_-]{16,}`,
	`\bgh[pousr]_[A-Za-z0-9]{20,}`,
	`\bgithub_pat_[A-Za-z0-9_]{20,}`,
	`\bglpat-[A-Za-z0-9_-]{16,}`,
	`\bxox[abprs]-[A-Za-z0-9-]{10,}`,
	`\bA(?:KIA|SIA)[A-Z0-9]{16}`,
	`\bAIza[A-Za-z0-9_-]{30,}`,
	`\b` + tokenPrefix + `[0-9a-f]{16,}`,
	`\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`,
	`-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[^-]*-----END [A-Z ]*PRIVATE KEY-----)?`,
}, "|"))

var bearer = re.New(`(?i)(\bbearer\s+)([A-Za-z0-9._~+/=-]{12,})`)

// Redactor takes secrets out of text. The zero value knows the usual forms of
// keys and no value.
type Redactor struct {
	values *strings.Replacer
}

// NewRedactor returns a Redactor that also knows the given values, as they are
// and as they look inside JSON and URLs. Values of less than 6 bytes are ignored.
func NewRedactor(secrets ...string) Redactor {
	seen := map[string]bool{}
	for _, s := range secrets {
		if len(s) < minSecret {
			continue
		}
		seen[s], seen[url.QueryEscape(s)], seen[url.PathEscape(s)] = true, true, true
		if quoted, err := json.Marshal(s); err == nil {
			seen[string(quoted[1:len(quoted)-1])] = true
		}
	}
	// Longest first, so that no secret is taken apart by a shorter one.
	forms := slices.SortedFunc(maps.Keys(seen), func(a, b string) int {
		return cmp.Or(len(b)-len(a), strings.Compare(a, b))
	})
	pairs := make([]string, 0, 2*len(forms))
	for _, s := range forms {
		pairs = append(pairs, s, Redacted)
	}
	return Redactor{values: strings.NewReplacer(pairs...)}
}

// String returns s without secrets.
func (r Redactor) String(s string) string {
	if r.values != nil {
		s = r.values.Replace(s)
	}
	s = secretForms().ReplaceAllLiteralString(s, Redacted)
	return bearer().ReplaceAllString(s, "${1}"+Redacted)
}

// Bytes returns b without secrets; b itself is not changed.
func (r Redactor) Bytes(b []byte) []byte { return []byte(r.String(string(b))) }

// Has reports whether s holds a secret that String would take out.
func (r Redactor) Has(s string) bool { return r.String(s) != s }
