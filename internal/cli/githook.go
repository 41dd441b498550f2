package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/jacquard-build/jacquard/internal/report"
)

// hookMark is in every hook that init wrote.
const hookMark = "# Written by jacquard init --hook"

const hookText = `#!/bin/sh
` + hookMark + `: a commit in which specs and code differ is rejected.
# To remove it, delete this file. To commit anyway: git commit --no-verify
jacquard=$(command -v jacquard) || jacquard=%s
`

// hook writes a pre-commit hook that validates what is staged. A hook of somebody else is
// left alone.
func (p *project) hook(ctx context.Context) error {
	if p.noGit {
		return usage("%s is not in a git repository, so there is no place for a hook: run git init first", p.root)
	}
	dir, err := p.repo.HooksDir(ctx)
	if err != nil {
		return err
	}
	check := "--root " + report.Word(root(strings.TrimSuffix(p.repo.Prefix(), "/"))) + " validate --staged || exit 1"
	file := filepath.Join(dir, "pre-commit")
	if !p.repo.Inside(dir) {
		return usage("core.hooksPath is %s, which other projects may share: add this line to %s yourself: jacquard %s", dir, file, check)
	}
	have, err := os.ReadFile(file)
	state := "written"
	switch {
	case errors.Is(err, fs.ErrNotExist):
		self, err := os.Executable()
		if err != nil {
			return environment("find this program", err)
		}
		have = fmt.Appendf(nil, hookText, report.Word(filepath.ToSlash(self)))
	case err != nil:
		return environment("read %s", err, file)
	case strings.Contains(string(have), check):
		state = "present"
	case !strings.Contains(string(have), hookMark):
		return usage("a hook already exists and was not changed: %s. Add this line to it: jacquard %s", file, check)
	}
	if state == "written" {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return environment("make %s", err, dir)
		}
		if err := os.WriteFile(file, append(have, "\"$jacquard\" "+check+"\n"...), 0o755); err != nil { //nolint:gosec // git runs it
			return environment("write %s", err, file)
		}
	}
	if p.a.asJSON(map[string]string{"hook": file, "state": state}) {
		return nil
	}
	if state == "present" {
		fmt.Fprintf(p.a.Out, p.a.lang().T("the hook is already installed: %s\n"), file)
		return nil
	}
	fmt.Fprintf(p.a.Out, p.a.lang().T("wrote %s\n"), file)
	fmt.Fprintln(p.a.Err, p.a.lang().T("Git now rejects commits in which exports and stated facts of specs differ from the code. No tests are run: jacquard verify does that. To undo this, delete the file"))
	return nil
}
