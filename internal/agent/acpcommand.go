package agent

import (
	"fmt"
	"slices"
	"strings"
)

// readers and changers are commands that need no permission of their own as long as
// what they are about is below the working directory.
var (
	readers  = []string{"cat", "grep", "head", "ls", "pwd", "tail", "true", "wc"}
	changers = []string{"cp", "mkdir", "mv", "rm", "rmdir", "touch"}
	// gitReaders are what git may be asked, without the options by which it writes a file, runs a program, or reads what is outside.
	gitReaders = []string{"blame", "diff", "log", "ls-files", "show", "status"}
	gitOptions = []string{"--output", "--ext-diff", "--textconv", "--no-index", "-O", "--contents"}
)

// refusesCommand says why an author may not run a command line; "" when it may.
// Each part of a compound line has to begin with an allowed command, or be one of
// the simple ones about files below dir. What is not understood is refused.
func refusesCommand(dir string, allowed []string, line string) string {
	parts, why := splitCommand(line)
	if why != "" {
		return why
	}
	for _, p := range parts {
		for _, target := range p.writes {
			if target == "/dev/null" {
				continue
			}
			if err := writableIn(dir, target); err != nil {
				return "it writes to " + err.Error()
			}
		}
		for _, source := range p.reads {
			if _, err := within(dir, source); err != nil && source != "/dev/null" {
				return "it reads " + err.Error()
			}
		}
		if slices.ContainsFunc(allowed, func(a string) bool { return beginsWith(p.text, strings.TrimSpace(a)) }) {
			continue
		}
		if why := p.refused(dir); why != "" {
			return why
		}
	}
	return ""
}

// beginsWith reports whether a command line begins with the words of another one.
func beginsWith(line, begin string) bool {
	rest, ok := strings.CutPrefix(line, begin)
	return ok && begin != "" && (rest == "" || strings.ContainsAny(rest[:1], " \t<>"))
}

// refused says why a part is none of the simple commands about files below dir.
func (p commandPart) refused(dir string) string {
	if len(p.words) == 0 {
		return fmt.Sprintf("%q is no command", p.text)
	}
	git := len(p.words) > 1 && p.words[0].text == "git" && !p.words[1].special && slices.Contains(gitReaders, p.words[1].text)
	if git && slices.ContainsFunc(p.words, gitDoes) {
		return fmt.Sprintf("%q does more than read the project", p.text)
	}
	changes := slices.Contains(changers, p.words[0].text)
	if !changes && !git && !slices.Contains(readers, p.words[0].text) || p.words[0].special {
		return fmt.Sprintf("%q does not begin with an allowed command", p.text)
	}
	options := true
	for _, w := range p.words[1:] {
		switch {
		case w.special:
			return fmt.Sprintf("%q is not about files that are known", p.text)
		case options && w.text == "--":
			options = false
		case options && strings.HasPrefix(w.text, "-"):
			if strings.Contains(w.text, "/") || strings.Contains(w.text, "=") && !git {
				return fmt.Sprintf("%q does not begin with an allowed command", p.text)
			}
		case changes:
			if err := writableIn(dir, w.text); err != nil {
				return err.Error()
			}
		default:
			if _, err := within(dir, w.text); err != nil {
				return err.Error()
			}
		}
	}
	return ""
}

// gitDoes reports whether a word is one of gitOptions: git takes the beginning of an option for it.
func gitDoes(w word) bool {
	name, _, _ := strings.Cut(w.text, "=")
	return name != "--text" && slices.ContainsFunc(gitOptions, func(o string) bool {
		return strings.HasPrefix(name, o) || len(name) > 2 && strings.HasPrefix(o, name)
	})
}

// commandPart is one simple command of a line.
type commandPart struct {
	text   string // as it was written
	words  []word
	writes []string // what it is redirected to
	reads  []string // and from
}

// word is an argument. A special one is not what is written: a variable or a pattern.
type word struct {
	text    string
	special bool
}

// splitCommand splits a shell command line into its simple commands. why is given
// for lines that are more than that: substitutions, subshells, documents.
func splitCommand(line string) (parts []commandPart, why string) {
	s := &splitter{line: line}
	for s.at < len(s.line) {
		if why := s.step(); why != "" {
			return nil, why
		}
	}
	if s.quote != 0 || s.redirect != "" && !s.open {
		return nil, "it does not end"
	}
	if why := s.endWord(); why != "" {
		return nil, why
	}
	s.endPartAt(len(s.line))
	if len(s.parts) == 0 {
		return nil, "it is empty"
	}
	return s.parts, ""
}

type splitter struct {
	line     string
	at       int
	quote    byte
	open     bool // a word has begun
	word     word
	redirect string // the next word is what it names
	begin    int    // of the part
	part     commandPart
	parts    []commandPart
}

func (s *splitter) step() string {
	ch := s.line[s.at]
	s.at++
	next := byte(0)
	if s.at < len(s.line) {
		next = s.line[s.at]
	}
	switch {
	case ch == '`' && s.quote != '\'', ch == '$' && next == '(' && s.quote != '\'':
		return "it runs a command inside another one"
	case ch == 0 || ch == '\r':
		return "it has characters that no command needs"
	case s.quote != 0:
		s.quoted(ch, next)
	case ch == '\'' || ch == '"':
		s.quote, s.open = ch, true
	case ch == '\\':
		if next == 0 || next == '\n' {
			return "it goes on in the next line"
		}
		s.add(next)
		s.at++
	case ch == ' ' || ch == '\t':
		return s.endWord()
	case ch == '#' && !s.open:
		return "it has a comment"
	case ch == '(' || ch == ')' || ch == '{' || ch == '}':
		return "it is more than a list of commands"
	case ch == '<' || ch == '>' || ch == '&' && next == '>':
		return s.startRedirect(ch, next)
	case ch == ';' || ch == '\n' || ch == '|' || ch == '&':
		if s.redirect != "" && !s.open {
			return "it does not end"
		}
		if why := s.endWord(); why != "" {
			return why
		}
		s.endPartAt(s.at - 1)
		if next == ch && (ch == '|' || ch == '&') || ch == '|' && next == '&' {
			s.at++
		}
		s.begin = s.at
	default:
		s.word.special = s.word.special || strings.IndexByte("$*?[~!", ch) >= 0
		s.add(ch)
	}
	return ""
}

func (s *splitter) quoted(ch, next byte) {
	switch {
	case ch == s.quote:
		s.quote = 0
	case s.quote == '"' && ch == '\\' && strings.IndexByte("\"\\$`\n", next) >= 0 && next != 0:
		s.add(next)
		s.at++
	default:
		s.word.special = s.word.special || s.quote == '"' && ch == '$'
		s.add(ch)
	}
}

func (s *splitter) add(ch byte) {
	s.open = true
	s.word.text += string([]byte{ch})
}

// startRedirect takes the sign of a redirection; the number before it is none of the words.
func (s *splitter) startRedirect(ch, next byte) string {
	if s.open && strings.Trim(s.word.text, "0123456789") == "" && !s.word.special {
		s.open, s.word = false, word{}
	}
	if why := s.endWord(); why != "" {
		return why
	}
	if ch == '<' && (next == '<' || next == '(' || next == '>') || ch == '>' && next == '(' {
		return "it is more than a list of commands"
	}
	s.redirect = string(ch)
	if ch == '&' {
		s.redirect = ">"
		s.at++
		next = 0
		if s.at < len(s.line) {
			next = s.line[s.at]
		}
	}
	switch next {
	case '>', '|':
		s.at++
	case '&': // to another stream, whose number follows
		s.at++
		s.redirect = "&"
	}
	return ""
}

// endWord ends the word that is open, which may be what a redirection names.
func (s *splitter) endWord() string {
	if !s.open {
		return ""
	}
	w, redirect := s.word, s.redirect
	s.word, s.open, s.redirect = word{}, false, ""
	switch {
	case redirect == "":
		s.part.words = append(s.part.words, w)
	case w.special || redirect == "&" && strings.Trim(w.text, "0123456789-") != "":
		return "it is redirected to an unknown place"
	case redirect == ">":
		s.part.writes = append(s.part.writes, w.text)
	case redirect == "<":
		s.part.reads = append(s.part.reads, w.text)
	}
	return ""
}

func (s *splitter) endPartAt(end int) {
	p := s.part
	p.text = strings.TrimSpace(s.line[s.begin:end])
	s.part = commandPart{}
	if p.text != "" {
		s.parts = append(s.parts, p)
	}
}
