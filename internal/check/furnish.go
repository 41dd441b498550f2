package check

import "context"

// Furnish puts the module's installed dependencies into a directory that an author works in, so that the tests can be
// run there. They are copies: nothing that is done to them reaches a check.
func (c *Checker) Furnish(ctx context.Context, m Module, root string) error {
	deps, err := c.prepare(ctx, m.Base, m.Chain)
	if err != nil {
		return err
	}
	deps.link = false // an author may change what it likes
	deps.env = false  // an environment belongs to a check; authors use the programs of the PATH and caches of their own
	return deps.copyInto(&place{c: c, root: root, chain: m.Chain})
}
