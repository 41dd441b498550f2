package forge_test

import (
	"testing"

	"github.com/jacquard-build/jacquard/internal/forge"
)

func TestTemplate(t *testing.T) {
	t.Parallel()
	hub, err := forge.Open(forge.Place{Owner: "o", Name: "n"}, "token", nil)
	if err != nil {
		t.Fatal(err)
	}
	lab, err := forge.Open(forge.Place{Owner: "o", Name: "n", GitLab: true}, "token", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		client *forge.Client
		files  []string
		want   string
	}{
		{hub, nil, ""},
		{hub, []string{"README.md", "src/pull_request_template.md", ".github/PULL_REQUEST_TEMPLATE/big.md"}, ""},
		{hub, []string{"pull_request_template.md", "docs/pull_request_template.md", ".github/PULL_REQUEST_TEMPLATE.md"}, ".github/PULL_REQUEST_TEMPLATE.md"},
		{hub, []string{"PULL_REQUEST_TEMPLATE.txt"}, "PULL_REQUEST_TEMPLATE.txt"},
		{hub, []string{".gitlab/merge_request_templates/Default.md"}, ""},
		{lab, []string{".gitlab/merge_request_templates/Bug.md", ".gitlab/merge_request_templates/Default.md"}, ".gitlab/merge_request_templates/Default.md"},
	} {
		if got := c.client.Template(c.files); got != c.want {
			t.Errorf("Template(%q) = %q, want %q", c.files, got, c.want)
		}
	}
}

func TestFilled(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, template, want string }{
		{"none", "", "BODY"},
		{"only comments", "<!-- Thank you!\n# Not a heading\n-->\n", "BODY"},
		{"sections", "<!-- Read this -->\r\n## What\r\n\r\n<!-- say it -->\r\n\r\n## Checklist\r\n\r\n- [ ] tests\r\n", "## What\n\nBODY\n\n## Checklist\n\n- [ ] tests"},
		{"words before the heading", "Thank you.\n\n# Why\nBecause.\n", "Thank you.\n\n# Why\n\nBODY\n\nBecause."},
		{"no headings", "- [ ] tests\n", "BODY\n\n- [ ] tests"},
		{"a comment without an end", "# Why\n<!-- oops", "# Why\n\nBODY\n\n<!-- oops"},
	} {
		if got := forge.Filled(c.template, "BODY\n"); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
