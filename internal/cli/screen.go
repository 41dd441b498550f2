package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/jacquard-build/jacquard/internal/re"
)

// screen is a terminal that people read: what is longer than a line goes on in the next one between two words, and how something ended has
// a color. What has colors in it was made to fit by whoever drew it.
type screen struct {
	*os.File

	colour func() bool
	begun  bool // the last line has not ended
}

// verbatim are the commands whose answer is for other programs, or code. That of others is text to read.
var verbatim = []string{
	"jacquard diff", "jacquard mcp", "jacquard spec diagram", "jacquard spec exports", "jacquard spec implements", "jacquard spec parse", "jacquard spec signature",
	"jacquard spec summary",
}

// readable is a stream as people read it, if it is a terminal.
func (a *app) readable(w io.Writer) io.Writer {
	if f, ok := w.(*os.File); ok {
		if _, _, tty := terminal(f); tty {
			return &screen{File: f, colour: a.colour}
		}
	}
	return w
}

// Colors say how something ended: well, not at all, or so that a person should look.
const (
	green  = "\x1b[32m"
	red    = "\x1b[31m"
	yellow = "\x1b[33m"
	plain  = "\x1b[0m"
)

// endings are what begins a line that says how something ended, and how an attempt did.
var endings = []struct {
	line   re.Regexp
	colour string
}{
	{re.New(`^\s*(✓)|^\s+· .*: (passed)\b|^(proved|covered): `), green},
	{re.New(`^\s*(✗)|^(broken|weakened): `), red},
	{re.New(`^\s*(⚠)|^\s+· .*: (rejected)\b|^(unproved|unknown): `), yellow},
}

// coloured is a line with the word in color that says how something ended.
func coloured(line string) string {
	for _, e := range endings {
		for at := e.line().FindStringSubmatchIndex(line); len(at) > 2; at = append(at[:2:2], at[4:]...) {
			if from, to := at[2], at[3]; from >= 0 {
				return line[:from] + e.colour + line[from:to] + plain + line[to:]
			}
		}
	}
	return line
}

// What leaves the cursor at the beginning of an empty line: with nothing in it, and nothing below it.
const (
	clearLine  = "\r\x1b[K"
	clearBelow = "\x1b[J"
)

func (s *screen) Write(b []byte) (int, error) {
	wide, _, _ := terminal(s)
	var out strings.Builder
	for line := range strings.Lines(string(b)) {
		if whole := strings.HasSuffix(line, "\n"); whole && !s.begun && wide > 0 && !strings.Contains(line, "\x1b") {
			line = broken(line, wide, 2)
			if s.colour() {
				line = coloured(line)
			}
		}
		s.begun = !strings.HasSuffix(line, "\n") && !strings.HasSuffix(line, clearLine) && !strings.HasSuffix(line, clearBelow)
		out.WriteString(line)
	}
	if _, err := s.WriteString(out.String()); err != nil {
		return 0, err
	}
	return len(b), nil
}

// narrow is what a column of prose has at least, in cells: else it stands below what is beside it.
const narrow = 24

// wide is how many cells a line of prose has: no more than one of help.
func (a *app) wide() int {
	if wide, _, tty := terminal(a.Out); tty {
		return min(wide, columns)
	}
	return columns
}

// terminal reports whether a stream is one, with its size.
func terminal(stream any) (columns, lines int, ok bool) {
	if s, is := stream.(*screen); is {
		stream = s.File
	}
	f, isFile := stream.(*os.File)
	if !isFile || !term.IsTerminal(int(f.Fd())) {
		return 0, 0, false
	}
	w, h, err := term.GetSize(int(f.Fd()))
	if err != nil || w <= 0 {
		return 80, 24, true
	}
	return w, h, true
}

// heartbeat is how long nothing is said to who reads plain text, while something is at work; firstBeat is that at the beginning.
const (
	heartbeat = 30 * time.Second
	firstBeat = 5 * time.Second
)

// redraw is how often the live view and the plain lines are refreshed.
const redraw = 150 * time.Millisecond

// show makes a view the one on the screen, nil for none; the one before it is erased.
func (a *app) show(v view) {
	a.screen.Lock()
	defer a.screen.Unlock()
	if a.showing != nil {
		a.showing.erase()
	}
	a.showing = v
}

// view is what is on the screen below what has been said: it is erased before more is said.
type view interface{ erase() }

// tell says something at once: where a live view is on the screen, above it.
func (a *app) tell(text string) {
	a.screen.Lock()
	defer a.screen.Unlock()
	if a.showing != nil {
		a.showing.erase()
		fmt.Fprintln(a.Err, text)
		return
	}
	fmt.Fprintln(a.Err, "\n"+text) // behind the ^C that the terminal shows
}
