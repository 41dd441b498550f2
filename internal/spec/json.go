package spec

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

type jsonExport struct {
	Name        string    `json:"name"`
	Signature   string    `json:"signature,omitempty"`
	IsAsync     *bool     `json:"is_async,omitempty"`
	Definition  string    `json:"definition,omitempty"`
	Kind        string    `json:"kind,omitempty"`
	Constructor string    `json:"constructor_signature,omitempty"`
	Variants    *[]string `json:"variants,omitempty"`
	Value       string    `json:"value,omitempty"`
	Description string    `json:"description,omitempty"`
	Anchor      string    `json:"anchor"`
}

type jsonExports struct {
	Functions []jsonExport `json:"functions"`
	Types     []jsonExport `json:"types"`
	Classes   []jsonExport `json:"classes"`
	Enums     []jsonExport `json:"enums"`
	Variables []jsonExport `json:"variables"`
}

type jsonInternal struct {
	Path          string   `json:"path"`
	Symbols       []string `json:"symbols,omitempty"`
	IsClaudeMdRef bool     `json:"is_claude_md_ref"`
}

type jsonDependencies struct {
	External []string       `json:"external"`
	Internal []jsonInternal `json:"internal"`
}

type jsonContract struct {
	FunctionName   string   `json:"function_name"`
	Preconditions  []string `json:"preconditions"`
	Postconditions []string `json:"postconditions"`
	Throws         []string `json:"throws"`
	Invariants     []string `json:"invariants"`
}

type jsonProtocol struct {
	States      []string      `json:"states"`
	Transitions []Transition  `json:"transitions"`
	Machines    []jsonMachine `json:"machines,omitempty"`
	Lifecycle   []Stage       `json:"lifecycle"`
}

type jsonMachine struct {
	Name        string       `json:"name"`
	States      []string     `json:"states"`
	Transitions []Transition `json:"transitions"`
}

type jsonContext struct {
	DecisionRationale []string `json:"decision_rationale"`
	Constraints       []string `json:"constraints"`
	Compatibility     []string `json:"compatibility"`
}

type jsonEntry struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

type jsonStructure struct {
	Subdirs []jsonEntry `json:"subdirs"`
	Files   []jsonEntry `json:"files"`
}

type jsonUseCase struct {
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	Actor     string     `json:"actor,omitempty"`
	Behaviors []Behavior `json:"behaviors,omitempty"`
	Includes  []string   `json:"includes,omitempty"`
	Extends   []string   `json:"extends,omitempty"`
}

type jsonSpec struct {
	Name          string           `json:"name"`
	Purpose       string           `json:"purpose"`
	SchemaVersion string           `json:"schema_version,omitempty"`
	Summary       string           `json:"summary,omitempty"`
	Exports       jsonExports      `json:"exports"`
	Dependencies  jsonDependencies `json:"dependencies"`
	Behaviors     []Behavior       `json:"behaviors"`
	Contracts     []jsonContract   `json:"contracts"`
	Protocol      *jsonProtocol    `json:"protocol,omitempty"`
	DomainContext *jsonContext     `json:"domain_context,omitempty"`
	Structure     *jsonStructure   `json:"structure,omitempty"`
	Actors        []Actor          `json:"actors,omitempty"`
	UseCases      []jsonUseCase    `json:"use_cases,omitempty"`
	Warnings      []string         `json:"warnings,omitempty"`
}

// JSON renders the document as the spec JSON that tools of the first schema read, with the fields
// of the second schema added where the document has it, and what is to be said of it. It ends without a line feed.
func (d *Document) JSON(warnings ...string) []byte {
	out := jsonSpec{Warnings: warnings, Name: d.Name, Purpose: d.Purpose, Summary: d.Summary, Behaviors: append([]Behavior{}, d.Behaviors...), Contracts: []jsonContract{}, Actors: d.Actors}
	if d.Version != "1.0" {
		out.SchemaVersion = d.Version
	}
	out.Exports = d.jsonExports()
	out.Dependencies = jsonDependencies{External: []string{}, Internal: []jsonInternal{}}
	for _, e := range d.Dependencies.External {
		name := e.reference()
		if len(e.Symbols) > 0 {
			name += ": " + strings.Join(e.Symbols, ", ")
		}
		out.Dependencies.External = append(out.Dependencies.External, name)
	}
	for _, i := range d.Dependencies.Internal {
		out.Dependencies.Internal = append(out.Dependencies.Internal, jsonInternal{i.File(), i.Symbols, i.IsSpec})
	}
	for _, c := range d.Contracts {
		out.Contracts = append(out.Contracts, jsonContract{
			c.Function, clauseTexts(c.Preconditions), clauseTexts(c.Postconditions), clauseTexts(c.Throws), clauseTexts(c.Invariants),
		})
	}
	d.jsonRest(&out)
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // signatures are full of "<" and "->"
	enc.SetIndent("", "  ")
	if err := enc.Encode(out); err != nil {
		panic("spec: marshal plain data: " + err.Error())
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

func (d *Document) jsonExports() jsonExports {
	x := jsonExports{[]jsonExport{}, []jsonExport{}, []jsonExport{}, []jsonExport{}, []jsonExport{}}
	for i := range d.Exports {
		e := &d.Exports[i]
		j := jsonExport{Name: e.Name, Description: e.Description, Anchor: e.Name}
		switch e.Kind {
		case Function:
			j.Signature, j.IsAsync = e.Signature, &e.Async
			x.Functions = append(x.Functions, j)
		case Type:
			j.Definition, j.Kind = e.Signature, e.form()
			x.Types = append(x.Types, j)
		case Class:
			j.Constructor = e.Signature
			x.Classes = append(x.Classes, j)
		case Enum:
			j.Variants = new(append([]string{}, e.Variants...))
			x.Enums = append(x.Enums, j)
		case Variable:
			j.Value = e.Value
			x.Variables = append(x.Variables, j)
		}
	}
	return x
}

// form is what kind of type an export is, by its heading, else by its declaration.
func (e *Export) form() string {
	switch head, _, braces := strings.Cut(e.Signature, "{"); {
	case e.Form != "":
		return e.Form
	case strings.HasPrefix(head, "data class "):
		return "data_class"
	case strings.HasPrefix(head, "record "):
		return "record"
	case strings.HasPrefix(head, "type ") || strings.Contains(head, "=") || !braces:
		return "type_alias"
	}
	return "interface"
}

func (d *Document) jsonRest(out *jsonSpec) {
	if p := &d.Protocol; len(p.States)+len(p.Transitions)+len(p.Lifecycle) > 0 {
		out.Protocol = &jsonProtocol{States: clauseTexts(p.States), Transitions: append([]Transition{}, p.Transitions...), Lifecycle: append([]Stage{}, p.Lifecycle...)}
		for _, m := range p.Machines {
			out.Protocol.Machines = append(out.Protocol.Machines, jsonMachine{m.Name, clauseTexts(m.States), append([]Transition{}, m.Transitions...)})
		}
	}
	if c := &d.Context; len(c.Rationale)+len(c.Constraints)+len(c.Compatibility) > 0 {
		out.DomainContext = &jsonContext{clauseTexts(c.Rationale), clauseTexts(c.Constraints), clauseTexts(c.Compatibility)}
	}
	if len(d.Structure) > 0 {
		out.Structure = &jsonStructure{Subdirs: []jsonEntry{}, Files: []jsonEntry{}}
		for _, s := range d.Structure {
			if dir, ok := strings.CutSuffix(s.Path, "/"); ok {
				out.Structure.Subdirs = append(out.Structure.Subdirs, jsonEntry{dir, s.Description})
			} else {
				out.Structure.Files = append(out.Structure.Files, jsonEntry{s.Path, s.Description})
			}
		}
	}
	for _, u := range d.UseCases {
		behaviors := slices.DeleteFunc(slices.Clone(d.Behaviors), func(b Behavior) bool { return b.UseCase != u.ID })
		out.UseCases = append(out.UseCases, jsonUseCase{u.ID, u.Name, u.Actor, behaviors, u.Includes, u.Extends})
	}
}

func clauseTexts(cs []Clause) []string {
	out := make([]string, 0, len(cs))
	for _, c := range cs {
		out = append(out, c.Text)
	}
	return out
}
