package check

import (
	"context"
	"fmt"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// newlyUnfit is unfit where it is the change that asks for another one: whoever ran tests with a Node.js that the project did not ask for goes on
// to do so.
func (p *place) newlyUnfit(ctx context.Context) (string, error) {
	if p.chain.Engine == p.chain.EngineWas {
		return "", nil
	}
	if was, err := p.unfit(ctx, p.chain.EngineWas); was != "" || err != nil {
		return "", err
	}
	return p.unfit(ctx, p.chain.Engine)
}

// unfit says that a range of versions, as npm writes it, has not the Node.js that runs the tests; "" where it has, or where that cannot be told.
func (p *place) unfit(ctx context.Context, asked string) (string, error) {
	wanted, err := semver.NewConstraint(asked)
	if asked == "" || err != nil {
		return "", nil //nolint:nilerr // a range that nobody can read asks for nothing
	}
	version, err := p.version(ctx, toolchain.Command{Argv: []string{"node"}, Dir: p.chain.Root}, p.env())
	if err != nil {
		return "", err
	}
	is, err := semver.NewVersion(strings.TrimSpace(version))
	if err != nil {
		return "", nil //nolint:nilerr // there is no Node.js, which its commands say
	}
	if released, err := is.SetPrerelease(""); err != nil || wanted.Check(&released) {
		return "", nil //nolint:nilerr // nothing says that it is another one
	}
	return fmt.Sprintf("package.json asks for Node.js %s, and this is %s", asked, version), nil
}
