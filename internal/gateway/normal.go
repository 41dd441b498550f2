package gateway

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

// normalizers take out of a request what differs from one run to the next
// without meaning anything.
var normalizers = []struct {
	find re.Regexp
	with string
}{
	{re.New(`(?s)<system-reminder>.*?</system-reminder>\s*`), ""},
	{re.New(`[0-9a-fA-F]{8}[-_][0-9a-fA-F]{4}[-_][0-9a-fA-F]{4}[-_][0-9a-fA-F]{4}[-_][0-9a-fA-F]{12}`), "<uuid>"},
	{re.New(`\b[0-9a-f]{64}\b`), "<sha256>"},
	{re.New(`\b[0-9a-f]{40}\b`), "<commit>"},
	{re.New(`\bcommit [0-9a-f]{7,12}\b|\[[\w/.-]+ (?:\(root-commit\) )?[0-9a-f]{7,12}\]`), "<commit>"},
	{re.New(`\b\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?`), "<time>"},
	{re.New(`\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? (?:(?:\d{1,2} )?[A-Z][a-z]{2,8} \d{1,2},?)[ \d:]*(?:[A-Z]{3,4} )?(?:\d{4})?`), "<time>"},
	{re.New(`\(cached\)|\b\d+(?:\.\d+)?\s?(?:ns|µs|us|ms|s|seconds|secs)\b`), "<duration>"},
	{re.New(`\b(127\.0\.0\.1|localhost|\[::1\]):\d{2,5}\b`), "$1:<port>"},
	{re.New(`/(?:private/)?tmp/(?:claude-|go-build|Test)[^\s"']*`), "<temp>"},
	{re.New(`cc_version=[^;\s]*;?\s?|cch=[^;\s]*;?\s?`), ""},
	{re.New(`Chunk ID: [0-9a-f]+`), "Chunk ID: <id>"},
}

// dashed is what Claude Code writes as a dash in the name of a project's folder.
var dashed = re.New(`[^A-Za-z0-9]`)

// places replaces the folders of a turn by names, the longest first, since one
// may lie in the other.
func places(t Turn) *strings.Replacer {
	var pairs []string
	type place struct{ path, name string }
	list := []place{{t.Dir, "CWD"}, {t.Home, "HOME"}}
	slices.SortStableFunc(list, func(a, b place) int { return len(b.path) - len(a.path) })
	for _, p := range list {
		if len(p.path) > 1 {
			// The second is the form in which an agent names folders after other folders.
			pairs = append(pairs, p.path, "${"+p.name+"}", dashed().ReplaceAllString(p.path, "-"), "${"+p.name+"-}")
		}
	}
	return strings.NewReplacer(pairs...)
}

// normal returns the parts of a request that decide what a model would answer,
// without secrets and in a form that is the same in each run.
func normal(c *call) []byte {
	var body map[string]any
	if json.Unmarshal(c.body, &body) != nil {
		return c.redact.Bytes(c.body)
	}
	here := places(c.access.turn)
	clean := func(s string) string {
		s = here.Replace(s)
		for _, n := range normalizers {
			s = n.find().ReplaceAllString(s, n.with)
		}
		return s
	}
	names := make([]string, 0, len(c.req.Tools))
	for _, t := range c.req.Tools {
		names = append(names, t.Name)
	}
	slices.Sort(names)
	kept := map[string]any{
		"path": c.path, "model": c.req.Model, "stream": c.req.Stream, "tools": names,
	}
	system, messages := "system", "messages"
	if c.path == responsesPath {
		system, messages = "instructions", "input"
	}
	kept["system"], kept["messages"] = walk(body[system], clean), walk(body[messages], clean)
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if e.Encode(kept) != nil {
		return c.redact.Bytes(c.body)
	}
	return c.redact.Bytes(bytes.TrimSpace(out.Bytes()))
}

// walk applies clean to all strings and drops cache marks, texts that clean
// leaves nothing of, and the CLI's billing block.
func walk(v any, clean func(string) string) any {
	switch v := v.(type) {
	case string:
		return clean(v)
	case []any:
		out := make([]any, 0, len(v))
		for _, item := range v {
			if m, ok := item.(map[string]any); ok && m["type"] == "text" {
				text, _ := m["text"].(string)
				if strings.HasPrefix(text, "x-anthropic-billing-header") || strings.TrimSpace(clean(text)) == "" {
					continue
				}
			}
			out = append(out, walk(item, clean))
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, item := range v {
			if k != "cache_control" {
				out[k] = walk(item, clean)
			}
		}
		return out
	default:
		return v
	}
}

// shape returns what stays the same of a conversation when tools print something
// else: the ids of its tool results, which come from the model; before the first
// one, the user's text.
func shape(c *call, norm []byte) string {
	var ids []string
	for _, m := range c.req.Messages {
		for _, b := range m.Content {
			if b.Type == "tool_result" {
				ids = append(ids, b.ToolUseID)
			}
		}
	}
	if len(ids) == 0 {
		var kept struct {
			Messages json.RawMessage `json:"messages"`
		}
		// norm is our own JSON; without messages its text is the shape.
		if json.Unmarshal(norm, &kept) == nil {
			ids = []string{string(kept.Messages)}
		}
	}
	return digest(c.path, c.req.Model, strings.Join(ids, " "))
}

func digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		// A hash never returns an error.
		_, _ = h.Write([]byte(p))
		_, _ = h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
