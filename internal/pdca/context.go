package pdca

import (
	"cmp"
	"fmt"
	"net/mail"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/re"
)

// Message is what somebody has written: a message of a channel, or a mail. All of it is data of strangers.
type Message struct {
	From    string    `json:"from"`
	To      string    `json:"to,omitempty"`
	Cc      string    `json:"cc,omitempty"`
	Reply   string    `json:"reply_to,omitempty"` // where answers go, if not to From
	Ref     string    `json:"ref,omitempty"`      // Message-ID of a mail
	At      time.Time `json:"at,omitzero"`
	Subject string    `json:"subject,omitempty"`
	Kind    string    `json:"kind,omitempty"` // reply: in a thread, to the message before it that is none
	Text    string    `json:"text"`
	Files   []string  `json:"files,omitempty"` // names of what is attached
	Notes   []string  `json:"notes,omitempty"` // what a program knows of it: reactions, answers that were not read
}

// replied is the kind of a reply.
const replied = "reply"

// The kinds of sources.
const (
	Slack = "slack"
	Gmail = "gmail"
)

// MessageID is how documents and answers call the message with an index, from the oldest.
func MessageID(i int) string { return fmt.Sprintf("M-%03d", i+1) }

// Messages is what somebody reads of messages, so many and so many bytes of them at most: the oldest are left out first.
func Messages(list []Message, count, most int) string {
	var parts []string
	n := 0
	thread := make([]string, len(list)) // ids of what replies are to
	for i, m := range list {
		switch {
		case m.Kind != replied:
			thread[i] = MessageID(i)
		case i > 0:
			thread[i] = thread[i-1]
		}
	}
	for i, m := range slices.Backward(list) {
		if m.Kind == replied && thread[i] != "" {
			m.Kind += " to " + thread[i]
		}
		p := m.text(MessageID(i))
		if n += len(p); len(parts) > 0 && (n > most || len(parts) == count) {
			parts = append(parts, fmt.Sprintf("(%d older messages are left out)\n\n", i+1))
			break
		}
		parts = append(parts, p)
	}
	slices.Reverse(parts)
	return strings.Join(parts, "")
}

func (m Message) text(id string) string {
	var b strings.Builder
	b.WriteString(id)
	if !m.At.IsZero() {
		b.WriteString(m.At.Format(" 2006-01-02 15:04Z07:00"))
	}
	if m.Kind != "" {
		b.WriteString(" (" + m.Kind + ")")
	}
	b.WriteString(" " + Line(m.From))
	if m.To != "" {
		b.WriteString(" → " + Line(m.To))
	}
	if m.Cc != "" {
		b.WriteString(" (Cc " + Line(m.Cc) + ")")
	}
	b.WriteByte('\n')
	if m.Subject != "" {
		b.WriteString("Subject: " + Line(m.Subject) + "\n")
	}
	if m.Text != "" { // marked, so that no text looks like the heading of another message
		b.WriteString("| " + strings.ReplaceAll(strings.TrimRight(m.Text, "\n"), "\n", "\n| ") + "\n")
	}
	for _, f := range m.Files {
		b.WriteString("Attached: " + Line(f) + "\n")
	}
	for _, n := range m.Notes {
		b.WriteString("(" + Line(n) + ")\n")
	}
	b.WriteByte('\n')
	return b.String()
}

// Remark is something that an analyst has found, and the message that says it.
type Remark struct {
	Text    string `json:"text"`
	Message string `json:"message"`         // its id
	Draft   string `json:"draft,omitempty"` // of an answer to it
}

// Analysis is what an analyst has found in messages.
type Analysis struct {
	Overview  string   `json:"overview"`
	Decisions []Remark `json:"decisions,omitempty"`
	People    []Remark `json:"people,omitempty"` // who is who, who matters
	Stack     []Remark `json:"stack,omitempty"`
	Open      []Remark `json:"open,omitempty"`
	Requests  []Remark `json:"requests,omitempty"`
	Replies   []Remark `json:"replies,omitempty"` // mails that wait for an answer
	Related   []Remark `json:"related,omitempty"` // what belongs together
	Risks     []Remark `json:"risks,omitempty"`
}

// Source is where messages came from.
type Source struct {
	Kind string // Slack, Gmail
	Name string // channel, or query
	List []Message
}

// What is kept of messages in a context file: the newest, within so many bytes.
const (
	rawMessages = 50
	rawBytes    = 40_000
)

// address is one on the web.
var address = re.New("https?://[^\\s<>\"'`|)\\]]+")

// Context is what is shown of a source to those who plan and build: what was found, without the messages. What is linked
// and attached comes from the messages themselves; a remark whose message does not exist stays without one.
func (d Document) Context(s Source, a Analysis) []byte {
	overview := "overview"
	if s.Kind == Gmail {
		overview = "contents"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: %s\n\n## %s\n\n%s\n", map[string]string{Slack: "Slack", Gmail: "Gmail"}[s.Kind], Line(s.Name), d.word(overview), cmp.Or(Paragraph(a.Overview), d.word("none")))
	type part struct {
		name string
		list []Remark
	}
	before, after := []part{{"decisions", a.Decisions}}, []part{{"people", a.People}, {"stack", a.Stack}, {"open", a.Open}}
	if s.Kind == Gmail {
		before = []part{{"requests", a.Requests}, {"senders", a.People}, {"replies", a.Replies}}
		after = []part{{"related", a.Related}, {"mailrisks", a.Risks}}
	}
	for _, p := range before {
		d.points(&b, s, p.name, p.list)
	}
	d.references(&b, s, a)
	for _, p := range after {
		d.points(&b, s, p.name, p.list)
	}
	return []byte(b.String())
}

// ContextFile is the context file of a source: what was found, and the newest messages.
func (d Document) ContextFile(s Source, a Analysis) []byte {
	var b strings.Builder
	b.Write(d.Context(s, a))
	fmt.Fprintf(&b, "\n## %s\n\n", d.word("messages"))
	for l := range strings.Lines(Messages(s.List, rawMessages, rawBytes)) {
		b.WriteString(strings.TrimRight("> "+l, " \n") + "\n")
	}
	return []byte(b.String())
}

func (d Document) points(b *strings.Builder, s Source, name string, list []Remark) {
	fmt.Fprintf(b, "\n## %s\n\n", d.word(name))
	if len(list) == 0 {
		fmt.Fprintf(b, "%s\n", d.word("none"))
	}
	for _, p := range list {
		fmt.Fprintf(b, "- %s%s\n", Line(p.Text), d.said(s, p))
	}
}

// said names the message of a remark.
func (d Document) said(s Source, p Remark) string {
	m, ok := s.Message(p.Message)
	if !ok {
		return ""
	}
	out := " (" + m.name() + ", "
	if !m.At.IsZero() {
		out += fmt.Sprintf(d.word("of "+s.Kind), m.At.Format("2006-01-02")) + ", "
	}
	return out + strings.TrimSpace(p.Message) + ")"
}

// name is who has written it, as people say.
func (m Message) name() string {
	if a, err := mail.ParseAddress(m.From); err == nil && a.Name != "" {
		return Line(a.Name)
	}
	return Line(m.From)
}

// Message is the message with an id.
func (s Source) Message(id string) (Message, bool) {
	n, err := strconv.Atoi(strings.TrimPrefix(strings.TrimSpace(id), "M-"))
	if err != nil || n < 1 || n > len(s.List) {
		return Message{}, false
	}
	return s.List[n-1], true
}

// references lists what messages link to and have attached; of mails, of which most are advertisements, those that something
// was found in.
func (d Document) references(b *strings.Builder, s Source, a Analysis) {
	cited := map[string]bool{}
	for _, list := range [][]Remark{a.Requests, a.People, a.Replies, a.Related, a.Risks} {
		for _, p := range list {
			cited[strings.TrimSpace(p.Message)] = true
		}
	}
	fmt.Fprintf(b, "\n## %s\n\n", d.word("references"))
	seen := map[string]bool{}
	for i, m := range s.List {
		if s.Kind == Gmail && !cited[MessageID(i)] {
			continue
		}
		for _, x := range slices.Concat(address().FindAllString(m.Text, -1), m.Files) {
			if x = strings.TrimRight(Line(x), ".,;:!?"); x == "" || seen[x] {
				continue
			}
			seen[x] = true
			fmt.Fprintf(b, "- %s (%s)\n", x, MessageID(i))
		}
	}
	if len(seen) == 0 {
		fmt.Fprintf(b, "%s\n", d.word("none"))
	}
}

// Drafts is the file with drafts of answers to mails. To whom they go comes from the mails; nothing is ever sent.
func (d Document) Drafts(s Source, a Analysis) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n", d.word("drafts"), d.word("unsent"))
	n := 0
	for _, p := range a.Replies {
		m, ok := s.Message(p.Message)
		if !ok || strings.TrimSpace(p.Draft) == "" {
			continue
		}
		n++
		to, subject := cmp.Or(m.Reply, m.From), m.Subject
		if !strings.HasPrefix(strings.ToLower(subject), "re:") {
			subject = "Re: " + subject
		}
		fmt.Fprintf(&b, "\n## %d. %s: %s (%s)\n\nTo: %s\nSubject: %s\n", n, m.name(), Line(m.Subject), Line(p.Message), Line(to), Line(subject))
		if m.Ref != "" {
			fmt.Fprintf(&b, "In-Reply-To: %s\n", Line(m.Ref))
		}
		fmt.Fprintf(&b, "\n%s\n", Paragraph(p.Draft))
	}
	if n == 0 {
		fmt.Fprintf(&b, "\n%s\n", d.word("none"))
	}
	return []byte(b.String())
}

// Todo is the file with what mails ask for, as a list to be ticked off.
func (d Document) Todo(s Source, a Analysis) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", d.word("todo"))
	for _, p := range a.Requests {
		fmt.Fprintf(&b, "- [ ] %s%s\n", Line(p.Text), d.said(s, p))
	}
	if len(a.Requests) == 0 {
		fmt.Fprintf(&b, "%s\n", d.word("none"))
	}
	return []byte(b.String())
}
