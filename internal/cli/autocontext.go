package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/forge"
	"github.com/jacquard-build/jacquard/internal/proc"
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
		fmt.Fprintf(p.a.Err, p.a.lang().T("⚠ the issues could not be read, and are left out: %v\n"), err)
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
			return "", environment("--context", fmt.Errorf("%s is not installed", argv[0]))
		case err != nil:
			return "", environment("--context", err)
		case r.Ended != proc.Exited || r.Exit != 0:
			return "", environment("--context", fmt.Errorf("%s ended with %d: %s", strings.Join(argv, " "), r.Exit, strings.TrimSpace(r.Stderr.Text)))
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
