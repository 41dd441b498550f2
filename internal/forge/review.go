package forge

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
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

// Remark is what somebody has said of a pull request in a review: about a line of a file, or in the text of the review itself.
type Remark struct {
	ID       string // unique for the pull request
	Author   string
	Standing Standing
	Path     string // "" = of the whole change
	Line     int    // 0 = of the whole file
	Text     string
	URL      string
}

// Place is what it is about: a file, its line, or the whole change.
func (r Remark) Place() string {
	switch {
	case r.Path == "":
		return "the whole change"
	case r.Line == 0:
		return r.Path
	}
	return fmt.Sprintf("%s:%d", r.Path, r.Line)
}

type rawUser struct {
	Login string `json:"login"`
	Type  string `json:"type"`
}

type rawRemark struct {
	ID          int64   `json:"id"`
	User        rawUser `json:"user"`
	Association string  `json:"author_association"`
	State       string  `json:"state"` // of a review
	Path        string  `json:"path"`
	Line        int     `json:"line"`
	Original    int     `json:"original_line"` // before later commits
	Body        string  `json:"body"`
	URL         string  `json:"html_url"`
}

// Remarks are all comments of reviews of a pull request, the oldest first: those of lines, then the reviews' own texts. The text of
// an approval asks for nothing and is left out.
func (c *Client) Remarks(ctx context.Context, p Pull) ([]Remark, error) {
	var out []Remark
	for _, kind := range []string{"comments", "reviews"} {
		for page := 1; page <= maxPages; page++ {
			var list []rawRemark
			if err := c.call(ctx, http.MethodGet, fmt.Sprintf("/pulls/%d/%s?per_page=100&page=%d", p.Number, kind, page), nil, &list); err != nil {
				return nil, err
			}
			for _, r := range list {
				if strings.TrimSpace(r.Body) != "" && !slices.Contains([]string{"APPROVED", "DISMISSED", "PENDING"}, r.State) {
					out = append(out, r.remark(kind, p.Author))
				}
			}
			if len(list) < 100 {
				break
			}
		}
	}
	return out, nil
}

func (r rawRemark) remark(kind, own string) Remark {
	out := Remark{ID: fmt.Sprintf("%s/%d", kind, r.ID), Author: oneLine(r.User.Login), Path: oneLine(r.Path), Line: cmp.Or(r.Line, r.Original), Text: r.Body, URL: oneLine(r.URL)}
	switch {
	case r.User.Type == "Bot" || strings.HasSuffix(r.User.Login, "[bot]"):
		out.Standing = Robot
	case strings.EqualFold(r.User.Login, own):
		out.Standing = Own
	case !slices.Contains([]string{"OWNER", "MEMBER", "COLLABORATOR"}, r.Association):
		out.Standing = Outsider
	}
	return out
}

// oneLine is a text without what would steer a terminal or end a line.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, s)
}
