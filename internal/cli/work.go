package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/works"
)

type workFlags struct {
	askedFor
	expected              string
	size                  step.Mode // "" where code chooses
	loop, testsFirst, bug bool
}

func newWork(a *app) *cobra.Command {
	var f workFlags
	var dry bool
	c := &cobra.Command{
		Use: "work [REQUEST]", Short: "do --style work: a requirement, a plan, one commit per task", Args: cobra.MaximumNArgs(1),
		Long: "One agent call writes the requirement, another splits it into tasks (small requests skip this), and each task is built " +
			"in its own clone. Jacquard verifies, merges and commits; you approve the requirement and the plan. Documents have the " +
			"format of the WORK pipeline, in works/ if the project has it, else in .jacquard/works/.",
		Example: "  jacquard work \"[bugfix] the total is wrong when the cart is empty\"\n  jacquard work -f request.md --yes",
		RunE: a.inProject(func(ctx context.Context, p *project, args []string) error {
			if dry {
				return p.dryStyle(ctx, "work", first(args, "", ""), f.askedFor)
			}
			return p.work(ctx, first(args, "", ""), f)
		}),
	}
	runFlags(c, &f.driveOptions)
	c.Flags().StringVarP(&f.file, "file", "f", "", "`file` with the request; - is stdin")
	c.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask: approve everything, answer questions with their defaults and record them")
	pullFlag(c, &f.pr)
	dryFlag(c, &dry)
	c.AddCommand(newWorkList(a), newWorkStatus(a), newWorkResume(a), newWorkRollback(a))
	c.Flags().BoolVar(&f.loop, "loop", false, "")
	_ = c.Flags().MarkHidden("loop")
	return c
}

func (p *project) work(ctx context.Context, given string, f workFlags) error {
	if f.loop {
		return usage("work has no --loop: use jacquard auto")
	}
	given, err := p.a.request(given, f.file, "--file ", "jacquard work")
	if err != nil {
		return err
	}
	r := works.ParseRequest(given)
	switch r.Intent { // the phrases of earlier tools
	case works.Resume:
		return p.workResume(ctx, r.Work, r.Task, f)
	case works.Show:
		return p.workStatus(ctx, r.Work, r.Task)
	case works.ListAll:
		return p.workList(ctx)
	case works.Rollback:
		return p.workRollback(ctx, r.Work, "")
	case works.Approve, works.SkipTask:
		return usage("%q is an answer, not a request: jacquard answer yes, or jacquard answer no \"…\"", given)
	case works.Chat, works.Start:
	}
	if err := enough(given, r.Text); err != nil && (len(r.Tags) == 0 && r.Intent == works.Chat || r.Text == "" && len(r.Tags) > 0) {
		if near, ok := nearest(given, []string{"list", "status", "resume", "rollback"}); ok {
			return usage("%q is too short for a request; did you mean jacquard work %s?", given, near)
		}
		return err
	}
	f.yes = f.yes || r.Auto // by a flag, or by a word of the request
	return p.request(ctx, workDef, r.Text, f.askedFor, func(s start) (any, error) {
		in := step.WorkIn{
			Pull: s.pull, Named: f.named, Size: f.size, TestsFirst: f.testsFirst, Bug: f.bug, Request: cmp.Or(r.Text, given), Original: given, Tags: r.Tags, Yes: f.yes,
			Expected: f.expected, Language: s.language(given), Delivery: s.delivery(), Budget: s.budget,
		}
		if f.expected != "" {
			in.Request += "\n\nExpected instead: " + f.expected
		}
		var err error
		in.Router, err = s.router()
		return in, err
	})
}

// delivery is how commits are delivered: as files, where there is no git.
func (p *project) delivery() step.Delivery {
	if p.noGit {
		return step.ToTree
	}
	return step.ToCommit
}

// language is that of the documents of a request: the one of its words, unless a person has said another one. That of the machine is nobody's
// wish while there are words.
func (p *project) language(words string) string {
	said := works.LanguageOf(words)
	switch {
	case p.a.langFlag != "" || p.conf.Lang != "":
		return string(p.a.lang())
	case said == "" && strings.ContainsFunc(words, unicode.IsLetter):
		return string(report.English)
	}
	return cmp.Or(said, string(p.a.lang()))
}

// routerFile is the configuration of the WORK pipeline, which may change the numbers.
const routerFile = ".agent/router_rule_config.json"

// router are the limits of the modes: of jacquard.yaml, else of the WORK pipeline's file, else the built-in ones.
func (p *project) router() (step.Router, error) {
	out := step.Router{DirectRequirements: 2, DirectCriteria: 3, PipelineTasks: 1}
	raw, err := os.ReadFile(filepath.Join(p.root, filepath.FromSlash(routerFile)))
	switch {
	case err == nil:
		var file struct {
			Rules struct {
				Pipeline struct {
					Criteria struct {
						MaxTasks int `json:"max_tasks"`
					} `json:"criteria"`
				} `json:"pipeline"`
			} `json:"rules"`
		}
		if json.Unmarshal(raw, &file) == nil && file.Rules.Pipeline.Criteria.MaxTasks > 0 {
			out.PipelineTasks, out.Source = file.Rules.Pipeline.Criteria.MaxTasks, routerFile
		} else {
			fmt.Fprintf(p.a.Err, p.a.lang().T("⚠ cannot read %s; using built-in values\n"), routerFile)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return out, environment("read %s", err, routerFile)
	}
	for _, x := range []struct {
		from int
		to   *int
	}{{p.conf.Work.DirectRequirements, &out.DirectRequirements}, {p.conf.Work.DirectCriteria, &out.DirectCriteria}, {p.conf.Work.PipelineTasks, &out.PipelineTasks}} {
		if x.from > 0 {
			*x.to, out.Source = x.from, configFile
		}
	}
	return out, nil
}
