package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/jacquard-build/jacquard/internal/signature"
)

func (t *specTool) signature() *cobra.Command {
	var text, to string
	c := t.command("signature [SIGNATURE]", "translate a declaration to another language", cobra.MaximumNArgs(1), func(_ context.Context, args []string) error {
		text = first(args, text, "")
		if text == "" {
			return usage("give a signature, such as 'validate(token: string): Promise<Claims>'")
		}
		lang, ok := signature.Lang(to)
		if !ok {
			return usage("--target-lang %q: must be typescript, python, go, rust, java or kotlin", to)
		}
		out, ok := signature.Convert(text, lang)
		if !ok {
			return usage("%q is not a signature: give a function such as 'validate(token: string): Claims', or a type such as 'Claims { id: string }'", text)
		}
		v := map[string]string{"signature": text, "target_language": lang, "converted_signature": out}
		return t.answer(v, func() { fmt.Fprintln(t.a.Out, out) })
	})
	c.Example = "  jacquard spec signature 'get(id: string): Promise<T | null>' --target-lang go"
	c.Flags().StringVarP(&text, "signature", "s", "", "same as giving the `text` as an argument")
	c.Flags().StringVarP(&to, "target-lang", "t", "", "target `language`: typescript, python, go, rust, java or kotlin, or ts, py, golang, rs, kt")
	return c
}
