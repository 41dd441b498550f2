package cli

import (
	"fmt"
	"sync"
	"time"

	"github.com/jacquard-build/jacquard/internal/report"
)

// progress is a line at a terminal that says what runs, and for how long all of it has.
type progress struct {
	a     *app
	begun time.Time
	quit  chan struct{}
	done  sync.WaitGroup

	mu   sync.Mutex
	text string
}

// progress begins to show a text, until it is ended. Without a terminal nothing is shown.
func (a *app) progress(text string) *progress {
	p := &progress{a: a, begun: time.Now(), quit: make(chan struct{}), text: text}
	if _, _, tty := terminal(a.Err); !tty || a.quiet || a.json || a.env["TERM"] == "dumb" {
		return p
	}
	p.done.Go(func() {
		tick := time.NewTicker(redraw)
		defer tick.Stop()
		for {
			select {
			case <-p.quit:
				fmt.Fprint(a.Err, clearLine)
				return
			case <-tick.C:
				p.draw()
			}
		}
	})
	return p
}

func (p *progress) draw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	wide, _, _ := terminal(p.a.Err)
	line := fmt.Sprintf("%s  %s", report.Took(time.Since(p.begun)), p.text)
	fmt.Fprint(p.a.Err, clearLine+report.Cut(line, wide-4)) // a ^C has its place behind it
}

// says changes what is shown.
func (p *progress) says(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = text
}

// end takes the line off the screen.
func (p *progress) end() {
	close(p.quit)
	p.done.Wait()
}
