package gateway_test

import (
	"bytes"
	"encoding/base32"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/gateway"
)

// told is what an agent is told in place of an answer.
type told struct {
	Status int       `json:"status"`
	Until  time.Time `json:"until"`
	Text   string    `json:"text"`
}

func TestTriesAreBounded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script   string
		statuses []int // 0 = cut
		want     told
	}{
		"overloaded":    {"turn * * *\n status 529 times=forever", []int{529, 529, 400}, told{Status: 529, Text: "Overloaded"}},
		"cut":           {"turn * * *\n cut times=forever", []int{0, 0, 0, 403}, told{Status: 502, Text: "the answer was cut off 3 times"}},
		"wrong key":     {"turn * * *\n status 401 times=forever", []int{400}, told{Status: 401, Text: "invalid x-api-key"}},
		"a short limit": {"turn * * *\n status 429 retry-after=1 times=2 message=slow\n say hi", []int{429, 429, 200}, told{}},
		"a long limit":  {"turn * * *\n status 429 times=forever reset=2h message=slow", []int{400}, told{Status: 429, Until: noon.Add(2 * time.Hour), Text: "slow"}},
		"well in between": {
			"turn * * *\n status 500 times=2\n say hi\n end\n status 500 times=forever", []int{500, 500, 200, 200}, told{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := start(t, gateway.Options{Backend: script(t, c.script)})
			a := open(t, g, gateway.Turn{Tries: 3})
			body := newClient(g, a, prompt).body()
			var last []byte
			for i, want := range c.statuses {
				req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, listen(g)+"/v1/messages", bytes.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("X-Api-Key", a.Token())
				resp, err := http.DefaultClient.Do(req)
				got := 0
				if err == nil {
					got = resp.StatusCode
					if last, err = io.ReadAll(resp.Body); err != nil {
						got = 0
					}
					_ = resp.Body.Close() // it was only read
				}
				if got != want {
					t.Fatalf("call %d: status %d, want %d: %s", i+1, got, want, last)
				}
			}
			if c.want.Status == 0 {
				return
			}
			var answer struct {
				Error struct{ Message string } `json:"error"`
			}
			var said told
			if err := json.Unmarshal(last, &answer); err != nil {
				t.Fatal(err)
			}
			// What would make an agent try again is not in the text as it stands.
			code, ok := strings.CutPrefix(answer.Error.Message, "jacquard answer ")
			data, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(code)
			if !ok || err != nil || json.Unmarshal(data, &said) != nil || said != c.want {
				t.Errorf("the agent is told %q: %s, want %+v", answer.Error.Message, data, c.want)
			}
			if s := a.Close(); s.Limits+s.Failures == 0 {
				t.Errorf("stats = %+v, want the failures", s)
			}
		})
	}
}
