package cli

import (
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/report"
)

// Commands in a text, which a person copies: in backquotes, after a colon or at the beginning of a line or a cell, or named in a sentence.
var (
	quotedCommand = re.New("`[^`\n]+`")
	toRun         = re.New(`(?:^|: |  ) *(?:run )?((?:jacquard|git (?:add|apply|branch|checkout|clone|commit|config|diff|fetch|init|log|merge|push|reset|restore|revert|show|stash|status|switch|tag|worktree)|npm|npx|pip3?|pipx|uv|cd|chmod|rm|docker|brew|sudo|apt-get|cargo|go (?:test|build|install|mod)|echo) [!-~])`)
	namedCommand  = re.New(`\b(?:jacquard|git|npm) [a-z-]+(?: -\S+| "[^"]*"| '[^']*')*`)
	noCommand     = re.New(`^(?:jacquard|git|npm) (?:is|does|did|has|was|can|could|asks|says) `)
)

// span is a part of a text that stays on one line.
type span struct{ from, to int }

// commandsIn are where the commands of a line are.
func commandsIn(line string) []span {
	var out []span
	for _, m := range append(quotedCommand().FindAllStringIndex(line, -1), namedCommand().FindAllStringIndex(line, -1)...) {
		out = append(out, span{m[0], m[1]})
	}
	for _, m := range toRun().FindAllStringSubmatchIndex(line, -1) {
		if rest := line[m[2]:]; !noCommand().MatchString(rest) {
			out = append(out, span{m[2], m[2] + len(commandAt(rest))})
		}
	}
	return out
}

// commandAt is the command that a text begins with. A sentence, a remark or another cell may follow it.
func commandAt(text string) string {
	quote := byte(0)
	for i := range len(text) {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == ' ' && (strings.ContainsRune(".,;", rune(text[i-1])) || strings.HasPrefix(text[i:], " (") || strings.HasPrefix(text[i:], "  ")):
			return text[:i]
		}
	}
	return strings.TrimRight(text, " ")
}

// pieces are the words of a line, with commands in one piece. An empty one stands for each further blank.
func pieces(line string) []string {
	var out []string
	whole := commandsIn(line)
	from := 0
blanks:
	for i := range len(line) {
		if line[i] != ' ' {
			continue
		}
		for _, s := range whole {
			if s.from < i && i < s.to {
				continue blanks
			}
		}
		out, from = append(out, line[from:i]), i+1
	}
	return append(out, line[from:])
}

// broken is a line in parts of at most so many cells, but for longer words and commands. All but the first stand further in by some.
func broken(line string, wide, further int) string {
	text, ended := strings.CutSuffix(line, "\n")
	if report.Width(text) <= wide {
		return line
	}
	var done strings.Builder
	lead := text[:len(text)-len(strings.TrimLeft(text, " "))]
	indent := lead + strings.Repeat(" ", further)
	part, at, blanks := lead, len(lead), 0
	for _, word := range pieces(text[len(lead):]) {
		if word == "" {
			blanks++
			continue
		}
		if n := report.Width(word); part != lead && at+blanks+n > wide {
			done.WriteString(part + "\n")
			part, at = indent+word, len(indent)+n
		} else {
			part, at = part+strings.Repeat(" ", blanks)+word, at+blanks+n
		}
		blanks = 1
	}
	done.WriteString(part)
	if ended {
		done.WriteByte('\n')
	}
	return done.String()
}

// fitted sets the lines of a text in a width, as broken does each.
func fitted(text string, wide, further int) string {
	var b strings.Builder
	for l := range strings.Lines(text) {
		b.WriteString(broken(strings.TrimRight(l, "\n")+"\n", wide, further))
	}
	return b.String()
}

// filled sets a text in lines of a width, each behind some spaces.
func filled(text string, indent, columns int) string {
	return broken(strings.Repeat(" ", indent)+strings.Join(strings.Fields(text), " "), columns, 0)
}
