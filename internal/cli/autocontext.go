package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/forge"
	"github.com/jacquard-build/jacquard/internal/inbox"
	"github.com/jacquard-build/jacquard/internal/pdca"
	"github.com/jacquard-build/jacquard/internal/proc"
	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/step"
)

// maxContext bounds what one source of context gives, in bytes. More would only hide what matters.
const maxContext = 60_000

// autoContext collects what authors and judges are shown besides the project: what commands print, and the open issues of
// the forge. It is collected before anything starts, so that what cannot be had is said at once. All of it is data.
func (p *project) autoContext(ctx context.Context, commands []string, skip bool) ([]step.Doc, error) {
	var out []step.Doc
	add := func(title, text string) (err error) {
		out, err = p.addContext(out, title, text)
		return err
	}
	for _, line := range commands {
		text, err := p.printed(ctx, line)
		if err != nil {
			return nil, err
		}
		if err := add("what `"+line+"` printed", text); err != nil {
			return nil, err
		}
	}
	if skip {
		return out, nil
	}
	text, err := p.openIssues(ctx)
	if err != nil { // nobody has asked for them: without them the task is as clear as it was
		fmt.Fprintf(p.a.Err, p.a.lang().T("⚠ issues are left out because they could not be read: %v\n"), err)
		return out, nil
	}
	return out, add("open issues", text)
}

// addContext adds a text to what authors are shown.
func (p *project) addContext(list []step.Doc, title, text string) ([]step.Doc, error) {
	if text = strings.TrimSpace(text); text == "" {
		return list, nil
	}
	if len(text) > maxContext {
		text = strings.ToValidUTF8(text[:maxContext], "") + "\n… (cut)"
	}
	if err := p.store(); err != nil {
		return list, err
	}
	ref, err := p.blobs.Put([]byte(text), "text/plain")
	return append(list, step.Doc{Title: title, Blob: ref}), err
}

// autoSources reads the messages of a channel and of a mailbox, for an analyst to say what is in them. Nothing is left out
// silently: what cannot be read ends the start.
func (p *project) autoSources(ctx context.Context, list []step.Source) ([]step.Source, error) {
	var out []step.Source
	for _, s := range list {
		read, option := inbox.Slack, "--slack"
		if s.Kind == pdca.Gmail {
			read, option = inbox.Gmail, "--gmail"
		}
		messages, err := read(ctx, p.a.env, s.Name)
		if err != nil {
			return nil, environment(option, err)
		}
		if len(messages) == 0 {
			return nil, environment(option, words("no results for %s", s.Name))
		}
		raw, err := json.Marshal(messages)
		if err != nil {
			return nil, err
		}
		if err := p.store(); err != nil {
			return nil, err
		}
		if s.Messages, err = p.blobs.Put(raw, "application/json"); err != nil {
			return nil, err
		}
		text, err := p.blobs.Put([]byte(pdca.Messages(messages, len(messages), maxContext)), "text/plain")
		if err != nil {
			return nil, err
		}
		s.Text = step.Doc{Title: "messages of " + s.Kind + " " + s.Name, Blob: text}
		s.File = s.Kind + "-" + s.Name
		if s.Kind == pdca.Gmail {
			s.File = s.Kind + time.Now().UTC().Format("-20060102-150405")
		}
		fmt.Fprintf(p.a.Err, p.a.lang().T("%s: %d messages from %s\n"), option, len(messages), s.Name)
		out = append(out, s)
	}
	return out, nil
}

// printed is what a command of the user prints. One that fails ends the start: an option is never skipped silently.
func (p *project) printed(ctx context.Context, line string) (string, error) {
	argvs, err := act.CommandLine(line)
	if err != nil {
		return "", usage("--context %q: %v", line, err)
	}
	var all strings.Builder
	for _, argv := range argvs {
		r, err := proc.Run(ctx, proc.Command{Argv: argv, Dir: p.root, Env: p.a.Env, Total: time.Minute})
		switch {
		case errors.Is(err, proc.ErrNotFound):
			return "", environment("--context", words("%s is not installed", argv[0]))
		case err != nil:
			return "", environment("--context", err)
		case r.Ended != proc.Exited || r.Exit != 0:
			return "", environment("--context", words("%s exited with %d: %s", strings.Join(argv, " "), r.Exit, strings.TrimSpace(r.Stderr.Text)))
		}
		all.WriteString(r.Stdout.Text)
	}
	return all.String(), nil
}

// openIssues are the open issues of the repository on its forge, newest first; "" without a token or such a remote.
func (p *project) openIssues(ctx context.Context) (string, error) {
	c, err := p.forge(ctx)
	if errors.Is(err, forge.ErrNoToken) || errors.Is(err, forge.ErrNoRemote) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	list, err := c.OpenIssues(ctx)
	var b strings.Builder
	for _, i := range list {
		body := []rune(i.Body)
		fmt.Fprintf(&b, "#%d %s\n%s\n\n", i.Number, i.Title, string(body[:min(len(body), 1500)]))
	}
	return b.String(), err
}

// Tasks that ask for draft replies or a to-do list of the mails, instead of work on the project.
var (
	draftWords = re.New(`(?i)^((이 |그 )?(메일|이메일)?(에 |에 대한 )?\s*(응답|회신|답장|답변)(의)?\s*초안(을|만)?(\s*(작성|생성|써|만들어)\S*( \S{1,3})?)?|(please )?(write |make |prepare |create )?(an? |the )?(draft|reply|replies|answers?)s?( (an? |the |some )?(repl(y|ies)|answers?|drafts?))?)[.!]?$`)
	todoWords  = re.New(`(?i)^((메일|이메일)?(에서 )?\s*할\s*일(\s*목록)?(을|를|만)?(\s*(작성|생성|정리|뽑아|만들어|써)\S*( \S{1,3})?)?|(please )?(write |make |create |give me )?(an? |the )?to[- ]?dos?([- ]list)?)[.!]?$`)
)

// taskOf takes the arguments apart. Beside --gmail the first may be its query; without a task, or where the words ask
// for drafts or a list, wants is what the run ends with.
func (f *autoFlags) taskOf(args []string) (string, error) {
	if f.gmail == inbox.Unread && len(args) > 0 && inbox.IsQuery(args[0]) {
		f.gmail, args = args[0], args[1:]
	}
	if len(args) > 1 {
		return "", usage("only one task is accepted, and %q is a second one: put the whole task in quotation marks", args[1])
	}
	task := strings.TrimSpace(first(args, "", ""))
	if len(f.sources()) == 0 || f.file != "" {
		return task, nil
	}
	switch {
	case f.dryRun && task == "":
		return "", usage("--dry-run needs a task to estimate")
	case task == "":
		f.wants = step.WantAnalysis
	case f.gmail != "" && draftWords().MatchString(task):
		f.wants = step.WantDrafts
	case f.gmail != "" && todoWords().MatchString(task):
		f.wants = step.WantTodo
	}
	return task, nil
}

// sources are the places whose messages are asked for.
func (f *autoFlags) sources() []step.Source {
	var out []step.Source
	if f.slack != "" {
		out = append(out, step.Source{Kind: pdca.Slack, Name: f.slack})
	}
	if f.gmail != "" {
		out = append(out, step.Source{Kind: pdca.Gmail, Name: f.gmail})
	}
	return out
}

// issueIn is where a task is told of on the forge, nil for nowhere. Only who has asked for it is heard: a token alone posts
// nothing. What is missing for --issue ends the start; for the key of jacquard.yaml, which is everybody's, it is a warning.
func (p *project) issueIn(ctx context.Context, task string, f autoFlags) (*step.IssueIn, error) {
	if f.dryRun || f.noIssue || !f.issue && !p.conf.Issue {
		return nil, nil //nolint:nilnil // nowhere
	}
	c, err := p.forge(ctx)
	if err == nil {
		_, err = c.Repository(ctx)
	}
	if err != nil && f.issue {
		return nil, environment("--issue", err)
	}
	if err != nil {
		fmt.Fprintf(p.a.Err, p.a.lang().T("⚠ the issue could not be written: %v\n"), inLang(p.a.lang(), err))
		return nil, nil //nolint:nilnil // nowhere
	}
	in := &step.IssueIn{}
	if m := issueName().FindStringSubmatch(task); m != nil {
		in.Number, _ = strconv.Atoi(m[1] + m[2])
	}
	return in, nil
}
