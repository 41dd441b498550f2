package agent_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/jacquard-build/jacquard/internal/agent"
	"github.com/jacquard-build/jacquard/internal/gateway"
	"github.com/jacquard-build/jacquard/internal/proc"
)

// TestAuthorIsConfined takes longer than ten seconds: each real program takes seconds to start.
func TestAuthorIsConfined(t *testing.T) {
	t.Parallel()
	eachCLI(t, func(t *testing.T, c cli) {
		t.Helper()
		b := c.bench(t, `turn * * *
		write in.txt x
		write ../out.txt x
		run echo allowed > made.txt
		run env > env.txt
		run sh run:it.sh
		run sh other.sh
		run curl http://127.0.0.1:1/
		write .git/config x
		answer ok.json
-- x --
x`+answer, gateway.Amount{})
		for name, script := range map[string]string{"run:it.sh": "echo ran > ran.txt\n", "other.sh": "echo o > ../other.txt; echo o > " + b.turn.Home + "/o.txt\n"} {
			if err := os.WriteFile(filepath.Join(b.turn.Dir, name), []byte(script), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		// With .git there, its protection is seen, not that it cannot be made.
		if err := os.Mkdir(filepath.Join(b.turn.Dir, ".git"), 0o700); err != nil {
			t.Fatal(err)
		}
		b.turn.AllowedCommands = []string{"echo allowed", "env", "sh run:it.sh"}
		b.turn.Env = append(b.turn.Env, "ANTHROPIC_API_KEY=the-real-one", "CLAUDE_CODE_OAUTH_TOKEN=another-real-one", "OPENAI_API_KEY=a-real-one",
			"CODEX_API_KEY=one-more-real-one", "AWS_SECRET_ACCESS_KEY=third", "KEEP=this")
		out := b.run(t)
		if out.Class != agent.OK {
			t.Fatalf("class = %q (%s), want ok", out.Class, out.Message)
		}
		files := b.files(t)
		if files["in.txt"] != "x\n" || files["made.txt"] != "allowed\n" || files["ran.txt"] != "ran\n" || files[".git/config"] != "" {
			t.Errorf("files = %q", files)
		}
		for _, name := range []string{"out.txt", "other.txt", "home/o.txt"} {
			if _, err := os.Stat(filepath.Join(filepath.Dir(b.turn.Dir), name)); err == nil {
				t.Errorf("the author wrote %s, outside its directory", name)
			}
		}
		env := files["env.txt"]
		if strings.Contains(env, "real") || strings.Contains(env, "third") || !strings.Contains(env, "KEEP=this") {
			t.Errorf("the environment of a command is\n%s", env)
		}
		log, err := os.ReadFile(b.turn.Log)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(log), b.access.Token()) {
			t.Error("the log holds the turn's token")
		}
		switch c.name {
		case "claude":
			deniesByList(t, b, out)
		case "codex": // whose commands are not given even the token of the turn
			if strings.Contains(env, b.access.Token()) || !strings.Contains(string(log), "ailed to connect") && !strings.Contains(string(log), "ould not") {
				t.Errorf("a command knows the token, or reached a network:\n%s\n%s", env, log)
			}
		}
	})
}

// deniesByList checks what Claude Code did not permit: it has no sandbox, but a list.
func deniesByList(t *testing.T, b *bench, out agent.Outcome) {
	t.Helper()
	var denied []string
	for _, d := range out.Denials {
		var in struct {
			Path    string `json:"file_path"`
			Command string `json:"command"`
		}
		if err := json.Unmarshal(d.Input, &in); err != nil {
			t.Fatal(err)
		}
		denied = append(denied, d.Tool+" "+strings.TrimPrefix(in.Path, filepath.Dir(b.turn.Dir))+in.Command)
	}
	want := []string{"Write /out.txt", "Bash sh other.sh", "Bash curl http://127.0.0.1:1/", "Write /work/.git/config"}
	if !slices.Equal(denied, want) {
		t.Errorf("denials = %q, want %q", denied, want)
	}
	permissions := 0
	for _, e := range b.events() {
		if e.Kind == agent.Permission {
			permissions++
		}
	}
	if permissions != len(want) {
		t.Errorf("%d permission events, want %d", permissions, len(want))
	}
}

func TestDeniedWithoutAnswer(t *testing.T) {
	t.Parallel()
	b := claude(t, "turn * * *\n run curl http://127.0.0.1:1/\n say I was not allowed to", gateway.Amount{})
	if out := b.run(t); out.Class != agent.Denied || !strings.Contains(out.Message, "curl") {
		t.Errorf("outcome = %q, %q, want denied, curl named", out.Class, out.Message)
	}
}

// TestJudgeReadsOnly: a judge that has tools cannot change what it judges.
func TestJudgeReadsOnly(t *testing.T) {
	// A20 9: see TestEveryContradictionHasATest in internal/workflow/auto.
	t.Parallel()
	eachCLI(t, func(t *testing.T, c cli) {
		t.Helper()
		b := c.bench(t, "turn * * *\n edit seen.txt old new\n write new.txt x\n run touch made.txt\n append seen.txt none\n answer ok.json\n-- x --\nx\n-- none --"+answer, gateway.Amount{})
		if err := os.WriteFile(filepath.Join(b.turn.Dir, "seen.txt"), []byte("old\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		b.turn.Role = agent.Judge
		out := b.run(t)
		if out.Class != agent.OK {
			t.Errorf("class = %q (%s), want ok", out.Class, out.Message)
		}
		if files := b.files(t); len(files) != 1 || files["seen.txt"] != "old\n" {
			t.Errorf("files = %q, want them as they were", files)
		}
		read := slices.ContainsFunc(b.events(), func(e agent.Event) bool {
			return e.Kind == agent.ToolEnd && !e.Failed && strings.Contains(e.Text, "old")
		})
		if !read {
			t.Errorf("the judge could not read: %+v", b.events())
		}
	})
}

func TestReminderBringsTheAnswer(t *testing.T) {
	t.Parallel()
	eachCLI(t, func(t *testing.T, c cli) {
		t.Helper()
		// The last "end" is that of our reminder, those before it are of the program's own.
		b := c.bench(t, "turn * * *\n"+strings.Repeat(" say done\n end\n", c.reminds+1)+" answer ok.json"+answer, gateway.Amount{})
		out := b.run(t)
		if out.Class != agent.OK || string(out.Answer) != `{"verdict":"pass"}` {
			t.Errorf("outcome = %q, %s, want ok with an answer", out.Class, out.Answer)
		}
		stats := b.access.Close()
		if want := c.reminds + 2 + c.closes; stats.Requests != want {
			t.Errorf("%d requests, want %d", stats.Requests, want)
		}
		sameFigures(t, c, out, stats)
		sameFromLog(t, b, out)
	})
}

// TestCutTurnGoesOn stops a turn in the middle, once in good order and once without a
// word, and lets its session go on.
func TestCutTurnGoesOn(t *testing.T) {
	t.Parallel()
	eachCLI(t, func(t *testing.T, c cli) {
		t.Helper()
		for name, sudden := range map[string]bool{"interrupted": false, "killed": true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				script := "turn red * 1\n usage 1000 100\n write a.txt ok.json\n usage 500 50\n run sh pause.sh\n usage 200 20\n write b.txt ok.json\n answer ok.json" + answer
				b := c.bench(t, script, gateway.Amount{})
				b.turn.AllowedCommands = []string{"sh pause.sh"}
				// The command says through a pipe that it runs; without the pipe it is over at once.
				gate := filepath.Join(b.turn.Dir, "gate")
				pause := "[ -p gate ] || exit 0\necho > gate\nsleep 600\n"
				if err := os.WriteFile(filepath.Join(b.turn.Dir, "pause.sh"), []byte(pause), 0o644); err != nil {
					t.Fatal(err)
				}
				if err := unix.Mkfifo(gate, 0o600); err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				writes := 0
				count := func(e agent.Event) {
					if e.Kind == agent.ToolStart && e.Tool == c.writes {
						writes++
					}
				}
				first := b.agent.Run(ctx, b.turn, func(e agent.Event) {
					count(e)
					if e.Kind == agent.ToolStart && e.Tool == c.runs {
						if _, err := os.ReadFile(gate); err != nil {
							t.Error(err)
						}
						if err := os.Remove(gate); err != nil {
							t.Error(err)
						}
						// Programs write their sessions behind their work; what is not written, they do again.
						eventually(t, "the session holds the command", func() bool { return b.remembers("sh pause.sh") })
						if sudden {
							proc.Sweep(b.turn.Mark)
						} else {
							cancel()
						}
					}
				})
				if first.Class == agent.OK || first.Session == "" {
					t.Fatalf("the cut turn = %+v", first)
				}
				logged, complete := agent.FromLog(b.turn.Log)
				if complete || logged.Session != first.Session {
					t.Fatalf("the log of the cut turn = %+v, complete %v", logged, complete)
				}
				second := b.turn
				second.Session, second.SessionCostUSD = logged.Session, logged.SessionCostUSD
				second.Log += "2"
				before := b.access.Stats()
				out := b.agent.Run(t.Context(), second, count)
				after := b.access.Stats()
				if out.Class != agent.OK || out.Session != first.Session || writes != 2 {
					t.Fatalf("outcome = %+v after %d writes, want ok in session %s, nothing done twice", out, writes, first.Session)
				}
				// A session's cost counts from its beginning; this part costs only its own, if the first part could still say
				// what it had cost: on a machine that is busy it is killed before.
				own := float64(after.Spent.MicroUSD)
				if logged.SessionCostUSD > 0 {
					own -= float64(before.Spent.MicroUSD)
				}
				if c.prices && !sudden && math.Abs(out.Usage.CostUSD*1e6-own) > 5 {
					t.Errorf("the second part costs %f millionths, the gateway says %f", out.Usage.CostUSD*1e6, own)
				}
				// A program that says nothing of a part that was cut counts in with the next what it knows of it.
				if own := after.Usage.Input - before.Usage.Input; !c.prices && !c.silent && (out.Usage.Input < own || out.Usage.Input > after.Usage.Input) {
					t.Errorf("the session has used %+v, the gateway says %+v", out.Usage, after.Usage)
				}
				for _, f := range []string{"a.txt", "b.txt"} {
					if _, err := os.Stat(filepath.Join(b.turn.Dir, f)); err != nil {
						t.Error(err)
					}
				}

				lost := second
				lost.Session, lost.Log = "00000000-0000-4000-8000-000000000000", lost.Log+"3"
				if out := b.agent.Run(t.Context(), lost, nil); out.Class != agent.OK || out.Session == lost.Session || out.Session == "" {
					t.Errorf("with a lost session: outcome = %+v, want ok in a new one", out)
				}
			})
		}
	})
}

func TestBudgetEndsTheTurn(t *testing.T) {
	t.Parallel()
	eachCLI(t, func(t *testing.T, c cli) {
		t.Helper()
		b := c.bench(t, "turn * * *\n usage 60000 100\n write a.txt ok.json\n answer ok.json"+answer, gateway.Amount{Tokens: 70_000})
		out := b.run(t)
		if out.Class != agent.Budget || !strings.Contains(out.Message, "60100 of it is spent") {
			t.Errorf("outcome = %q, %q, want budget, 60100 tokens spent", out.Class, out.Message)
		}
		if s := b.access.Close(); s.Requests != 1 || s.Refused != 1 {
			t.Errorf("requests, refused = %d, %d, want 1, 1", s.Requests, s.Refused)
		}
	})
}

func TestTurnLimitAndBadAnswers(t *testing.T) {
	t.Parallel()
	eachCLI(t, func(t *testing.T, c cli) {
		t.Helper()
		t.Run("turns", func(t *testing.T) {
			t.Parallel()
			script := "turn * * *\n write a.txt x\n write b.txt x\n write c.txt x\n-- x --\nx\n"
			b := c.bench(t, script, gateway.Amount{})
			b.turn.Limits.MaxTurns = 2
			b.behind(t, gateway.Options{Backend: gateway.Script(parse(t, script), time.Now)}, gateway.Turn{Calls: 2})
			if out := b.run(t); out.Class != agent.MaxTurns || len(b.files(t)) != 2 {
				t.Errorf("class = %q, files = %v, want max_turns after 2", out.Class, b.files(t))
			}
		})
		t.Run("schema", func(t *testing.T) {
			t.Parallel()
			b := c.bench(t, "turn * * *\n"+strings.Repeat(" answer bad.json\n", 8)+"-- bad.json --\n{\"score\":1}\n", gateway.Amount{})
			if out := b.run(t); out.Class != agent.Schema || !strings.Contains(out.Message, "did not fit") || len(out.Answer) > 0 {
				t.Errorf("outcome = %q, %q, %s, want schema, no answer", out.Class, out.Message, out.Answer)
			}
		})
		t.Run("second answer fits", func(t *testing.T) {
			t.Parallel()
			b := c.bench(t, "turn * * *\n answer bad.json\n answer ok.json\n-- bad.json --\n{\"score\":1}"+answer, gateway.Amount{})
			out := b.run(t)
			if out.Class != agent.OK || string(out.Answer) != `{"verdict":"pass"}` {
				t.Errorf("outcome = %q, %s, want ok, pass", out.Class, out.Answer)
			}
			sameFromLog(t, b, out)
		})
		t.Run("no schema", func(t *testing.T) {
			t.Parallel()
			b := c.bench(t, "turn * * *\n say forty-two", gateway.Amount{})
			b.turn.Schema = nil
			if out := b.run(t); out.Class != agent.OK || out.Text != "forty-two" || len(out.Answer) != 0 {
				t.Errorf("outcome = %+v, want ok with a text", out)
			}
		})
	})
}

func TestStopping(t *testing.T) {
	t.Parallel()
	eachAgent(t, func(t *testing.T, open func(t *testing.T, script string) *bench) {
		t.Helper()
		t.Run("silent", func(t *testing.T) {
			t.Parallel()
			b := open(t, "turn * * *\n hang")
			b.turn.Limits.Idle = 2*time.Second + b.cli.start
			if out := b.run(t); out.Class != agent.Stuck || out.Duration > 20*time.Second+2*b.cli.start {
				t.Errorf("outcome = %q after %v, want stuck soon after 2 s", out.Class, out.Duration)
			}
		})
		t.Run("too long", func(t *testing.T) {
			t.Parallel()
			b := open(t, "turn * * *\n hang")
			b.turn.Limits.Total = 2 * time.Second
			if out := b.run(t); out.Class != agent.Stuck || !strings.Contains(out.Message, "2s") {
				t.Errorf("outcome = %q, %q, want stuck, 2s", out.Class, out.Message)
			}
		})
		t.Run("cancelled in a tool", func(t *testing.T) {
			t.Parallel()
			life := uncommonLife()
			b := open(t, "turn * * *\n usage 1000 100\n run sleep "+life+"\n answer ok.json"+answer)
			b.turn.AllowedCommands = []string{"sleep"}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			out := b.agent.Run(ctx, b.turn, func(e agent.Event) {
				if e.Kind == agent.ToolStart {
					cancel()
				}
			})
			if out.Class != agent.Cancelled || out.Duration > 20*time.Second+b.cli.start {
				t.Errorf("outcome = %q after %v, want cancelled soon", out.Class, out.Duration)
			}
			if _, complete := agent.FromLog(b.turn.Log); complete {
				t.Error("FromLog takes a cancelled turn as complete")
			}
			isOver(t, life)
		})
	})
}

var lives atomic.Int64

// uncommonLife returns the seconds that a process is to sleep which no other
// process here sleeps.
func uncommonLife() string {
	return strconv.FormatInt(1_000_000+int64(os.Getpid())*1000+lives.Add(1), 10)
}

// isOver checks that no process sleeps that long any more. Death takes a moment.
func isOver(t *testing.T, life string) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Minute)
	for tick := time.Tick(20 * time.Millisecond); ; <-tick {
		files, err := filepath.Glob("/proc/[0-9]*/cmdline")
		if err != nil {
			t.Fatal(err)
		}
		left := slices.DeleteFunc(files, func(file string) bool {
			line, err := os.ReadFile(file)
			return err != nil || !strings.Contains(string(line), "sleep\x00"+life)
		})
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("of the turn still runs %q", left)
		}
	}
}

func TestCancelledTurnKnowsItsCost(t *testing.T) {
	t.Parallel()
	b := claude(t, "turn * * *\n usage 1000 100\n write a.txt ok.json\n run touch runs && sleep 300\n answer ok.json"+answer, gateway.Amount{})
	b.turn.AllowedCommands = []string{"touch", "sleep"}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		// In the instant between the call and its start the program says nothing.
		for tick := time.Tick(20 * time.Millisecond); ctx.Err() == nil; <-tick {
			if _, err := os.Stat(filepath.Join(b.turn.Dir, "runs")); err == nil {
				cancel()
			}
		}
	}()
	out := b.agent.Run(ctx, b.turn, nil)
	if out.Class != agent.Cancelled || !out.Usage.Known || out.Usage.CostUSD == 0 {
		t.Errorf("outcome = %q, %+v, want cancelled with its cost", out.Class, out.Usage)
	}
}

func TestDaemonIsEnded(t *testing.T) {
	t.Parallel()
	eachAgent(t, func(t *testing.T, open func(t *testing.T, script string) *bench) {
		t.Helper()
		life := uncommonLife()
		b := open(t, "turn * * *\n daemon "+life+"s\n run pgrep -f 'sleep "+life+"' > pid.txt\n answer ok.json"+answer)
		if b.cli.name == "codex" { // whose sandbox shows a command no process of another one, and ends its own
			b = open(t, "turn * * *\n run setsid nohup sleep "+life+" > /dev/null 2>&1 & pgrep -f 'sleep "+life+"' > pid.txt\n answer ok.json"+answer)
		}
		b.turn.AllowedCommands = []string{"setsid", "nohup", "pgrep", "sleep"}
		if out := b.run(t); out.Class != agent.OK {
			t.Fatalf("outcome = %q, %q, want ok", out.Class, out.Message)
		}
		if b.files(t)["pid.txt"] == "" {
			t.Fatalf("the daemon did not run: %+v", b.events())
		}
		isOver(t, life)
	})
}
