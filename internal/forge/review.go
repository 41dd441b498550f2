package forge

import (
	"context"
	"fmt"
	"strings"
	"unicode"
)

// Standing is why words of an account are not followed; "" = it may direct work on the repository.
type Standing string

// The reasons for which nothing is done about what somebody says.
const (
	Outsider Standing = "outsider" // neither owner, member nor collaborator
	Robot    Standing = "robot"
	Own      Standing = "own" // the account that has opened the pull request
)

// Remark is what somebody has said of a pull request in a review, about a line of a file or in the text of the review itself; or what
// a check that failed says.
type Remark struct {
	ID       string // unique for the pull request
	Author   string // "" for a check
	Check    string // name of the check
	Standing Standing
	Path     string // "" = of the whole change
	Line     int    // 0 = of the whole file
	Text     string
	URL      string
}

// Place is what it is about: a file, its line, or the whole change; of a check its name.
func (r Remark) Place() string {
	switch {
	case r.Check != "":
		return r.Check
	case r.Path == "":
		return "the whole change"
	case r.Line == 0:
		return r.Path
	}
	return fmt.Sprintf("%s:%d", r.Path, r.Line)
}

type rawUser struct {
	Login    string `json:"login"`
	Type     string `json:"type"`
	ID       int64  `json:"id"`
	Username string `json:"username"` // on GitLab
}

// Remarks are all comments of reviews of a pull request that ask for something, the oldest first: on GitHub those of lines and the
// reviews' own texts, on GitLab those of threads that are not resolved.
func (c *Client) Remarks(ctx context.Context, p Pull) ([]Remark, error) { return c.remarks(ctx, c, p) }

// oneLine is a text without what would steer a terminal or end a line.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, s)
}
