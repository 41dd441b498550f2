package agent_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jacquard-build/jacquard/internal/agent"
	"github.com/jacquard-build/jacquard/internal/gateway"
)

// withBackend moves the bench's turn behind another gateway.
func (b *bench) withBackend(t *testing.T, opt gateway.Options) *gateway.Access {
	t.Helper()
	opt.Now = time.Now
	g, err := gateway.Start(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if cerr := g.Close(); cerr != nil {
			t.Error(cerr)
		}
	})
	a, err := g.Open(t.Context(), gateway.Turn{ID: t.Name(), Dir: b.turn.Dir, Home: b.turn.Home})
	if err != nil {
		t.Fatal(err)
	}
	b.turn.Access = agent.Access{BaseURL: g.URL(), Token: a.Token()}
	return a
}

// A conversation of the real program that was recorded in one folder and home is
// played back in another.
func TestRecordedConversationIsPlayedBack(t *testing.T) {
	t.Parallel()
	const text = `turn * * *
		say I begin in ${DIR}
		write src/a.txt a
		run date +%T.%N && ls ${DIR}
		status 529
		edit src/a.txt one two
		answer ok.json
-- a --
one ${DIR}` + answer
	first := claude(t, text, gateway.Amount{})
	first.turn.AllowedCommands = []string{"date", "ls"}
	tape := &gateway.Tape{}
	first.withBackend(t, gateway.Options{Backend: gateway.Script(parse(t, text), time.Now), Record: tape})
	if out := first.run(t); out.Class != agent.OK {
		t.Fatalf("recording: %+v", out)
	}
	path := filepath.Join(t.TempDir(), "tape.gz")
	if err := tape.Save(path, gateway.Redactor{}); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	played, err := gateway.ReadTape(file)
	if err != nil {
		t.Fatal(err)
	}

	second := claude(t, text, gateway.Amount{})
	second.turn.AllowedCommands = first.turn.AllowedCommands
	access := second.withBackend(t, gateway.Options{Backend: played.Replay(false)})
	out := second.run(t)
	if out.Class != agent.OK || string(out.Answer) != `{"verdict":"pass"}` {
		t.Fatalf("playing back: %+v", out)
	}
	want := map[string]string{"src/a.txt": "two " + second.turn.Dir + "\n"}
	if got := second.files(t); !maps.Equal(got, want) {
		t.Errorf("files = %q, want %q", got, want)
	}
	if s := access.Close(); s.Requests != 5 || s.Failures != 1 {
		t.Errorf("stats = %+v, want 5 requests, one of them a failure", s)
	}
	// The time of day is in all three requests behind the command.
	if drift := played.Drift(); len(drift) != 3 || !strings.Contains(drift[0], ":") {
		t.Errorf("drift = %q, want that of 3 requests", drift)
	}

	other := claude(t, text, gateway.Amount{})
	other.turn.Prompt = "Something else.\n" + other.turn.Prompt
	other.withBackend(t, gateway.Options{Backend: played.Replay(false)})
	if out := other.run(t); out.Class != agent.Environment || out.Duration > 10*time.Second {
		t.Errorf("a prompt that is not on the tape: %q, %q after %v, want environment at once", out.Class, out.Message, out.Duration)
	}
}
