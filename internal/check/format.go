package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// Format runs the project's formatter on files of a tree and gives the tree that results, of which only these files
// differ. What the linter then says about them is in the findings. Tools that the project does not configure do not run;
// one that it configures and that is not installed is a warning, and an error where jacquard.yaml names it.
func (c *Checker) Format(ctx context.Context, m Module, tree string, files []string) (proof Proof, changed []string, err error) {
	proof = Proof{Tree: tree, Passed: true}
	files = those(files, m.Place.AllowsSource)
	if len(files) == 0 || len(m.Chain.Format(files))+len(m.Chain.Lint(files)) == 0 {
		return proof, nil, nil
	}
	p, err := c.open(ctx, step.OnFormat, tree, cmp.Or(m.Base, tree), m.Chain)
	if err != nil {
		return proof, nil, fmt.Errorf("format: %w", err)
	}
	defer func() { err = joinClose(err, p) }()
	stamps := p.stamps
	p.stamps = nil // this is the one kind of run that may change tracked files
	for _, cmd := range m.Chain.Format(files) {
		if err = p.tool(ctx, cmd, &proof, "", nil); err != nil {
			return proof, nil, fmt.Errorf("format: %w", err)
		}
	}
	p.stamps = stamps
	all, err := p.changed(ctx)
	if err != nil {
		return proof, nil, fmt.Errorf("format: %w", err)
	}
	changed = those(all, func(name string) bool { return slices.Contains(files, name) })
	if proof.Tree, err = p.treeNow(ctx, changed); err != nil {
		return proof, nil, fmt.Errorf("format: %w", err)
	}
	p.stamps = nil
	for _, cmd := range m.Chain.Lint(files) {
		if err = p.tool(ctx, cmd, &proof, "lint", files); err != nil {
			return proof, changed, fmt.Errorf("lint: %w", err)
		}
	}
	proof.Findings = proof.Findings[:min(len(proof.Findings), 3*maxLintFindings)]
	return proof, changed, nil
}

// tool runs a formatter or, with a rule, a linter whose complaints become findings: what it says of files is to be fixed.
func (p *place) tool(ctx context.Context, cmd toolchain.Command, proof *Proof, rule string, files []string) error {
	out, err := p.exec(ctx, cmd, false)
	if missing, ok := errors.AsType[*EnvironmentError](err); ok && !strings.HasPrefix(cmd.From, toolchain.From) {
		proof.Findings = append(proof.Findings, warn("tool-missing", "", 0, missing.Error()))
		return nil
	}
	if err != nil {
		return err
	}
	proof.Records = append(proof.Records, out.Record)
	if out.clean() || out.problem == "" && out.Record.Exit == cmd.Complains {
		return nil
	}
	if rule == "" {
		proof.Findings = append(proof.Findings, warn("format-failed", "", 0, "The formatter failed: "+out.tail))
		return nil
	}
	found := p.lintFindings(out.output, rule, files)
	if len(found) == 0 {
		found = append(found, fix(rule, "", 0, "The linter says: "+out.tail))
	}
	proof.Findings = append(proof.Findings, found...)
	return nil
}

// maxLintFindings bounds what one linter says about one set of files, mostCompared what is compared with the tree before.
const (
	maxLintFindings = 20
	mostCompared    = 2000
)

var (
	lintPlace  = re.New(`^(?:vet: )?(\S[^:]*\.\w+):(\d+)(?::\d+)?:?\s+(\S.*)$`)   // ruff, go vet, golangci-lint
	lintGitHub = re.New(`^::error\b[^:]*?\bfile=([^,:]+),line=(\d+)\b.*?::(.*)$`) // biome --reporter=github
	lintItem   = re.New(`^\s+(\d+):\d+\s+error\s+(\S.*)$`)                        // eslint, below the file's name
)

// lintFindings finds the complaints in a linter's output. What it says of other files than those that it was asked about is a
// warning: the author may not be allowed to change them.
func (p *place) lintFindings(output []byte, rule string, files []string) []step.Finding {
	var out []step.Finding
	r := p.reader()
	current := ""
	for line := range strings.Lines(colours().ReplaceAllString(string(output), "")) {
		line = strings.TrimRight(line, "\r\n")
		file, at, text := "", "", ""
		if m := lintItem().FindStringSubmatch(line); m != nil && current != "" {
			file, at, text = current, m[1], m[2]
		} else if m := lintGitHub().FindStringSubmatch(line); m != nil {
			file, at, text = r.relative(m[1]), m[2], m[3]
		} else if m := lintPlace().FindStringSubmatch(line); m != nil {
			file, at, text = r.relative(m[1]), m[2], m[3]
		} else if name := r.relative(line); p.entries[name].Path != "" {
			current = name
		}
		if _, tracked := p.entries[file]; !tracked {
			continue
		}
		say := warn
		if slices.Contains(files, file) {
			say = fix
		}
		if out = append(out, say(rule, file, atoi(at), "The linter says: "+strings.Join(strings.Fields(text), " "))); len(out) == mostCompared {
			break
		}
	}
	return out
}
