package check

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// unfit says that a package asks for another Node.js than the one that runs its tests, "" where it does not, or where that cannot be told.
func (p *place) unfit(ctx context.Context) (string, error) {
	wanted, err := semver.NewConstraint(p.chain.Engine)
	if p.chain.Engine == "" || err != nil {
		return "", nil //nolint:nilerr // a range that nobody can read asks for nothing
	}
	env := p.c.env(filepath.Join(p.dir, "home"), filepath.Join(p.dir, "tmp"), p.programs(), p.environment(false), false)
	version, err := p.version(ctx, toolchain.Command{Argv: []string{"node"}, Dir: p.chain.Root}, env)
	if err != nil {
		return "", err
	}
	is, err := semver.NewVersion(strings.TrimSpace(version))
	if err != nil || wanted.Check(is) {
		return "", nil //nolint:nilerr // there is no Node.js, which its commands say
	}
	return fmt.Sprintf("package.json asks for Node.js %s, and this is %s", p.chain.Engine, version), nil
}
