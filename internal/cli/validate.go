package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/inspect"
)

func newValidate(a *app) *cobra.Command {
	var format string
	var exitZero bool
	c := &cobra.Command{
		Use: "validate [PATH]", Short: "compare specs with the code beside them, without an agent; exit 1 when they differ", Args: cobra.MaximumNArgs(1),
		Example: "  jacquard validate\n  jacquard validate src --format sarif > drift.sarif",
		RunE: func(c *cobra.Command, args []string) error {
			t := specTool{a: a}
			p, x, err := t.files(c.Context())
			if err != nil {
				return err
			}
			dir, err := p.inside(first(args, "", "."))
			if err != nil {
				return err
			}
			v := x.Validate(root(dir))
			if err := showDrift(a, v, format); err != nil {
				return err
			}
			if v.Summary.Good < v.Summary.Modules && !exitZero {
				return silent(exitNotVerified)
			}
			return nil
		},
	}
	c.Flags().StringVar(&format, "format", "text", "text, json, sarif or junit")
	c.Flags().BoolVar(&exitZero, "exit-zero", false, "exit 0 although they differ")
	return c
}

func showDrift(a *app, v inspect.Validation, format string) error {
	if a.json {
		format = "json"
	}
	var raw []byte
	var err error
	switch format {
	case "json":
		a.print(v)
		return nil
	case "sarif":
		raw, err = v.SARIF(version)
	case "junit":
		raw, err = v.JUnit()
	case "text":
		for _, m := range v.Modules {
			fmt.Fprintf(a.Out, a.lang().T("%s %s: %s, %d %% of its exports are specified\n"), tick(m.Status == "good"), m.Directory, m.Status, m.Coverage)
			if !m.Valid {
				fmt.Fprintf(a.Out, a.lang().T("    the spec is not valid: jacquard spec check %s\n"), m.Directory)
			}
			for _, d := range m.Issues {
				fmt.Fprintf(a.Out, "    %s:%d: [%s] %s\n", d.File, max(d.Line, 1), d.Type, d.Message)
			}
		}
		return nil
	default:
		return usage("--format %q: want text, json, sarif or junit", format)
	}
	if err != nil {
		return err
	}
	_, err = a.Out.Write(append(raw, '\n'))
	return err
}
