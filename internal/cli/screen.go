package cli

import (
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/jacquard-build/jacquard/internal/report"
)

// screen is a terminal that people read: what is longer than a line goes on in the next one between two words. What has colors in it was
// made to fit by whoever drew it.
type screen struct {
	*os.File

	begun bool // the last line has not ended
}

// prose are the commands whose answer is text to read. That of others is data, a table or a file.
var prose = []string{"do", "bug", "build", "work", "auto", "develop", "show", "answer", "resume", "stop", "undo", "doctor", "verify", "trust", "init", "demo"}

// readable is a stream as people read it, if it is a terminal.
func readable(w io.Writer) io.Writer {
	if f, ok := w.(*os.File); ok {
		if _, _, tty := terminal(f); tty {
			return &screen{File: f}
		}
	}
	return w
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
		}
		s.begun = !strings.HasSuffix(line, "\n") && !strings.HasSuffix(line, clearLine) && !strings.HasSuffix(line, clearBelow)
		out.WriteString(line)
	}
	if _, err := s.WriteString(out.String()); err != nil {
		return 0, err
	}
	return len(b), nil
}

// broken is a line in parts of at most so many cells, but for longer words. All but the first stand further in by some.
func broken(line string, wide, further int) string {
	var done strings.Builder
	indent := strings.Repeat(" ", len(line)-len(strings.TrimLeft(line, " "))+further)
	for report.Width(strings.TrimSuffix(line, "\n")) > wide {
		at, text := 0, len(line)-len(strings.TrimLeft(line, " "))
		for i, r := range line {
			if r != ' ' || i < text {
				continue
			}
			if at > 0 && report.Width(line[:i]) > wide {
				break
			}
			at = i
		}
		if at == 0 || strings.TrimSpace(line[at:]) == "" {
			break
		}
		done.WriteString(strings.TrimRight(line[:at], " ") + "\n")
		line = indent + strings.TrimLeft(line[at:], " ")
	}
	return done.String() + line
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
