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

// A conversation of the real program that was recorded in one folder and home is
// played back in another.
func TestRecordedConversationIsPlayedBack(t *testing.T) {
	t.Parallel()
	eachCLI(t, playsBack)
}

func playsBack(t *testing.T, c cli) {
	t.Helper()
	const text = `turn * * *
		say I begin in ${DIR}
		write src/a.txt a
		run date +%T.%N && ls ${DIR}
		status 529
		edit src/a.txt one two
		answer ok.json
-- a --
one ${DIR}` + answer
	first := c.bench(t, text, gateway.Amount{})
	first.turn.AllowedCommands = []string{"date", "ls"}
	tape := &gateway.Tape{}
	first.behind(t, gateway.Options{Backend: gateway.Script(parse(t, text), time.Now), Record: tape}, gateway.Turn{})
	if out := first.run(t); out.Class != agent.OK {
		t.Fatalf("recording: %+v", out)
	}
	first.access.Close()
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

	second := c.bench(t, text, gateway.Amount{})
	second.turn.AllowedCommands = first.turn.AllowedCommands
	second.behind(t, gateway.Options{Backend: played.Replay(false)}, gateway.Turn{})
	out := second.run(t)
	if out.Class != agent.OK || string(out.Answer) != `{"verdict":"pass"}` {
		log, _ := os.ReadFile(second.turn.Log)
		t.Fatalf("playing back: %+v\n%s\ndrift %q", out, log, played.Drift())
	}
	want := map[string]string{"src/a.txt": "two " + second.turn.Dir + "\n"}
	if got := second.files(t); !maps.Equal(got, want) {
		t.Errorf("files = %q, want %q", got, want)
	}
	if s := second.access.Close(); s.Requests != 5+c.closes || s.Failures != 1 {
		t.Errorf("stats = %+v, want %d requests, one of them a failure", s, 5+c.closes)
	}
	// The time of day is in all requests behind the command.
	if drift := played.Drift(); len(drift) != 3+c.closes || !strings.Contains(drift[0], ":") {
		t.Errorf("drift = %q, want that of %d requests", drift, 3+c.closes)
	}

	other := c.bench(t, text, gateway.Amount{})
	other.turn.Prompt = "Something else.\n" + other.turn.Prompt
	other.behind(t, gateway.Options{Backend: played.Replay(false)}, gateway.Turn{})
	if out := other.run(t); out.Class != agent.Environment || out.Duration > 10*time.Second+c.start {
		t.Errorf("a prompt that is not on the tape: %q, %q after %v, want environment at once", out.Class, out.Message, out.Duration)
	}
	if s := other.access.Close(); s.Requests != 1 {
		t.Errorf("%d requests that are not on the tape, want 1", s.Requests)
	}
}
