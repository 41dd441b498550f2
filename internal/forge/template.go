package forge

import (
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

// Where a forge looks for the text that a pull request begins with, in the order in which it does:
// https://docs.github.com/communities/using-templates-to-encourage-useful-issues-and-pull-requests/creating-a-pull-request-template-for-your-repository,
// https://docs.gitlab.com/user/project/description_templates/.
var (
	githubTemplates = re.New(`(?i)^(?:\.github/|docs/)?pull_request_template\.(?:md|txt)$`)
	gitlabTemplates = re.New(`(?i)^\.gitlab/merge_request_templates/default\.md$`)
)

// Template is the one of files, paths from the top of the repository, that a new pull request begins with; "" for none.
func (c *Client) Template(files []string) string {
	is := githubTemplates
	if c.place.GitLab {
		is = gitlabTemplates
	}
	found := slices.DeleteFunc(slices.Clone(files), func(p string) bool { return !is().MatchString(p) })
	slices.Sort(found) // .github/, then docs/, then the top
	slices.SortStableFunc(found, func(x, y string) int { return strings.Count(y, "/") - strings.Count(x, "/") })
	return append(found, "")[0]
}

var (
	hidden   = re.New(`(?s)<!--.*?-->`)
	heading  = re.New(`(?m)^#{1,6} .*$`)
	manyGaps = re.New(`\n{3,}`)
)

// Filled is a template with body below its first heading, or before a text without headings. What the template explains in comments is
// left out; its other sections and its boxes stay as they are, for a person.
func Filled(template, body string) string {
	t := strings.ReplaceAll(template, "\r\n", "\n")
	t = strings.TrimSpace(hidden().ReplaceAllString(t, ""))
	at := 0
	if first := heading().FindStringIndex(t); first != nil {
		at = first[1]
	}
	parts := []string{strings.TrimSpace(t[:at]), strings.TrimSpace(body), strings.TrimSpace(t[at:])}
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	return manyGaps().ReplaceAllString(strings.Join(parts, "\n\n"), "\n\n")
}
