package turn

import (
	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/step"
)

// Drafts let an author write a document until nothing is wrong with it and a person agrees.
type Drafts struct {
	Limit      int  // answers in a row that may be wrong
	Questions  int  // how often its author may ask a person
	Rejections int  // how often a person may send it back
	Yes        bool // nobody is asked: the defaults of questions hold

	// Write gets an answer, and the questions in it.
	Write func(c *flow.Ctx, n int) ([]Question, error)
	// Answered takes what was said to them, and reports whether the answer at hand stands; else its author writes another one.
	Answered func(c *flow.Ctx, asked []Question, said []step.QA) bool
	// Check reports whether nothing is wrong with the answer.
	Check func(c *flow.Ctx, n int) (bool, error)
	// Agree reports whether a person agrees; nil: nobody is asked.
	Agree func(c *flow.Ctx) (bool, error)
}

// Run reports whether there is a document. A rejection gives its author all attempts again.
func (d Drafts) Run(c *flow.Ctx) (bool, error) {
	left, asked, rejected := d.Limit, 0, 0
	for n, c := range flow.Rounds(c, "draft", (d.Rejections+1)*d.Limit+d.Questions) {
		if left == 0 {
			break
		}
		questions, err := d.Write(c, n)
		if err != nil {
			return false, err
		}
		if len(questions) > 0 && asked < d.Questions {
			asked++
			said, err := askAll(c, questions, d.Yes)
			if err != nil {
				return false, err
			}
			if !d.Answered(c, questions, said) {
				continue
			}
		}
		left--
		if ok, err := d.Check(c, n); err != nil {
			return false, err
		} else if !ok {
			continue
		}
		if d.Agree == nil {
			return true, nil
		}
		if ok, err := d.Agree(c); ok || err != nil {
			return ok, err
		}
		if rejected++; rejected == d.Rejections {
			break
		}
		left = d.Limit
	}
	return false, nil
}
