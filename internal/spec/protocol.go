package spec

import (
	"cmp"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

var (
	transitionRE = re.New("^`?([^`]+?)`?\\s*\\+\\s*`?([^`]+?)`?\\s*(?:→|⇒|-+>)\\s*`?([^`]+?)`?$")
	mermaidRE    = re.New(`^\s*(\S+)\s*-->\s*([^:]+?)\s*(?::\s*(.+))?$`)
	stageRE      = re.New("^`?([^`\\s(]+(?:\\([^)]*\\))?)`?\\s*(?:[-–—:]\\s*(.*))?$")
	triggerRE    = re.New("^(.+?)\\s*\\(\\s*`?([^`]+?)`?\\s*\\)$")
)

func (p *parser) parseProtocol() {
	p.groups = []group{{around: -1}}
	for _, sec := range p.parts("protocol") {
		p.group = 0
		p.protocolBlocks(p.own(sec), sec.key)
		for _, kid := range sec.kids {
			p.machines(kid, 0)
		}
	}
	p.joinMachines()
}

// machines reads a heading of the protocol and those in it; at is the machine around it. A heading that has
// a name of its own may be another machine; joinMachines knows when all is read.
func (p *parser) machines(sec *section, at int) {
	if !genericHeading(sec.key) {
		p.groups = append(p.groups, group{Machine: Machine{Name: plain(sec.title)}, around: at})
		at = len(p.groups) - 1
	}
	p.group = at
	p.protocolBlocks(p.own(sec), sec.key)
	for _, kid := range sec.kids {
		p.machines(kid, at)
	}
}

// group is what may be a machine, and in which other one it stands.
type group struct {
	Machine

	around int
}

// genericHeading reports whether a heading says what stands below it, and not of which machine.
func genericHeading(key string) bool {
	switch key {
	case "state machine", "state machines", "상태 머신", "상태 기계", "states", "state", "상태", "transitions", "transition", "상태 전이", "전이":
		return true
	}
	return lifecycleKey(key)
}

// joinMachines tells the machines from headings that only group the transitions of one: those have no states of their
// own, and speak of its.
func (p *parser) joinMachines() {
	of := map[string]*group{} // by state, the first that has it
	for i := range p.groups {
		for _, s := range p.groups[i].States {
			of[s.Text] = cmp.Or(of[s.Text], &p.groups[i])
		}
	}
	machine := func(g *group) *group {
		for at := g.around; at > 0; at = p.groups[at].around {
			if len(p.groups[at].States) > 0 {
				return &p.groups[at]
			}
		}
		for _, t := range g.Transitions {
			if to := cmp.Or(of[t.From], of[t.To]); to != nil {
				return to
			}
		}
		return g
	}
	for i := range p.groups {
		if g := &p.groups[i]; len(g.States) == 0 {
			if to := machine(g); to != g {
				to.Transitions, g.Transitions = append(to.Transitions, g.Transitions...), nil
			}
		}
	}
	var list []Machine
	for i := range p.groups {
		if g := &p.groups[i]; len(g.States)+len(g.Transitions) > 0 {
			list = append(list, g.Machine)
		}
	}
	if len(list) > 1 {
		p.doc.Protocol.Machines = list
	}
}

// protocolBlocks reads states, transitions and the lifecycle; mode is what the last label or the
// heading announced.
func (p *parser) protocolBlocks(bs []*block, mode string) {
	for _, b := range bs {
		switch b.kind {
		case blockTable:
			p.transitionTable(b, mode)
			continue
		case blockCode:
			p.mermaid(b)
			continue
		case blockItem, blockPara:
		}
		if label, value, ok := protocolLabel(b.text); ok {
			mode = label
			if hasAny(label, "state", "상태") {
				p.states(value, b.line)
			}
			p.protocolBlocks(b.kids, mode)
			continue
		}
		if t, ok := transition(b.text); ok {
			t.Line = b.line
			p.transition(t)
			continue
		}
		switch {
		case isNone(b.text):
		case lifecycleKey(mode) || b.num > 0:
			p.stage(b)
		case b.kind == blockItem && (mode == "states" || mode == "state" || mode == "상태"):
			name := b.text
			if code, _, ok := codeSpan(b.text); ok {
				name = code
			} else if head, _, ok := strings.Cut(b.text, ":"); ok {
				name = head
			}
			name, _ = splitProse(name)
			p.states(name, b.line)
		case b.kind == blockItem && strings.Contains(mode, "transition"):
			p.warn(b, "this transition cannot be read: "+clip(b.text), "write it as `State` + `trigger()` → `Next`")
		}
	}
}

func lifecycleKey(mode string) bool {
	return hasAny(mode, "lifecycle", "life cycle", "생명주기")
}

// protocolLabel reads `States: …`, `Transitions:`, `Lifecycle:`.
func protocolLabel(s string) (string, string, bool) {
	label, value, ok := labelled(s)
	if !ok {
		return "", "", false
	}
	label = strings.ToLower(plain(label))
	switch label {
	case "states", "state", "상태", "transitions", "transition", "전이", "lifecycle", "생명주기":
		if label == "전이" {
			label = "transitions"
		}
		return label, value, true
	}
	return "", "", false
}

// states adds the names of a `A | B` list.
func (p *parser) states(s string, line int) {
	sep := "|"
	if !strings.Contains(s, "|") {
		sep = ","
	}
	for part := range strings.SplitSeq(s, sep) {
		if part = plain(part); part == "" || isNone(part) {
			continue
		}
		for _, list := range []*[]Clause{&p.doc.Protocol.States, &p.groups[p.group].States} {
			if !hasClause(*list, part) {
				*list = append(*list, Clause{Text: part, Line: line})
			}
		}
	}
}

func (p *parser) transition(t Transition) {
	p.doc.Protocol.Transitions = append(p.doc.Protocol.Transitions, t)
	p.groups[p.group].Transitions = append(p.groups[p.group].Transitions, t)
}

// transition reads "`A` + `load()` → `B`" and "A → B (load())".
func transition(s string) (Transition, bool) {
	s = strings.TrimSpace(s)
	if m := transitionRE().FindStringSubmatch(s); m != nil {
		return Transition{From: plain(m[1]), Trigger: plain(m[2]), To: plain(m[3])}, true
	}
	from, to, ok := arrow(s)
	if !ok {
		return Transition{}, false
	}
	m := triggerRE().FindStringSubmatch(to)
	if m == nil {
		return Transition{}, false
	}
	return Transition{From: plain(from), Trigger: plain(m[2]), To: plain(m[1])}, true
}

func (p *parser) transitionTable(b *block, mode string) {
	head := b.rows[0]
	from := head.column("from", "current", "현재", "state", "상태")
	to := head.column("to", "next", "다음")
	trigger := head.column("trigger", "event", "이벤트", "트리거", "action", "method")
	if method := head.column("method", "메서드", "함수"); to < 0 && method >= 0 && (head.column("order", "step", "순서", "단계") >= 0 || lifecycleKey(mode)) {
		p.stageTable(b, method)
		return
	}
	if to < 0 || from < 0 || from == to {
		if from >= 0 {
			for _, row := range b.rows[1:] {
				p.states(row.cell(from), row.line)
			}
		}
		return
	}
	for _, row := range b.rows[1:] {
		t := Transition{From: plain(row.cell(from)), Trigger: plain(row.cell(trigger)), To: plain(row.cell(to)), Line: row.line}
		if t.From != "" && t.To != "" {
			p.transition(t)
		}
	}
}

// stageTable reads the lifecycle from a table, in the order of its rows.
func (p *parser) stageTable(b *block, method int) {
	desc := b.rows[0].column("description", "설명", "purpose", "action")
	for _, row := range b.rows[1:] {
		name := strings.TrimSuffix(codeOf(row.cell(method)), "()")
		if name == "" || isNone(name) {
			continue
		}
		p.doc.Protocol.Lifecycle = append(p.doc.Protocol.Lifecycle, Stage{
			Order: len(p.doc.Protocol.Lifecycle) + 1, Method: name, Description: squeeze(row.cell(desc)), Line: row.line,
		})
	}
}

// mermaid reads the transitions of a state diagram.
func (p *parser) mermaid(b *block) {
	for i, l := range b.code {
		m := mermaidRE().FindStringSubmatch(l)
		if m == nil || m[1] == "[*]" || m[2] == "[*]" || m[3] == "" {
			continue
		}
		p.transition(Transition{From: m[1], Trigger: strings.TrimSpace(m[3]), To: m[2], Line: b.line + 1 + i})
	}
}

func (p *parser) stage(b *block) {
	text := b.text
	if bold, rest, ok := boldName(text); ok {
		text = bold + rest
	}
	m := stageRE().FindStringSubmatch(text)
	if m == nil || b.kind != blockItem {
		return
	}
	p.doc.Protocol.Lifecycle = append(p.doc.Protocol.Lifecycle, Stage{
		Order: cmp.Or(b.num, len(p.doc.Protocol.Lifecycle)+1), Method: strings.TrimSuffix(m[1], "()"), Description: squeeze(m[2]), Line: b.line,
	})
}
