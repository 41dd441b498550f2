package inspect

import (
	"bytes"
	_ "embed" // what the page draws with
	"fmt"
	"html"

	"github.com/klauspost/compress/zstd"
)

//go:embed page/mermaid.min.js.zst
var mermaidJS []byte

// Page is diagrams as one HTML file that needs nothing else: Mermaid is in it, and draws without the network. What a
// diagram says is text to it, never markup or code.
func Page(title string, diagrams []Drawing) ([]byte, error) {
	script, err := zstd.DecodeTo(nil, mermaidJS)
	if err != nil {
		return nil, fmt.Errorf("unpack what the page draws with: %w", err)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width">
<title>%[1]s</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem; }
  h1 { font-size: 1.25rem; }
  pre.mermaid { background: none; overflow: auto; }
  details pre { background: #f4f4f4; padding: 1rem; overflow: auto; }
</style>
<h1>%[1]s</h1>
`, html.EscapeString(title))
	for _, d := range diagrams {
		if d.Name != "" {
			fmt.Fprintf(&b, "<h2>%s</h2>\n", html.EscapeString(d.Name))
		}
		fmt.Fprintf(&b, `<pre class="mermaid">
%[1]s</pre>
<details><summary>Mermaid</summary><pre>%[1]s</pre></details>
`, html.EscapeString(d.Mermaid))
	}
	b.WriteString("<script>")
	b.Write(bytes.ReplaceAll(script, []byte("</script"), []byte("<\\/script")))
	b.WriteString(`</script>
<script>mermaid.initialize({startOnLoad: true, securityLevel: "strict", maxTextSize: 500000, maxEdges: 5000});</script>
</html>
`)
	return b.Bytes(), nil
}
