package cli

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

// progress is a line at a terminal that says what runs, and for how long all of it has.
type progress struct {
	a     *app
	begun time.Time
	quit  chan struct{}
	done  sync.WaitGroup
	text  string // under the lock of the screen
}

// progress begins to show a text, until it is ended. Without a terminal nothing is shown.
func (a *app) progress(text string) *progress {
	p := &progress{a: a, begun: time.Now(), quit: make(chan struct{}), text: text}
	if !a.live() {
		return p
	}
	a.show(p)
	p.done.Go(func() {
		tick := time.NewTicker(redraw)
		defer tick.Stop()
		for {
			select {
			case <-p.quit:
				a.show(nil)
				return
			case <-tick.C:
				p.draw()
			}
		}
	})
	return p
}

// live reports whether what changes is shown as it changes: at a terminal that can erase.
func (a *app) live() bool {
	_, _, tty := terminal(a.Err)
	return tty && !a.quiet && a.env["TERM"] != "dumb" && a.env["CI"] == "" && !a.json
}

func (p *progress) draw() {
	p.a.screen.Lock()
	defer p.a.screen.Unlock()
	wide, _, _ := terminal(p.a.Err)
	line := fmt.Sprintf("%s  %s", report.Took(time.Since(p.begun)), p.text)
	fmt.Fprint(p.a.Err, clearLine+report.Cut(line, wide-4)) // a ^C has its place behind it
}

func (p *progress) erase() { fmt.Fprint(p.a.Err, clearLine) }

// says changes what is shown.
func (p *progress) says(text string) {
	p.a.screen.Lock()
	defer p.a.screen.Unlock()
	p.text = step.Readable(strings.Join(strings.Fields(text), " "))
}

// end takes the line off the screen.
func (p *progress) end() {
	close(p.quit)
	p.done.Wait()
}
