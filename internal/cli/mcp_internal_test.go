package cli

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/jacquard-build/jacquard/internal/step"
)

// TestPart: a long answer is given in parts that a model can read one after the other, and no letter is cut.
func TestPart(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("한글 letters\n", 3000)
	got, from := "", 0
	for range 100 {
		p := part(text, from)
		if len(p) > 20_000 || !utf8.ValidString(p) {
			t.Fatalf("a part from %d has %d bytes, valid %t", from, len(p), utf8.ValidString(p))
		}
		at := strings.LastIndex(p, "\n[cut: ")
		if at < 0 {
			got += p
			break
		}
		got += p[:at]
		if _, err := fmt.Sscanf(p[strings.LastIndex(p, "from="):], "from=%d]", &from); err != nil {
			t.Fatal(err, p[at:])
		}
	}
	if got != text {
		t.Errorf("%d bytes were read of %d", len(got), len(text))
	}
	for _, from := range []int{-5, len(text) + 5} {
		_ = part(text, from)
	}
}

// TestSpending: the runs of a session share what was configured when it began, and what no run came of is given back.
func TestSpending(t *testing.T) {
	t.Parallel()
	p := &project{a: &app{env: map[string]string{"HOME": t.TempDir()}}, conf: config{Budget: "5usd"}}
	s := &spending{}
	if _, err := s.take(p, step.Budget{}); err != nil {
		t.Fatal(err)
	}
	if r := (&spending{}); true { // what no person has allowed
		p.conf.Budget = "500usd"
		if _, err := r.take(p, step.Budget{USD: 21}); err == nil || !strings.Contains(err.Error(), "$20.00 is left") {
			t.Errorf("21usd of 500 that the repository brings: %v", err)
		}
	}
	if _, err := s.take(p, step.Budget{USD: 6}); err == nil || !strings.Contains(err.Error(), "$5.00 is left") {
		t.Errorf("6usd of 5: %v", err)
	}
	back, err := s.take(p, step.Budget{USD: 3})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.take(p, step.Budget{USD: 3}); err == nil || !strings.Contains(err.Error(), "$2.00 is left") {
		t.Errorf("3usd of 2: %v", err)
	}
	if _, err := s.take(p, step.Budget{Tokens: 1}); err == nil {
		t.Error("tokens of dollars were given")
	}
	if back(); s.rest != s.most {
		t.Errorf("%v is left, want %v", s.rest, s.most)
	}
	if _, err := s.take(p, step.Budget{USD: 5}); err != nil {
		t.Error(err)
	}
	if _, err := s.take(p, step.Budget{USD: 0.01}); err == nil || !strings.Contains(err.Error(), "nothing is left") {
		t.Errorf("of nothing: %v", err)
	}
}
