package turn_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/flow/flowtest"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/workflow/turn"
)

// TestDraftLimits: each limit of a document's loop, one step before it and at it. Each answer is a word: ok, wrong, or ask, which is wrong as well
// and asks a person, who replies with what comes next; of the sound ones a person takes none but the last.
func TestDraftLimits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		drafts  turn.Drafts
		answers string
		replies []string // "" is the default
		agrees  []bool   // nil: nobody is asked
		want    bool
		judged  int // answers
	}{
		{"sound at once", turn.Drafts{Limit: 3}, "ok", nil, nil, true, 1},
		{"the last one is sound", turn.Drafts{Limit: 3}, "wrong wrong ok", nil, nil, true, 3},
		{"all are wrong", turn.Drafts{Limit: 3}, "wrong wrong wrong", nil, nil, false, 3},
		{"questions cost no attempt", turn.Drafts{Limit: 2, Questions: 2}, "ask ask wrong ok", []string{"a", "b"}, nil, true, 2},
		{"one question too many is an answer", turn.Drafts{Limit: 2, Questions: 1}, "ask ask wrong", []string{"a"}, nil, false, 2},
		{"the default lets the answer stand", turn.Drafts{Limit: 1, Questions: 1}, "ask", []string{""}, nil, false, 1},
		{"nobody is asked", turn.Drafts{Limit: 1, Questions: 1, Yes: true}, "ask", nil, nil, false, 1},
		{"a rejection gives all attempts again", turn.Drafts{Limit: 2, Rejections: 2}, "wrong ok wrong ok", nil, []bool{false, true}, true, 4},
		{"rejected too often", turn.Drafts{Limit: 2, Rejections: 2}, "ok ok", nil, []bool{false, false}, false, 2},
		{"the attempts after a rejection are bounded, too", turn.Drafts{Limit: 2, Rejections: 2}, "ok wrong wrong", nil, []bool{false}, false, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			type end struct {
				OK              bool
				Written, Judged int
				Said            []string
			}
			w := flow.Workflow[int, end]{Name: "drafts", Fn: func(c *flow.Ctx, _ int) (out end, err error) {
				answers, agrees := strings.Fields(tt.answers), tt.agrees
				d := tt.drafts
				d.Write = func(_ *flow.Ctx, n int) ([]turn.Question, error) {
					out.Written = n
					if answers[n-1] != "ask" {
						return nil, nil
					}
					return []turn.Question{{Question: "How?", Default: "so"}}, nil
				}
				d.Answered = func(_ *flow.Ctx, asked []turn.Question, said []step.QA) bool {
					out.Said = append(out.Said, said[0].Answer)
					return d.Yes || turn.Defaults(asked, said)
				}
				d.Check = func(_ *flow.Ctx, n int) (bool, error) {
					out.Judged++
					return answers[n-1] == "ok", nil
				}
				if tt.agrees != nil {
					d.Agree = func(*flow.Ctx) (bool, error) {
						ok := agrees[0]
						agrees = agrees[1:]
						return ok, nil
					}
				}
				out.OK, err = d.Run(c)
				return out, err
			}}
			replies := tt.replies
			p := flowtest.Dice{T: t, Rnd: rand.New(rand.NewPCG(1, 1)), Workflow: w, Crash: 3, Most: 50, Said: func(want flow.Want) flow.Answer {
				if len(replies) == 0 {
					t.Fatalf("%s: a person is asked once more", want.Key)
				}
				said := replies[0]
				replies = replies[1:]
				return flow.Answer{Verb: flow.Reply, Text: said}
			}}.Play()
			if p.Err != nil {
				t.Fatal(p.Err)
			}
			var got end
			if err := json.Unmarshal(p.Out, &got); err != nil {
				t.Fatal(err)
			}
			if written := len(strings.Fields(tt.answers)); got.OK != tt.want || got.Judged != tt.judged || got.Written != written || len(replies) > 0 {
				t.Errorf("document: %v, %d of %d answers judged, %d replies left; want %v, %d of %d", got.OK, got.Judged, got.Written, len(replies), tt.want, tt.judged, written)
			}
			want := slices.Clone(tt.replies)
			for i, s := range want {
				if s == "" {
					want[i] = "so"
				}
			}
			if tt.drafts.Yes {
				want = []string{"so"}
			}
			if !slices.Equal(got.Said, want) {
				t.Errorf("answered %q, want %q", got.Said, want)
			}
		})
	}
}
