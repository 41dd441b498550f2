package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"

	"golang.org/x/tools/txtar"
)

// maxFlood bounds what one step can make: more than any agent's line.
const maxFlood = 64 << 20

// Problem is a mistake in a scenario, with its line in the file, from 1.
type Problem struct {
	Line int
	Text string
}

// String returns "line 3: text".
func (p Problem) String() string { return fmt.Sprintf("line %d: %s", p.Line, p.Text) }

// Parse reads a scenario. It reports all mistakes, in the order of their lines;
// the scenario is usable only when there are none.
func Parse(data []byte) (Scenario, []Problem) {
	// Only the line breaks of one system are read, so that contents and line
	// numbers are the same everywhere.
	archive := txtar.Parse(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")))
	p := parser{files: map[string][]byte{}, used: map[string]bool{}}
	line := 1 + bytes.Count(archive.Comment, []byte("\n"))
	at := map[string]int{}
	for _, f := range archive.Files {
		if _, twice := p.files[f.Name]; twice {
			p.problem(line, "file %q appears twice", f.Name)
		}
		p.files[f.Name], at[f.Name] = f.Data, line
		line += 1 + bytes.Count(f.Data, []byte("\n"))
	}
	for i, text := range strings.Split(string(archive.Comment), "\n") {
		p.line = i + 1
		p.parseLine(text)
	}
	for name := range p.files {
		if !p.used[name] {
			p.problem(at[name], "file %q is not used by any step", name)
		}
	}
	sort.SliceStable(p.problems, func(i, j int) bool { return p.problems[i].Line < p.problems[j].Line })
	return Scenario{turns: p.turns}, p.problems
}

type parser struct {
	line     int
	files    map[string][]byte
	used     map[string]bool
	turns    []turn
	problems []Problem
}

func (p *parser) problem(line int, format string, args ...any) {
	p.problems = append(p.problems, Problem{Line: line, Text: fmt.Sprintf(format, args...)})
}

func (p *parser) parseLine(text string) {
	text = strings.TrimSpace(text)
	if text == "" || strings.HasPrefix(text, "#") {
		return
	}
	verb, rest, _ := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	var args []string
	if verb != string(Run) && verb != string(Say) {
		var err error
		if args, err = words(rest); err != nil {
			p.problem(p.line, "%v", err)
			return
		}
	}
	if verb == "turn" {
		p.startTurn(args)
		return
	}
	if len(p.turns) == 0 {
		p.problem(p.line, "%q stands before the first turn", verb)
		return
	}
	step, err := p.step(Verb(verb), rest, args)
	if err != nil {
		p.problem(p.line, "%v", err)
		return
	}
	step.Line = p.line
	last := &p.turns[len(p.turns)-1]
	last.steps = append(last.steps, step)
}

func (p *parser) startTurn(args []string) {
	t := turn{line: p.line}
	// The turn is kept in any case, so that its steps are not blamed as well.
	defer func() { p.turns = append(p.turns, t) }()
	if len(args) != 3 {
		p.problem(p.line, "want: turn ROLE MODULE ATTEMPT")
		return
	}
	t.role, t.module = args[0], args[1]
	if args[2] != "*" {
		n, err := strconv.Atoi(args[2])
		if err != nil || n < 1 {
			p.problem(p.line, "attempt %q is neither a number from 1 nor *", args[2])
			return
		}
		t.attempt = n
	}
	for _, other := range p.turns {
		if other.role == t.role && other.module == t.module && other.attempt == t.attempt {
			p.problem(p.line, "%q is already there at line %d", t.header(), other.line)
		}
	}
}

// shapes says how many arguments a verb takes and how to write it.
var shapes = map[Verb]struct {
	args int // -1 = key=value options, -2 = the rest of the line
	want string
}{
	Write: {2, "write PATH FILE"}, Append: {2, "append PATH FILE"}, Edit: {3, "edit PATH OLD NEW"}, Delete: {1, "delete PATH"},
	Run: {-2, "run COMMAND LINE"}, Say: {-2, "say TEXT"}, Daemon: {1, "daemon DURATION"}, Answer: {1, "answer FILE"},
	End: {0, "end"}, Sleep: {1, "sleep DURATION"}, Tokens: {2, "usage IN OUT"}, Status: {-1, "status CODE [key=value …]"},
	Limit: {1, "limit WHEN"}, Cut: {-1, "cut [times=N]"}, Refuse: {0, "refuse"}, Flood: {1, "flood BYTES"},
	Garbage: {0, "garbage"}, Hang: {0, "hang"}, Crash: {0, "crash"}, Exit: {1, "exit N"},
}

func (p *parser) step(verb Verb, rest string, args []string) (Step, error) {
	shape, known := shapes[verb]
	if !known {
		return Step{}, fmt.Errorf("unknown step %q", verb)
	}
	if (shape.args >= 0 && len(args) != shape.args) || (shape.args == -2 && rest == "") || (verb == Status && len(args) == 0) {
		return Step{}, fmt.Errorf("want: %s", shape.want)
	}
	s := Step{Verb: verb}
	var err error
	switch verb {
	case Write, Append:
		s.Path = args[0]
		s.Data, err = p.file(args[1])
	case Edit:
		s.Path, s.Old, s.New = args[0], args[1], args[2]
		if s.Old == "" {
			err = fmt.Errorf("the text to replace is empty")
		}
	case Delete:
		s.Path = args[0]
	case Run, Say:
		s.Text = rest
	case Answer:
		s.Data, err = p.file(args[0])
		var object map[string]json.RawMessage
		if err == nil && json.Unmarshal(s.Data, &object) != nil {
			err = fmt.Errorf("%s is not a JSON object", args[0])
		}
	case Daemon:
		var life time.Duration
		life, err = duration(args[0])
		// In a session of its own, where the system can, as real daemons do.
		s.Text = fmt.Sprintf("(setsid sleep %[1]d || nohup sleep %[1]d) >/dev/null 2>&1 </dev/null &", int(life.Seconds()+0.5))
	case Sleep:
		s.Wait, err = duration(args[0])
	case Tokens:
		if s.N, err = number(args[0], 0, 1<<30); err == nil {
			s.Out, err = number(args[1], 0, 1<<30)
		}
	case Flood:
		s.N, err = number(args[0], 0, maxFlood)
	case Exit:
		s.N, err = number(args[0], 0, 255)
	case Status, Limit, Cut:
		s.Fault, err = fault(verb, args)
	case End, Refuse, Garbage, Hang, Crash:
	}
	return s, err
}

func (p *parser) file(name string) ([]byte, error) {
	data, ok := p.files[name]
	if !ok {
		return nil, fmt.Errorf("the archive has no file %q", name)
	}
	p.used[name] = true
	return data, nil
}

func fault(verb Verb, args []string) (Fault, error) {
	f := Fault{Times: 1}
	switch verb {
	case Limit:
		f = Fault{Status: 429, Reset: args[0], Times: Forever}
		return f, checkReset(f.Reset)
	case Status:
		code, err := number(args[0], 300, 599)
		if err != nil {
			return Fault{}, err
		}
		f.Status, args = code, args[1:]
	default:
	}
	for _, arg := range args {
		key, value, found := strings.Cut(arg, "=")
		if !found {
			return Fault{}, fmt.Errorf("%q is not key=value", arg)
		}
		var err error
		switch {
		case key == "times" && value == "forever":
			f.Times = Forever
		case key == "times":
			f.Times, err = number(value, 1, 1000)
		case key == "retry-after" && verb == Status:
			f.RetryAfter, err = number(value, 0, 1<<30)
		case key == "reset" && verb == Status:
			f.Reset, err = value, checkReset(value)
		case key == "message" && verb == Status:
			f.Message = value
		default:
			err = fmt.Errorf("%s has no option %q", verb, key)
		}
		if err != nil {
			return Fault{}, err
		}
	}
	return f, nil
}

func checkReset(s string) error {
	if _, ok := (Fault{Reset: s}).ResetsAt(time.Time{}); !ok {
		return fmt.Errorf("%q is neither a time (RFC 3339) nor a duration", s)
	}
	return nil
}

func duration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is not a duration", s)
	}
	return d, nil
}

func number(s string, least, most int) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%q is not a number from %d to %d", s, least, most)
	}
	return n, nil
}

// words splits s at blanks; a word, or what follows its first =, may be a Go
// string in double quotes.
func words(s string) ([]string, error) {
	var out []string
	for s = strings.TrimLeft(s, " \t"); s != ""; s = strings.TrimLeft(s, " \t") {
		end := strings.IndexAny(s, " \t\"")
		if end < 0 {
			end = len(s)
		}
		word := s[:end]
		s = s[end:]
		if strings.HasPrefix(s, `"`) && (word == "" || strings.HasSuffix(word, "=")) {
			quoted, err := strconv.QuotedPrefix(s)
			if err != nil {
				return nil, fmt.Errorf("a quoted word does not end: %s", s)
			}
			text, err := strconv.Unquote(quoted)
			if err != nil {
				return nil, fmt.Errorf("unquote %s: %w", quoted, err)
			}
			word += text
			s = s[len(quoted):]
		}
		if s != "" && s[0] != ' ' && s[0] != '\t' {
			return nil, fmt.Errorf("a quote stands inside the word %q", word)
		}
		out = append(out, word)
	}
	return out, nil
}
