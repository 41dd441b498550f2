package cli

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jacquard-build/jacquard/internal/report"
	"github.com/jacquard-build/jacquard/internal/step"
)

// progress says what runs, and for how long all of it has: on one line at a terminal, elsewhere on a line now and then.
type progress struct {
	a     *app
	begun time.Time
	quit  chan struct{}
	done  sync.WaitGroup
	text  string // under the lock of the screen
}

// progress begins to show a text, until it is ended.
func (a *app) progress(text string) *progress {
	p := &progress{a: a, begun: time.Now(), quit: make(chan struct{}), text: text}
	draw, first, each := p.beat, firstBeat, heartbeat
	if a.live() {
		draw, first, each = p.draw, redraw, redraw
		a.show(p)
	}
	p.done.Go(func() {
		tick := time.NewTicker(first)
		defer tick.Stop()
		for {
			select {
			case <-p.quit:
				a.show(nil)
				return
			case <-tick.C:
				draw()
				tick.Reset(each)
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

// beat is a line for who reads plain text.
func (p *progress) beat() {
	p.a.screen.Lock()
	defer p.a.screen.Unlock()
	fmt.Fprintf(p.a.Err, "  … %s  %s\n", report.Took(time.Since(p.begun)), report.Cut(p.text, 160))
}

func (p *progress) erase() { fmt.Fprint(p.a.Err, clearLine) }

// line prints a line above what is shown.
func (p *progress) line(text string) {
	p.a.screen.Lock()
	defer p.a.screen.Unlock()
	if p.a.showing != nil {
		p.a.showing.erase()
	}
	fmt.Fprint(p.a.Err, text)
}

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
