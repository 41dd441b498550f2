package agent_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/acp-go-sdk"

	"github.com/jacquard-build/jacquard/internal/agent"
)

// acpBench is a bench whose agent is this test binary, speaking the protocol.
func acpBench(t *testing.T, parts ...acpPart) *bench {
	t.Helper()
	b := newBench(t)
	return b.acp(t, parts...)
}

func (b *bench) acp(t *testing.T, parts ...acpPart) *bench {
	t.Helper()
	data, err := json.Marshal(parts)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(filepath.Dir(b.turn.Dir), "parts.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b.agent = agent.NewACP("fake", []string{self, "agent-acp", file})
	return b
}

func TestAnswerInTheText(t *testing.T) {
	t.Parallel()
	const good = `{"verdict":"pass"}`
	for name, c := range map[string]struct {
		parts   []acpPart
		class   agent.Class
		message string
	}{
		"the whole text":     {[]acpPart{{Say: good}}, agent.OK, ""},
		"the last block":     {[]acpPart{{Say: "First:\n```json\n{\"verdict\":\"no\"}\n```\nthen:\n```json\n" + good + "\n```"}}, agent.OK, ""},
		"reminded":           {[]acpPart{{Say: "done"}, {Say: good}}, agent.OK, ""},
		"reminded of a form": {[]acpPart{{Say: `{"score":1}`}, {Say: good}}, agent.OK, ""},
		"never":              {[]acpPart{{Say: "done"}}, agent.Schema, "without its answer"},
		"never of the form":  {[]acpPart{{Say: `{"score":1}`}}, agent.Schema, "verdict is missing"},
		"refused":            {[]acpPart{{Say: good, Stop: acp.StopReasonRefusal}}, agent.Refusal, "refused"},
		"too long":           {[]acpPart{{Say: good, Stop: acp.StopReasonMaxTokens}}, agent.ContextLimit, "too long"},
		"too often":          {[]acpPart{{Say: good, Stop: acp.StopReasonMaxTurnRequests}}, agent.MaxTurns, "limit of model calls"},
		"not logged in":      {[]acpPart{{Fail: acp.NewAuthRequired(nil)}}, agent.AuthFailed, "uthentication"},
		"an error":           {[]acpPart{{Fail: acp.NewInternalError(map[string]any{"details": "rate limit exceeded"})}}, agent.Limit, "rate limit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := acpBench(t, c.parts...)
			out := b.run(t)
			if out.Class != c.class || !strings.Contains(out.Message, c.message) || (len(out.Answer) > 0) != (c.class == agent.OK) {
				t.Fatalf("outcome = %+v, want %s", out, c.class)
			}
			if c.class == agent.OK && string(out.Answer) != good {
				t.Errorf("answer = %s", out.Answer)
			}
			sameFromLog(t, b, out)
		})
	}
}

// call is a tool call of which an agent asks whether it may.
func call(kind, key, value string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"kind":%q,"title":"t","rawInput":{%q:%q}}`, kind, key, value))
}

func TestCommandsThatAreRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.turn.AllowedCommands = []string{"go test", "env"}
	outside := filepath.Dir(b.turn.Dir)
	if err := os.Symlink(outside, filepath.Join(b.turn.Dir, "way out")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(outside, "nowhere"), filepath.Join(b.turn.Dir, "loose")); err != nil {
		t.Fatal(err)
	}
	type ask struct {
		call json.RawMessage
		want string
	}
	var asks []ask
	add := func(want, kind, key string, values ...string) {
		for _, v := range values {
			asks = append(asks, ask{call(kind, key, v), want})
		}
	}
	add("yes", "execute", "command",
		"git diff HEAD -- a.txt", "git log --oneline -n5 --format=%s", "git diff HEAD^ | head", "git status", "go test", "go test ./... 2>&1 | tail -5", "go test -run 'a|b;c' > out.txt 2>/dev/null", "env && cat a.txt", "mkdir -p 'a b/c'; rm -- a.txt",
		"go test &\ngo test", `go test "$X" "a\"b"`, "ls -la "+b.turn.Dir, "go test 2>>log", "cat < a.txt")
	add("no", "execute", "command",
		"", " ", ";", "go", "go testing", "curl x", "go test; curl x", "go test && curl x", "go test | sh", "go test & curl x", "go test\ncurl x",
		"go test $(curl x)", "go test `curl x`", `go test "$(curl x)"`, "go test <(curl x)", "go test > ../out", "go test > /etc/x", "go test >'way out/x'",
		"go test > .git/hooks/x", "go test > $X", "go test >& ../x", "go test &> ../x", "go test > loose", "(go test)", "{ go test; }", "X=1 go test", "go test <<E\nE",
		"git", "git push", "git diff --output a.txt", "git diff --outp=a.txt", "git diff --no-index a.txt b.txt", "git -c x=y diff", "git diff --ext-diff", "git diff ../a.txt", "git log -Oa",
		"cat ../a.txt", "cat /etc/passwd", "cat ~/x", "cat $HOME/x", "cat 'way out/x'", "cat < /etc/passwd", "rm -rf .git", "rm -rf .GIT/config", "touch *", "cp --target-directory=/x a", "mv a ../b",
		"go test 'a", "go test >", "go test \\", "go test # x", "\\curl x", "$CURL x", "go test {a,b}", "go test \r curl", "'go' test")
	add("yes", "edit", "filepath", "a.txt", b.turn.Dir+"/deep/er/b.txt", "..a/b")
	add("no", "edit", "filepath", "../a.txt", "/etc/x", outside+"/work2/x", "way out/x", "loose", ".git/config", "sub/.git/config", "")
	add("yes", "read", "filepath", "a.txt")
	add("no", "read", "filepath", "/etc/hostname", "way out/x", "")
	add("no", "delete", "path", "../x")
	add("no", "fetch", "url", "http://127.0.0.1:1/")
	add("no", "other", "x", "y")
	add("no", "switch_mode", "x", "y")
	asks = append(asks,
		ask{json.RawMessage(`{"kind":"other","title":"jacquard_submit","rawInput":{}}`), "yes"},
		ask{json.RawMessage(`{"kind":"other","title":"t","locations":[{"path":"/etc"}],"rawInput":{"command":"go test"}}`), "no"},
		ask{json.RawMessage(`{"kind":"edit","title":"t","content":[{"type":"diff","path":"/etc/x","newText":""}],"rawInput":{"filepath":"a.txt"}}`), "no"},
		ask{json.RawMessage(`{"title":"t","rawInput":{"command":"go test"}}`), "no"})
	part := acpPart{
		Say: "${RESULTS}", Write: []string{b.turn.Dir + "/w/new.txt", outside + "/w.txt", b.turn.Dir + "/way out/w.txt", b.turn.Dir + "/.git/w.txt", b.turn.Dir + "/loose"},
		Read: []string{b.turn.Dir + "/w/new.txt", "/etc/hostname", b.turn.Dir + "/way out/parts.json"},
	}
	refused := len(part.Write) - 1
	for _, a := range asks {
		part.Ask = append(part.Ask, a.call)
		if a.want == "no" {
			refused++
		}
	}
	b.acp(t, part)
	b.turn.Schema = nil
	out := b.run(t)
	got := strings.Fields(out.Text)
	if len(got) < len(asks) {
		t.Fatalf("outcome = %+v", out)
	}
	for i, a := range asks {
		if got[i] != a.want {
			t.Errorf("%s: %s, want %s", a.call, got[i], a.want)
		}
	}
	if rest := strings.Join(got[len(asks):], " "); rest != "true false false false false truewritten false false" {
		t.Errorf("files: %s", rest)
	}
	if len(out.Denials) != refused {
		t.Errorf("%d denials, want %d", len(out.Denials), refused)
	}
	if _, err := os.Stat(filepath.Join(outside, "w.txt")); err == nil {
		t.Error("a file outside was written")
	}

	judge := newBench(t).acp(t, acpPart{Say: "${RESULTS}", Write: []string{"a.txt"}, Ask: []json.RawMessage{
		call("execute", "command", "go test"), call("edit", "path", "a.txt"), call("read", "path", "a.txt"), call("other", "x", "y"),
	}})
	judge.turn.Schema, judge.turn.Role, judge.turn.AllowedCommands = nil, agent.Judge, b.turn.AllowedCommands
	if out := judge.run(t); out.Text != "no no yes no false" {
		t.Errorf("a judge may: %s", out.Text)
	}
}
