package spec

import "strings"

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
	name := strings.ToLower(s[i:j])
	if name == "" || j < len(s) && !strings.ContainsRune(" \t/>", rune(s[j])) {
		return "", false
	}
	switch name {
	case "script", "pre", "style", "textarea":
		return "</" + name + ">", i == 1
	}
	if htmlTags[name] {
		return "\n", true
	}
	alone := !inParagraph && strings.IndexByte(s, '>') == len(s)-1
	return "\n", alone
}

// htmlSkip is where the search for the end of an HTML block starts: behind the opening of a
// comment, whose dashes are not its end.
func htmlSkip(s string) int {
	if strings.HasPrefix(s, "<!--") {
		return 2 // "<!-->" and "<!--->" are whole comments
	}
	return 0
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
