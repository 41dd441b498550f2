package spec

import (
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

// htmlTags are the tags that open an HTML block which lasts to the next blank line.
var htmlTags = map[string]bool{
	"address": true, "article": true, "aside": true, "base": true, "basefont": true, "blockquote": true,
	"body": true, "caption": true, "center": true, "col": true, "colgroup": true, "dd": true, "details": true,
	"dialog": true, "dir": true, "div": true, "dl": true, "dt": true, "fieldset": true, "figcaption": true,
	"figure": true, "footer": true, "form": true, "frame": true, "frameset": true, "h1": true, "h2": true,
	"h3": true, "h4": true, "h5": true, "h6": true, "head": true, "header": true, "hr": true, "html": true,
	"iframe": true, "legend": true, "li": true, "link": true, "main": true, "menu": true, "menuitem": true,
	"nav": true, "noframes": true, "ol": true, "optgroup": true, "option": true, "p": true, "param": true,
	"search": true, "section": true, "summary": true, "table": true, "tbody": true, "td": true, "tfoot": true,
	"th": true, "thead": true, "title": true, "tr": true, "track": true, "ul": true,
}

// tagRE matches a complete tag that is alone on its line.
var tagRE = re.New(`^<(?:[A-Za-z][A-Za-z0-9-]*(?:[ \t]+[A-Za-z_:][A-Za-z0-9_.:-]*(?:[ \t]*=[ \t]*(?:[^ \t"'=<>\x60]+|'[^']*'|"[^"]*"))?)*[ \t]*/?|/[A-Za-z][A-Za-z0-9-]*[ \t]*)>$`)

// rawEnds end a block whose content is no HTML; any of them ends any of these blocks.
var rawEnds = []string{"</script>", "</pre>", "</style>", "</textarea>"}

// htmlStart reports whether s opens an HTML block and what ends it: a text, or "\n" for a blank
// line. A lone unknown tag opens one only where no paragraph is open.
func htmlStart(s string, inParagraph bool) (string, bool) {
	if s[0] != '<' || len(s) < 2 {
		return "", false
	}
	switch {
	case strings.HasPrefix(s, "<!--"):
		return "-->", true
	case strings.HasPrefix(s, "<?"):
		return "?>", true
	case strings.HasPrefix(s, "<![CDATA["):
		return "]]>", true
	case s[1] == '!' && len(s) > 2 && isLetter(s[2]):
		return ">", true
	}
	i := 1
	if s[i] == '/' {
		i++
	}
	j := i
	for j < len(s) && (isLetter(s[j]) || j > i && (s[j] >= '0' && s[j] <= '9' || s[j] == '-')) {
		j++
	}
	name, after := strings.ToLower(s[i:j]), s[j:]
	ends := after == "" || after[0] == ' ' || after[0] == '\t' || after[0] == '>'
	if end := "</" + name + ">"; i == 1 && ends && slices.Contains(rawEnds, end) {
		return end, true
	}
	if htmlTags[name] && (ends || strings.HasPrefix(after, "/>")) {
		return "\n", true
	}
	return "\n", !inParagraph && s[len(s)-1] == '>' && tagRE().MatchString(s)
}

// endsHTML reports whether a line ends the HTML block that it stands in, or opens.
func endsHTML(s, end string) bool {
	if !strings.HasPrefix(end, "</") {
		return strings.Contains(s, end)
	}
	return hasAny(strings.ToLower(s), rawEnds...)
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
