package cli

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/tools/txtar"

	"github.com/jacquard-build/jacquard/internal/proc"
	"github.com/jacquard-build/jacquard/internal/report"
)

//go:embed demo
var demoFiles embed.FS

// tutorialFiles are the projects of the first pages of the documentation, and answers of an agent that are prepared for them.
//
//go:embed tutorial
var tutorialFiles embed.FS

// demoKillAt is the append after which the demo kills its own run: in the
// middle of the work, with turns finished and turns running.
const demoKillAt = 12

func newDemo(a *app) *cobra.Command {
	var tutorial string
	c := &cobra.Command{
		Use: "demo [DIR]", Short: "watch a sample project be built, killed and resumed; no agent", Args: cobra.MaximumNArgs(1),
		Example: "  jacquard demo\n  jacquard demo --tutorial try",
		RunE: func(c *cobra.Command, args []string) error {
			if tutorial != "" {
				return a.tutorial(c.Context(), tutorial)
			}
			if _, err := proc.LookPath("go", a.env["PATH"]); err != nil {
				return environment("the sample project needs Go, which is not installed. Install it, or try jacquard prove in a project of yours", err)
			}
			d, err := a.newFolder(first(args, "", ""))
			if err == nil {
				err = d.write()
			}
			if err != nil {
				return err
			}
			err = d.run(c.Context())
			if c.Context().Err() != nil {
				err = d.interrupted(context.WithoutCancel(c.Context()))
			}
			if d.temporary && exists(d.play) {
				d.say(a.lang().T("The sample project stays in a temporary folder. To delete it, run: rm -rf %s"), report.Word(d.play))
			}
			return err
		},
	}
	c.Flags().StringVar(&tutorial, "tutorial", "", "create the tutorial projects in a new `folder`, with scripted answers")
	return c
}

// tutorial writes the projects of the first pages, each a repository, and the answers beside them.
func (a *app) tutorial(ctx context.Context, dir string) error {
	d, err := a.newFolder(dir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(d.play, 0o755); err != nil {
		return environment("make a folder for the tutorial", err)
	}
	files, err := tutorialFiles.ReadDir("tutorial")
	if err != nil {
		return err
	}
	for _, f := range files {
		raw, err := tutorialFiles.ReadFile("tutorial/" + f.Name())
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(f.Name(), ".txtar")
		message, project := map[string]string{"shop": "Add the cart", "hello": "Specify greet"}[name]
		if !project {
			if err := os.WriteFile(filepath.Join(d.play, f.Name()), raw, 0o644); err != nil {
				return environment("write the tutorial", err)
			}
			continue
		}
		for _, x := range txtar.Parse(raw).Files {
			to := filepath.Join(d.play, name, filepath.FromSlash(x.Name))
			if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, x.Data, 0o644)); err != nil {
				return environment("write the tutorial", err)
			}
		}
		d.dir = filepath.Join(d.play, name)
		if err := d.commit(ctx, message); err != nil {
			return err
		}
	}
	if a.asJSON(map[string]any{"folder": d.play, "projects": []string{filepath.Join(d.play, "shop"), filepath.Join(d.play, "hello")}}) {
		return nil
	}
	d.say(a.lang().T("Two projects are in %s:\n"+
		"  shop    your first change:  cd %s && jacquard do \"add a discount in percent to the cart\" --scenario ../do.txtar\n"+
		"  hello   your first spec:    cd %s && jacquard build --scenario ../build.txtar\n"+
		"The agent's answers are scripted; git, the tests and every result are real."),
		d.play, filepath.Join(dir, "shop"), filepath.Join(dir, "hello"))
	return nil
}

// demo plays the product to somebody who has just found it.
type demo struct {
	a    *app
	self string
	dir  string
	play string // the folder of the scenario files
	env  []string

	temporary bool // nobody has named the folder
}

// newFolder is a demo in a folder that is new or empty, "" for a temporary one. Nothing is in it yet.
func (a *app) newFolder(dir string) (*demo, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, words("find this program: %w", err)
	}
	temporary := dir == ""
	if temporary {
		if dir, err = os.MkdirTemp("", "jacquard-demo-"); err != nil {
			return nil, environment("make a folder for the demo", err)
		}
	} else if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return nil, usage("%s is not empty: choose another folder", dir)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, usage("%v", err)
	}
	d := &demo{a: a, self: self, dir: filepath.Join(dir, "shop"), play: dir, temporary: temporary}
	for _, kv := range a.Env {
		if !strings.HasPrefix(kv, "JACQUARD_") && !strings.HasPrefix(kv, "GIT_") {
			d.env = append(d.env, kv)
		}
	}
	return d, nil
}

// commit makes the project a repository with one commit.
func (d *demo) commit(ctx context.Context, message string) error {
	for _, c := range [][]string{
		{"git", "init", "--quiet", "--initial-branch=main"},
		{"git", "add", "--all"},
		{"git", "-c", "user.name=Demo", "-c", "user.email=demo@localhost", "-c", "commit.gpgSign=false", "commit", "--quiet", "--message=" + message},
	} {
		if res, err := d.exec(ctx, nil, c...); err != nil || res.Exit != 0 {
			return environment("set up the sample repository", fmt.Errorf("%s: %s %w", strings.Join(c, " "), res.Stderr.Text, err))
		}
	}
	return nil
}

// write puts the sample project and the scenario on disk.
func (d *demo) write() error {
	err := fs.WalkDir(demoFiles, "demo", func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		raw, err := demoFiles.ReadFile(p)
		if err != nil {
			return err
		}
		to := filepath.Join(d.play, filepath.Base(p))
		if rel, ok := strings.CutPrefix(p, "demo/project/"); ok {
			to = filepath.Join(d.dir, filepath.FromSlash(strings.TrimSuffix(rel, ".txt")))
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		return os.WriteFile(to, raw, 0o644)
	})
	if err != nil {
		return environment("write the sample project", err)
	}
	return nil
}

func (d *demo) scenario(name string) string { return filepath.Join(d.play, name+".txtar") }

func (d *demo) say(format string, args ...any) { fmt.Fprintf(d.a.Out, format+"\n", args...) }

func (d *demo) run(ctx context.Context) error {
	l := d.a.lang()
	d.say(l.T("Sample project with four modules: %s\n"+
		"The agent's answers are scripted; git, the tests, RED and GREEN are real.\n"), d.dir)
	if err := d.commit(ctx, "specs"); err != nil {
		return err
	}
	for _, part := range []func(context.Context) error{d.first, d.second, d.third, d.fourth} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	d.say(l.T("\nLook around:  cd %s && git status && cat jacquard.lock\nEvery attempt: %s show --root %s\nYour own change:  cd YOUR-PROJECT && %[2]s prove"), d.dir, filepath.Base(d.self), d.dir)
	return nil
}

// interrupted says how to go on with what a demo that was stopped has begun.
func (d *demo) interrupted(ctx context.Context) error {
	d.a.rootFlag = d.dir
	p, err := d.a.open(ctx)
	if err != nil {
		return err
	}
	runs, err := p.runs(ctx)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(runs, goesOn) {
		return exit(exitInterrupted, "interrupted; to continue the build, run: jacquard resume --root %s", d.dir)
	}
	if d.temporary { // nothing has begun in it
		_ = os.RemoveAll(d.play)
	}
	return exit(exitInterrupted, "interrupted; to start over, run: jacquard demo")
}

func (d *demo) first(ctx context.Context) error {
	d.say(d.a.lang().T("1. Build, and kill Jacquard halfway:\n   $ jacquard build"))
	res, err := d.jacquard(ctx, []string{fmt.Sprintf("JACQUARD_KILL=append:%d", demoKillAt)}, "build", "--scenario", d.scenario("scenario"))
	if err != nil {
		return err
	}
	if res.Signal == "" && res.Exit == 0 {
		return words("the run was not killed after append %d", demoKillAt)
	}
	d.say(d.a.lang().T("   … killed (kill -9)\n"))
	return nil
}

func (d *demo) second(ctx context.Context) error {
	d.say(d.a.lang().T("2. Resume: finished work is not repeated:\n   $ jacquard resume"))
	return d.expect(ctx, noun("the resumed run"), "resume")
}

func (d *demo) third(ctx context.Context) error {
	d.say(d.a.lang().T("\n3. Build again: nothing to do:\n   $ jacquard build"))
	return d.expect(ctx, noun("the second run"), "build", "--scenario", d.scenario("scenario"))
}

func (d *demo) fourth(ctx context.Context) error {
	path := filepath.Join(d.dir, "discount", "CLAUDE.md")
	raw, err := os.ReadFile(path)
	if err != nil {
		return environment("read the sample spec", err)
	}
	line := []byte("- `Apply(1000, -1)` → error\n")
	changed := bytes.Replace(raw, line, append(line, []byte("- `Apply(-1, 10)` → error\n")...), 1)
	if bytes.Equal(changed, raw) {
		return words("the sample spec does not have the line that the demo changes")
	}
	if err := os.WriteFile(path, changed, 0o644); err != nil {
		return environment("change the sample spec", err)
	}
	d.say(d.a.lang().T("\n4. Add one behavior to discount/CLAUDE.md: only that module is rebuilt:\n   $ jacquard build"))
	return d.expect(ctx, noun("the run after the change"), "build", "--scenario", d.scenario("changed"))
}

func (d *demo) expect(ctx context.Context, what noun, args ...string) error {
	res, err := d.jacquard(ctx, nil, args...)
	if err != nil {
		return err
	}
	if res.Exit != 0 {
		return exit(exitNotVerified, "%s exited with code %d", what, res.Exit)
	}
	return nil
}

// jacquard runs this program as a process of its own, so that it can be killed.
func (d *demo) jacquard(ctx context.Context, env []string, args ...string) (proc.Result, error) {
	res, err := d.exec(ctx, env, append([]string{d.self, "--root", d.dir, "--lang", string(d.a.lang())}, args...)...)
	return res, cmp.Or(err, ctx.Err()) // who has stopped it is shown no next step
}

func (d *demo) exec(ctx context.Context, env []string, argv ...string) (proc.Result, error) {
	indent := func(line []byte) { fmt.Fprintf(d.a.Out, "   %s\n", line) }
	return proc.Run(ctx, proc.Command{Argv: argv, Dir: d.dir, Env: slices.Concat(d.env, env), Line: indent, Errors: &prefixed{w: d.a.Out}})
}

// prefixed indents what a child says on stderr.
type prefixed struct {
	w   io.Writer
	mid bool
}

// Write passes p on with each line indented.
func (p *prefixed) Write(b []byte) (int, error) {
	for l := range bytes.Lines(b) {
		if !p.mid {
			l = append([]byte("   "), l...)
		}
		p.mid = !bytes.HasSuffix(l, []byte("\n"))
		if _, err := p.w.Write(l); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}
