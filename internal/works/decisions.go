package works

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/spec"
)

// Decisions is a DECISIONS.md: what somebody had to choose. A WORK with one that is PENDING is not
// complete.
type Decisions struct {
	Work     string // WORK-01
	Language string // of the headings: en, ko or ja
	List     []Decision
}

// Decision is one of them.
type Decision struct {
	ID         string // D-01
	At         time.Time
	Stage      string // specifier, planner, builder, verifier or commit
	Status     Status // PENDING or RESOLVED
	Background string
	Options    []string
	Advice     string
	Chosen     string
	By         string // who decided: user, auto, or rejection by the user
}

// decisionKeys are the fields of a decision by language.
var (
	decidedAt    = []string{"Time", "시각", "日時"}
	decidedStage = []string{"Stage", "단계", "段階"}
	decisionIs   = []string{"Status", "상태", "状態"}
	byUser       = []string{"user approval", "user 승인", "user 承認"}
	byRejection  = []string{"user rejection", "user 반려", "user 却下"}
	waiting      = []string{"(waiting)", "(대기 중)", "(待機中)"}
)

// Format writes the document.
func (d *Decisions) Format() []byte {
	var w writer
	w.title("DECISIONS — " + inline(d.Work))
	for _, x := range d.List {
		w.b.WriteByte('\n')
		w.line("## " + inline(x.ID))
		w.b.WriteByte('\n')
		w.meta(in(d.Language, decidedAt), when(x.At.UTC(), time.RFC3339))
		w.meta(in(d.Language, decidedStage), x.Stage)
		w.meta(in(d.Language, decisionIs), string(x.Status))
		w.sub(d.Language, "Background")
		w.text(x.Background)
		w.sub(d.Language, "Options")
		for i, o := range x.Options {
			w.line(strconv.Itoa(i+1) + ". " + inline(o))
		}
		w.none(len(x.Options) == 0)
		w.sub(d.Language, "Recommendation")
		w.text(x.Advice)
		w.sub(d.Language, "Decision")
		if block(x.Chosen) == "" {
			w.line(in(d.Language, waiting))
		} else {
			w.text(x.Chosen)
		}
		w.sub(d.Language, "Decided by")
		by := inline(x.By)
		switch by {
		case "user":
			by = in(d.Language, byUser)
		case "rejection":
			by = in(d.Language, byRejection)
		}
		w.text(by)
	}
	return w.bytes()
}

// sub starts a section of level 3.
func (w *writer) sub(language, title string) {
	w.b.WriteByte('\n')
	w.line("### " + heading(language, title))
}

var decisionRE = re.New(`^(D-\d{1,6})\b`)

// ParseDecisions reads a DECISIONS.md. The document is never nil.
func ParseDecisions(path string, src []byte) (*Decisions, []spec.Problem) {
	p := newPage(path, src)
	title, _, rest := p.document()
	d := &Decisions{Work: workID(title.title)}
	var all []section
	for _, s := range rest {
		m := decisionRE().FindStringSubmatch(s.title)
		if m == nil {
			continue
		}
		head, subs := split(s.body, 3)
		all = append(all, subs...)
		x := Decision{ID: m[1], Status: Pending}
		for _, f := range meta(head.body) {
			switch {
			case isOne(f.key, decidedAt):
				x.At = p.time(f, time.RFC3339)
			case isOne(f.key, decidedStage):
				x.Stage = f.value
			case isOne(f.key, decisionIs):
				x.Status = p.status(f, Pending)
			}
		}
		for _, sub := range subs {
			x.read(sub)
		}
		if x.Status == Pending {
			p.warn(s.no, x.ID+" is not decided", "a WORK is not complete before every decision is RESOLVED")
		}
		d.List = append(d.List, x)
	}
	d.Language = spoken(all)
	return d, p.problems()
}

// read takes in a part of a decision.
func (x *Decision) read(s section) {
	switch name, _ := known(s.title); name {
	case "Background":
		x.Background = prose(s.body)
	case "Options":
		for _, it := range listed(s.body) {
			if text := it.oneLine(); text != "" {
				x.Options = append(x.Options, text)
			}
		}
	case "Recommendation":
		x.Advice = prose(s.body)
	case "Decision":
		if x.Chosen = prose(s.body); isOne(strings.ToLower(x.Chosen), waiting) {
			x.Chosen = ""
		}
	case "Decided by":
		if x.By = inline(prose(s.body)); isOne(strings.ToLower(x.By), byUser) {
			x.By = "user"
		}
	}
}

// isOne reports whether a word in lower case is a form of another in some language.
func isOne(word string, forms []string) bool {
	return slices.ContainsFunc(forms, func(f string) bool { return strings.ToLower(f) == word })
}
