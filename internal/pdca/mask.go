package pdca

import (
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

// hidden are secrets as people write them into messages: a word for one with what follows, a log-in in an address, and the forms
// of well-known tokens.
var hidden = re.New(`(?i)([\w-]*(?:password|passwd|passphrase|passcode|secret|api[ _-]?key|access[ _-]?key|private[ _-]?key|token)(?:_\w+)?\b|\b(?:pwd|pw|pin|bearer|verification code)\b|비밀번호|비번|패스워드|암호|인증번호)` +
	"([\"'`\\])]*\\s*(?:(?:is|are|는|은|[:=→])\\s*)*[\"'`(\\[<]*)([^\\s,;`\"'<>()\\[\\]]+)|" +
	`(://[^\s:/@]*:)([^\s/@]+)@|` +
	`\b(?:sk|pk|rk|ghp|gho|ghs|glpat|xox[abprs])[-_][A-Za-z0-9_-]{8,}|\bgithub_pat_\w{10,}|\bAKIA[0-9A-Z]{12,}|\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`)

// masking stands where a secret was.
const masking = "*hidden*"

// Mask hides what is plainly a secret in a text of people. What nobody would recognise stays.
func Mask(text string) string {
	r := hidden()
	return r.ReplaceAllStringFunc(text, func(m string) string {
		g := r.FindStringSubmatch(m)
		word, sep, value := g[1], g[2], g[3]
		switch {
		case g[4] != "":
			return g[4] + masking + "@"
		case word == "":
			return masking
		case value == masking, len([]rune(value)) < 4: // token: 3
			return m
		case !strings.ContainsAny(sep, ":=→") && !strings.ContainsAny(value, "0123456789"): // the password is wrong
			return m
		}
		return word + sep + masking
	})
}
