package inspect

import (
	"fmt"
	"strings"

	"github.com/jacquard-build/jacquard/internal/spec"
)

// ImplementsDoc is what an IMPLEMENTS.md says that tools can use.
type ImplementsDoc struct {
	Map      []IntegrationEntry `json:"module_integration_map"`
	External []string           `json:"external_dependencies"`
	Sections []string           `json:"sections"`
	Errors   []string           `json:"errors"`
	Warnings []string           `json:"warnings"`
}

// IntegrationEntry is one module that is used, and what of it.
type IntegrationEntry struct {
	RelativePath string           `json:"relative_path"`
	Ref          string           `json:"claude_md_ref"`
	Exports      []IntegratedItem `json:"exports_used"`
	Context      string           `json:"integration_context"`
}

// IntegratedItem is a signature that is used, and for what.
type IntegratedItem struct {
	Signature string `json:"signature"`
	Role      string `json:"role_description,omitempty"`
}

// Implements reads an IMPLEMENTS.md.
func Implements(file string, src []byte) ImplementsDoc {
	im, ps := spec.ParseImplements(file, src)
	v := ImplementsDoc{Map: []IntegrationEntry{}, External: []string{}, Sections: []string{}, Errors: []string{}, Warnings: []string{}}
	for _, part := range im.Planning {
		v.Sections = append(v.Sections, part.Title)
		if strings.EqualFold(part.Title, "External Dependencies") {
			v.External = append(v.External, itemsOf(part.Text)...)
		}
	}
	for _, part := range im.Implementation {
		v.Sections = append(v.Sections, part.Title)
	}
	for _, in := range im.Integration {
		if len(in.Exports) == 0 { // a warning says so
			continue
		}
		e := IntegrationEntry{RelativePath: in.RelativePath, Ref: in.Ref, Context: in.Context, Exports: []IntegratedItem{}}
		for i, x := range in.Exports {
			e.Exports = append(e.Exports, IntegratedItem{Signature: x.Text, Role: in.Roles[i]})
		}
		v.Map = append(v.Map, e)
	}
	for _, p := range ps {
		text := fmt.Sprintf("Line %d: %s", p.Line, p.Text)
		if p.Severity == spec.Error {
			v.Errors = append(v.Errors, text)
		} else {
			v.Warnings = append(v.Warnings, text)
		}
	}
	return v
}

// itemsOf are the items of a list as they are written.
func itemsOf(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if item, ok := strings.CutPrefix(strings.TrimSpace(line), "- "); ok && !strings.EqualFold(item, "none") {
			out = append(out, item)
		}
	}
	return out
}
