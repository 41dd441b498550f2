package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/act"
	"github.com/jacquard-build/jacquard/internal/step"
)

type specNewFlags struct {
	driveOptions
	path, file string
	yes        bool
}

// longest is how much text a request may have, in bytes.
const longest = 32 << 10

func newSpecNew(a *app) *cobra.Command {
	var f specNewFlags
	c := &cobra.Command{
		Use: "new [REQUEST]", Short: "turn a request into specs, with one agent call", Args: cobra.MaximumNArgs(1),
		Long: "Writes or extends the specs and IMPLEMENTS.md of the modules that a request needs. Existing documents are merged by " +
			"name, never overwritten. If there are questions, the exit code is 3: use jacquard answer, then jacquard resume.",
		Example: "  jacquard spec new \"a rate limiter for the HTTP client\" --path src/net\n  jacquard spec new -f request.md --yes && jacquard build",
		RunE: a.inProject(func(ctx context.Context, p *project, args []string) error {
			return p.specNew(ctx, first(args, "", ""), f)
		}),
	}
	runFlags(c, &f.driveOptions)
	c.Flags().StringVar(&f.path, "path", "", "`directory` for the modules")
	c.Flags().StringVarP(&f.file, "file", "f", "", "`file` with the request; - is stdin")
	c.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask: use the defaults and record them in the specs as assumptions")
	return c
}

func (p *project) specNew(ctx context.Context, request string, f specNewFlags) error {
	request, err := p.a.request(request, f.file, "--file ", "jacquard spec new")
	if err != nil {
		return err
	}
	if err := p.a.byPerson(f.yes, "--yes"); err != nil {
		return err
	}
	in := step.SpecIn{Request: request, Yes: f.yes}
	if in.Budget, err = p.budget(f.budget); err != nil {
		return err
	}
	if f.path != "" {
		if _, serr := os.Stat(f.path); serr != nil { // a new module may have no directory yet
			in.Path, err = p.within(f.path)
		} else {
			in.Path, err = p.inside(f.path)
		}
		if err != nil {
			return err
		}
	}
	if foreign, err := act.New(p.planOptions()).Foreign(ctx); err != nil {
		return err
	} else if foreign {
		fmt.Fprint(p.a.Err, p.a.lang().T("⚠ build does not know the language of this project, only Go, JavaScript, TypeScript, Python, Rust, Java and Kotlin\n"))
	}
	return p.run(ctx, specDef, in, in.Budget, f.driveOptions)
}

// request is the text of a request: what was given to a command, or what is in the file that a flag names.
func (a *app) request(given, file, flag, command string) (string, error) {
	where := flag + file
	if given != "" && file != "" {
		return "", usage("the request was given twice, as an argument and with %s: remove one of them", where)
	}
	if file != "" {
		var raw []byte
		var err error
		if file == "-" {
			raw, err = io.ReadAll(io.LimitReader(a.In, longest+1))
		} else {
			raw, err = os.ReadFile(file)
		}
		if failed := new(fs.PathError); errors.As(err, &failed) {
			return "", usage("%s: %v", where, failed.Err)
		} else if err != nil {
			return "", usage("%s: %v", where, err)
		}
		given = string(raw)
	}
	given = strings.TrimSpace(given)
	switch {
	case given == "" && file != "":
		return "", usage("%s has no text: write the request there", where)
	case given == "":
		return "", usage("no request given: %s \"…\", or -f FILE", command)
	case len(given) > longest:
		return "", usage("the request is over %d KiB; shorten it, or move details to a document in the project", longest>>10)
	}
	return given, nil
}

// enough refuses a text that is too short to be a request: one word, where words are separated by spaces. given is what a person wrote.
func enough(given, text string) error {
	const letters = 6 // of a language that writes no spaces
	spaced := strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
	if len(strings.Fields(text)) > 1 || !spaced && utf8.RuneCountInString(text) >= letters {
		return nil
	}
	return usage("%q is too short: describe the change in a sentence", given)
}

// within is a path that need not exist, relative to the project.
func (p *project) within(given string) (string, error) {
	clean := strings.Trim(strings.ReplaceAll(given, "\\", "/"), "/")
	for part := range strings.SplitSeq(clean, "/") {
		if part == ".." || part == "" || part == "." {
			return "", usage("--path %s: give a directory inside the project, relative to its root", given)
		}
	}
	if strings.HasPrefix(given, "/") {
		return "", usage("--path %s does not exist", given)
	}
	return clean, nil
}
