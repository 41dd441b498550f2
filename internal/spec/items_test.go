package spec_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/spec"
)

func byID(d *spec.Document) map[string]spec.Item {
	out := map[string]spec.Item{}
	for _, it := range spec.Items(d) {
		out[it.ID] = it
	}
	return out
}

func TestItemIDsDoNotShift(t *testing.T) {
	t.Parallel()
	before := byID(parse(t, full))
	for name, change := range map[string][2]string{
		"behavior":   {"- valid token →", "- brand new input → something\n- valid token →"},
		"clause":     {"  - token: not", "  - first of all\n  - token: not"},
		"export":     {"- `validateToken(", "- `aaa(): b`\n- `validateToken("},
		"state":      {"States: `Idle`", "States: `New` | `Idle`"},
		"transition": {"- `Idle` +", "- `Idle` + `stop()` → `Idle`\n- `Idle` +"},
		"constraint": {"- 동시", "- 하나 더\n- 동시"},
		"constant":   {"- TOKEN_EXPIRY", "- OTHER_LIMIT: 5\n- TOKEN_EXPIRY"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			after := byID(parse(t, strings.Replace(full, change[0], change[1], 1)))
			if len(after) != len(before)+1 {
				t.Errorf("%d items, want %d", len(after), len(before)+1)
			}
			for id, it := range before {
				if after[id].Hash != it.Hash {
					t.Errorf("item %s (%s) changed or moved", id, it.Text)
				}
			}
		})
	}
}

func TestItemsKnowWhatChanged(t *testing.T) {
	t.Parallel()
	before := byID(parse(t, full))
	after := byID(parse(t, strings.NewReplacer("valid token → Claims", "valid token → Claims with id",
		"TOKEN_EXPIRY: 7일", "TOKEN_EXPIRY: 14일", "`MAX_RETRIES = 3`", "`MAX_RETRIES = 5`").Replace(full)))
	var changed []string
	for id, it := range before {
		switch now, ok := after[id]; {
		case !ok:
			t.Errorf("item %s (%s) vanished", id, it.Text)
		case now.Hash != it.Hash:
			changed = append(changed, string(it.Kind))
		}
	}
	if len(changed) != 3 {
		t.Errorf("changed %v, want a behavior, a constant and an export", changed)
	}
	for _, id := range []string{"E:validateToken", "E:TokenManager.issue", "S:Loading", "T:Idle+load()→Loading", "L:init", "K:TOKEN_EXPIRY"} {
		if _, ok := before[id]; !ok {
			t.Errorf("no item %s", id)
		}
	}
	same := spec.Items(parse(t, "## Behavior\n- x → a\n- x → b\n- x → b\n"))
	if len(same) != 2 || same[0].ID == same[1].ID {
		t.Errorf("items = %v, want two with their own ids", same)
	}
}

func TestInterfaceIgnoresProse(t *testing.T) {
	t.Parallel()
	base := parse(t, full)
	prose := parse(t, strings.Replace(full, "— checks it", "— checks it well", 1))
	if spec.InterfaceHash(base) != spec.InterfaceHash(prose) {
		t.Error("prose about an export changed the interface")
	}
	if spec.ContentHash(base) == spec.ContentHash(prose) {
		t.Error("prose in a contract section must change the content")
	}
	for old, now := range map[string]string{
		"validateToken(token: string)": "validateToken(token: string, now: Date)", "Active | Inactive": "Active", "MAX_RETRIES = 3": "MAX_RETRIES = 4",
	} {
		other := parse(t, strings.Replace(full, old, now, 1))
		if spec.InterfaceHash(base) == spec.InterfaceHash(other) {
			t.Errorf("%s → %s left the interface alone", old, now)
		}
		diff := 0
		hashes := spec.SymbolHashes(other)
		for name, h := range spec.SymbolHashes(base) {
			if hashes[name] != h {
				diff++
			}
		}
		if diff != 1 {
			t.Errorf("%s → %s changed %d symbols, want 1", old, now, diff)
		}
	}
	spaced := parse(t, strings.Replace(full, "validateToken(token: string): Promise<Claims>", "validateToken( token:string ) : Promise< Claims >", 1))
	if spec.InterfaceHash(base) != spec.InterfaceHash(spaced) {
		t.Error("white space in a signature changed the interface")
	}
}

// TestConstantsInCode: a number that stands anywhere is an amount only with its unit.
func TestConstantsInCode(t *testing.T) {
	t.Parallel()
	tests := []struct {
		constant, code string
		want           bool
	}{
		{"TOKEN_EXPIRY: 7일", "exports.one=()=>1; // 2", false},
		{"TOKEN_EXPIRY: 7일", "const WEEKS = 1;", true},
		{"TOKEN_EXPIRY: 7일", "const EXPIRY = 7 * DAY;", true},
		{"TOKEN_EXPIRY: 7일", "EXPIRY = 604_800", true},
		{"TOKEN_EXPIRY: 7일", "EXPIRY = timedelta(weeks=1)", true},
		{"TIMEOUT: 2000ms", "exports.one=()=>1; // 2", false},
		{"TIMEOUT: 2000ms", "const timeout = 2 * time.Second", true},
		{"TIMEOUT: 2000ms", "const timeout = 2\nconst retrySeconds = 5", false},
		{"TIMEOUT: 2000ms", "timeout: '2s'", true},
		{"TIMEOUT: 2000ms", "timeout: '2d'", false},
		{"TIMEOUT: 2000ms", "timeout = 2000", true},
		{"MAX_RETRY: 3", "for i := 0; i < 3; i++ {", true},
		{"MAX_RETRY: 3", "x3 = 13", false},
		{"at most 1,000 users", "limit = 1_000", true},
		{"`maxSize` = 5MB", "5 << 20", true},
		{"답변은 최대 48시간", "const days = 2", true},
		{"답변은 최대 48시간", "const pages = 2", false},
		{"ALGORITHM: RS256", "sign('RS256')", true},
		{"ALGORITHM: RS256", "sign('XRS256')", false},
	}
	for _, c := range tests {
		d, _ := spec.Parse("a/CLAUDE.md", []byte("## Domain Context\n### Constraints\n- "+c.constant+"\n"))
		if got := spec.Constants(d)[0].In(c.code); got != c.want {
			t.Errorf("%s in %q: %v", c.constant, c.code, got)
		}
	}
}

// TestAmountsOfConstants: the same amount in another unit is the same; what says more than one number says nothing for sure.
func TestAmountsOfConstants(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		constant, number string
		is, sure         bool
	}{
		{"MAX_PERCENT: 40", "40", true, true},
		{"MAX_PERCENT: 40", "2/5", true, true},
		{"MAX_PERCENT: 40", "50", false, true},
		{"MAX_ITEMS: 1,000 (law of 2024)", "1000", true, true},
		{"MAX_ITEMS: 1,000 — 2024", "100", false, true},
		{"`ttl` = 90 s", "3/2", true, true},
		{"`ttl` = 90 s", "90000000000", true, true},
		{"`ttl` = 90 s", "91", false, true},
		{"AGE: 1 year", "12", true, true},
		{"AGE: 1 year", "31536000", true, true},
		{"AGE: 1개월", "30", true, true},
		{"MAX_SIZE: 2 MB", "2000000", true, true},
		{"MAX_SIZE: 2 MB", "2048", true, true},
		{"MAX_SIZE: 2 MB", "3", false, true},
		{"PRICE: 12.50", "1250", true, true},
		{"MAX_SIZE: 2^10", "1024", false, false},
		{"MAX_SIZE: 10 * 1024", "10240", false, false},
		{"WAIT: 1h30m", "5400", false, false},
		{"RATES: 1, 2", "2", false, false},
		{"TLS: 1.2.3", "3", false, false},
		{"MAX_USERS: 2만", "20000", false, false},
		{"MAX_USERS: 40 or 50", "50", false, false},
	} {
		d, _ := spec.Parse("a/CLAUDE.md", []byte("## Domain Context\n### Constraints\n- "+c.constant+"\n"))
		x, _ := new(big.Rat).SetString(c.number)
		if is, sure := spec.Constants(d)[0].Is(x); is != c.is || sure != c.sure {
			t.Errorf("%s, %s in code: %v, sure %v", c.constant, c.number, is, sure)
		}
	}
}

func TestConstants(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"TOKEN_EXPIRY: 7일 (PCI-DSS)":                "TOKEN_EXPIRY=7d[7 604800000 604800 10080 168 1w]",
		"TIMEOUT: 2000ms (IdP SLA × 4)":             "TIMEOUT=2000ms[2000 2s]",
		"MAX_RETRY: 3 (외부 API SLA)":                 "MAX_RETRY=3[3]",
		"`maxSize` = 5MB":                           "maxSize=5MB[5 5242880 5120 5000000]",
		"ALGORITHM: RS256 (security)":               "ALGORITHM=RS256[RS256]",
		"**MAX_USERS**: 1,000":                      "MAX_USERS=1000[1000]",
		"비밀번호 재설정 90일":                              "=90d[90 7776000000 7776000 129600 2160]",
		"동시 세션 최대 5개":                               "=5[5]",
		"UUID v1 지원 필요":                             "",
		"RFC 7519 and OAuth 2.0 with SHA256":        "",
		"the sky is #88b8e0, at most 88b8e0":        "",
		"PCI-DSS 4.0 and ISO 8601":                  "",
		"at most 10 sessions, retried up to 3":      "=10[10] =3[3]",
		"see section 3 of chapter 4":                "",
		"responses within 200ms":                    "=200ms[200]",
		"a plain sentence":                          "",
		"RATIO: 0.75":                               "RATIO=0.75[0.75]",
		"POLICY: reject everything that is unknown": "POLICY=[]",
	}
	for text, want := range tests {
		d, _ := spec.Parse("a/CLAUDE.md", []byte("## Domain Context\n### Constraints\n- "+text+"\n"))
		var got []string
		for _, c := range spec.Constants(d) {
			got = append(got, fmt.Sprintf("%s=%s%s%v", c.Name, c.Value, c.Unit, c.Forms))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("Constants(%q) = %q, want %q", text, strings.Join(got, " "), want)
		}
	}
}
