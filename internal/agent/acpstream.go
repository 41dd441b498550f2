package agent

import (
	"bytes"
	"encoding/base32"
	"encoding/json"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/submit"
)

// acpLine is a line of a log that is ours: what we sent, the answers that came by
// their own way, what was not permitted, and how it ended. All other lines are
// messages of the agent.
type acpLine struct {
	Jacquard string          `json:"jacquard"` // sent, begin, denied, answer, noise, end
	Session  string          `json:"session,omitempty"`
	Message  json.RawMessage `json:"message,omitempty"`
	Answer   json.RawMessage `json:"answer,omitempty"`
	Misfit   string          `json:"misfit,omitempty"`
	Tool     string          `json:"tool,omitempty"`
	ID       string          `json:"id,omitempty"`
	Input    json.RawMessage `json:"input,omitempty"`
	Class    Class           `json:"class,omitempty"`
	Until    time.Time       `json:"until,omitzero"`
	Lost     bool            `json:"lost,omitempty"`
	Text     string          `json:"text,omitempty"`
}

// ourLine is a line for the log.
func ourLine(l acpLine) []byte {
	data, err := json.Marshal(l)
	if err != nil {
		data, _ = json.Marshal(acpLine{Jacquard: "noise", Text: err.Error()}) // only a message that is no JSON
	}
	return data
}

// fromProgram returns a line of the program as the log takes it: what is no message
// of the protocol must not look like one of ours.
func fromProgram(line []byte) (kept []byte, message bool) {
	var m struct {
		Version  string `json:"jsonrpc"`
		Jacquard any    `json:"jacquard"`
		Type     any    `json:"type"`
	}
	if json.Unmarshal(line, &m) == nil && m.Version == "2.0" && m.Jacquard == nil && m.Type == nil {
		return line, true
	}
	return ourLine(acpLine{Jacquard: "noise", Text: shorten(string(bytes.ToValidUTF8(line, nil)), maxMessage)}), false
}

// acpReader reads the lines of a conversation.
type acpReader struct {
	header  header
	begun   bool
	kind    Kind            // of the words that still come
	message string          // that they are of
	words   strings.Builder // what there is of them
	text    string          // the last words
	tools   map[string]*acpTool
	order   []string // ids of tools
	turns   int
	denials []Denial
	answer  json.RawMessage
	misfit  string
	tries   int
	end     *acpLine
}

type acpTool struct {
	name     string
	input    json.RawMessage
	started  bool
	finished bool
}

func newACPReader(h header) *acpReader { return &acpReader{header: h, tools: map[string]*acpTool{}} }

// acpUpdate holds what is read of a session's updates. What is not known is ignored.
type acpUpdate struct {
	Method string `json:"method"`
	Params struct {
		Update struct {
			Kind      string          `json:"sessionUpdate"`
			MessageID string          `json:"messageId"`
			Content   json.RawMessage `json:"content"`
			ToolID    string          `json:"toolCallId"`
			ToolKind  string          `json:"kind"`
			Status    string          `json:"status"`
			Input     json.RawMessage `json:"rawInput"`
		} `json:"update"`
	} `json:"params"`
}

func (r *acpReader) line(line []byte, on func(Event)) bool {
	if bytes.HasPrefix(line, []byte(`{"jacquard":`)) {
		return r.ours(line, on)
	}
	var l acpUpdate
	if json.Unmarshal(line, &l) != nil || l.Method != "session/update" || !r.begun {
		return false // before the session has begun, an older one is told again
	}
	switch u := l.Params.Update; u.Kind {
	case "agent_message_chunk":
		r.say(Text, u.MessageID, textOf(u.Content), on)
	case "agent_thought_chunk":
		r.say(Thinking, u.MessageID, textOf(u.Content), on)
	case "tool_call", "tool_call_update":
		r.said(on)
		r.tool(l, on)
	}
	return false
}

// ours takes a line that the driver wrote.
func (r *acpReader) ours(line []byte, on func(Event)) bool {
	var l acpLine
	if json.Unmarshal(line, &l) != nil {
		return false
	}
	switch l.Jacquard {
	case "begin":
		r.begun, r.header.Session = true, l.Session
		on(Event{Kind: Started, Session: l.Session})
	case "denied":
		r.denials = append(r.denials, Denial{Tool: l.Tool, Input: l.Input})
		on(Event{Kind: Permission, Tool: l.Tool, ID: l.ID, Text: shorten(l.Text, maxEventText)})
	case "answer":
		if l.Misfit != "" {
			r.misfit = l.Misfit
			r.tries++
		} else {
			r.answer = l.Answer
		}
	case "end":
		r.said(on)
		for _, id := range r.order { // what was left running ends with the turn
			if tool := r.tools[id]; tool.started && !tool.finished {
				tool.finished = true
				on(Event{Kind: ToolEnd, Tool: tool.name, ID: id})
			}
		}
		r.end = &l
		return true
	}
	return false
}

// say takes a piece of a message.
func (r *acpReader) say(kind Kind, message, piece string, on func(Event)) {
	if r.kind != kind || message != r.message {
		r.said(on)
	}
	r.kind, r.message = kind, message
	r.words.WriteString(piece)
}

// said ends the message whose pieces came.
func (r *acpReader) said(on func(Event)) {
	text, kind := r.words.String(), r.kind
	r.words.Reset()
	r.kind = ""
	if kind == "" || text == "" {
		return
	}
	if kind == Text {
		r.turns++
		r.text = text
	}
	on(Event{Kind: kind, Text: shorten(text, maxEventText)})
}

// tool takes news of a tool. Its start is shown when its input is known.
func (r *acpReader) tool(l acpUpdate, on func(Event)) {
	u := l.Params.Update
	tool := r.tools[u.ToolID]
	if tool == nil {
		tool = &acpTool{}
		r.tools[u.ToolID] = tool
		r.order = append(r.order, u.ToolID)
	}
	if tool.name == "" {
		tool.name = u.ToolKind
	}
	if len(u.Input) > len("{}") {
		tool.input = u.Input
	}
	over := u.Status == "completed" || u.Status == "failed"
	if !tool.started && (over || u.Status == "in_progress") {
		tool.started = true
		r.turns++
		on(Event{Kind: ToolStart, Tool: tool.name, ID: u.ToolID, Input: tool.input})
	}
	if over && !tool.finished {
		tool.finished = true
		on(Event{Kind: ToolEnd, Tool: tool.name, ID: u.ToolID, Failed: u.Status == "failed", Text: shorten(textOf(u.Content), maxEventText)})
	}
}

// textOf returns the text of a content block, or of a tool's list of them.
func textOf(content json.RawMessage) string {
	type block struct {
		Text    string `json:"text"`
		Content struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	var one block
	if json.Unmarshal(content, &one) == nil {
		return one.Text
	}
	var list []block
	if json.Unmarshal(content, &list) != nil {
		return ""
	}
	var parts []string
	for _, b := range list {
		if text := b.Text + b.Content.Text; text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n")
}

func (r *acpReader) outcome() (Outcome, bool) {
	out := Outcome{Class: Crashed, Session: r.header.Session, Text: r.text, Turns: r.turns, Denials: r.denials}
	if r.end == nil {
		return out, false
	}
	out.Class, out.Message, out.lostSession = r.end.Class, r.end.Text, r.end.Lost
	out.ResetsAt = r.end.Until
	if out.Class == OK && r.header.Schema {
		r.judge(&out)
	}
	return out, true
}

// judge looks for the answer: what was handed in, else a JSON object in the last words.
func (r *acpReader) judge(out *Outcome) {
	if len(r.answer) > 0 {
		out.Answer = r.answer
		return
	}
	out.Class, out.unanswered = Schema, r.turns > 0 && r.tries < submit.MaxTries
	answer, why := fromText(r.header.Form, r.text)
	switch {
	case answer != nil:
		out.Class, out.Answer, out.unanswered = OK, answer, false
	case r.tries > 0:
		out.Message = "the answer did not fit its schema: " + r.misfit
	case why != "":
		out.Message = "the answer did not fit its schema: " + why
	case len(r.denials) > 0:
		out.Class, out.Message = Denied, deniedTools(r.denials)
	default:
		out.Message = noAnswer
	}
}

// fromText finds the last JSON object in a text: the whole, or its last fenced block.
// why says what is wrong with it.
func fromText(schema json.RawMessage, text string) (answer json.RawMessage, why string) {
	text = strings.TrimSpace(text)
	if before, ok := strings.CutSuffix(text, "```"); ok {
		if at := strings.LastIndex(before, "```"); at >= 0 {
			text = strings.TrimSpace(strings.TrimPrefix(before[at+len("```"):], "json"))
		}
	}
	if !strings.HasPrefix(text, "{") || !json.Valid([]byte(text)) {
		return nil, ""
	}
	why, err := step.Misfit(schema, json.RawMessage(text))
	if err != nil {
		return nil, err.Error()
	}
	if why != "" {
		return nil, why
	}
	return json.RawMessage(text), ""
}

// answerOf finds what the gateway says in place of an answer that ends a turn.
var answerOf = re.New(`jacquard answer ([A-Z2-7]+)`)

// classifyWords says how a turn ended from what the agent passed on of an error, and
// when a limit ends.
func classifyWords(text string) (Class, string, time.Time) {
	var said struct {
		Status int       `json:"status"`
		Until  time.Time `json:"until"`
		Text   string    `json:"text"`
	}
	if m := answerOf().FindStringSubmatch(text); m != nil {
		data, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(m[1])
		if err == nil && json.Unmarshal(data, &said) == nil {
			text = said.Text
		}
	}
	if said.Status < 500 && strings.HasPrefix(text, refusalMark) {
		said.Status = 400 // the gateway's own refusal, whatever its form
	}
	class, message := classifyAnswer("the agent", said.Status, text, text)
	if class != Limit {
		said.Until = time.Time{}
	}
	return class, message, said.Until
}
