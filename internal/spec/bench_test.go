package spec_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/text"

	"github.com/jacquard-build/jacquard/internal/spec"
)

// specOf is a spec of 2 KB as people write them.
func specOf(i int) []byte {
	return fmt.Appendf(nil, `# session-%d

## Purpose

Keeps the sessions of signed-in users: issues tokens, checks them on every request and forgets them when they expire or are revoked.

## Exports

### Functions

- `+"`issueToken(user: User, scopes: string[]): Promise<Token>`"+` — signs a token for a user and stores its session
- `+"`validateToken(token: string): Promise<Claims>`"+` — checks signature, expiry and revocation
- `+"`revokeToken(token: string, reason: RevocationReason): Promise<void>`"+` — ends a session at once

### Types

- `+"`Claims { userId: string, scopes: string[], issuedAt: number, expiresAt: number }`"+`
- `+"`RevocationReason = 'signed-out' | 'password-changed' | 'by-admin'`"+`

## Behavior

### Success

- a valid token that is not revoked → its Claims, read from the token and not from the store
- a token with less than five minutes left → its Claims and a new token in the header

### Errors

- an expired token → TokenExpiredError with the time at which it expired
- a token whose signature does not match → InvalidTokenError, and the attempt is logged

## Contract

### validateToken

- **Preconditions**: the token is not empty, and the signing key is loaded
- **Postconditions**: the claims are those that were signed; nothing is written
- **Throws**: TokenExpiredError, InvalidTokenError, RevokedTokenError

## Protocol

None

## Domain Context

### Constraints

- TOKEN_EXPIRY: 7 days (the auditors ask for it)
- a user has at most 5 sessions at once; the oldest one is revoked for a sixth

### Compatibility

- tokens of the old service (UUID v1, unsigned) are accepted until they expire

## Dependencies

- internal:
  - `+"`core/user/CLAUDE.md`"+`: findUser, User
- external:
  - `+"`jsonwebtoken@9.0.0`"+`: sign, verify
`, i)
}

// BenchmarkAgainstGoldmark reads the same specs by turns with the line scanner, the whole parser and goldmark, and
// reports their speeds and how often they are goldmark's.
func BenchmarkAgainstGoldmark(b *testing.B) {
	docs := make([][]byte, 500)
	texts := make([]string, len(docs))
	size := 0
	for i := range docs {
		docs[i] = specOf(i)
		texts[i] = string(docs[i])
		size += len(docs[i])
	}
	mark := goldmark.DefaultParser()
	readers := []struct {
		name string
		read func(i int)
	}{
		{"goldmark", func(i int) { mark.Parse(text.NewReader(docs[i])) }},
		{"scan", func(i int) { spec.Scan(texts[i]) }},
		{"parse", func(i int) { spec.Parse("m/CLAUDE.md", docs[i]) }},
	}
	rounds := make([][]float64, len(readers))
	for b.Loop() {
		for i, r := range readers {
			start := time.Now()
			for k := range docs {
				r.read(k)
			}
			rounds[i] = append(rounds[i], time.Since(start).Seconds())
		}
	}
	var took [3]float64 // medians: what else the machine does meets all of them
	for i, r := range readers {
		slices.Sort(rounds[i])
		took[i] = rounds[i][len(rounds[i])/2]
		b.ReportMetric(float64(size)/1e6/took[i], r.name+"-MB/s")
	}
	b.ReportMetric(took[0]/took[1], "scan/goldmark")
	b.ReportMetric(took[0]/took[2], "parse/goldmark")
}
