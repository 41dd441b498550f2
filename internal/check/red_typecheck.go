package check

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// maxTypeFindings bounds what the compiler says about one set of tests.
const maxTypeFindings = 20

// typeCheck checks the types of TypeScript tests against what the spec exports: a runner takes the types out without
// looking, and frozen tests that do not compile break the build for good. The module's files are replaced by declarations
// for the time of the check, so that neither missing nor older code counts.
func (r *red) typeCheck(ctx context.Context, proof *Proof) error {
	if r.m.Chain.Ecosystem != toolchain.Node || r.m.Chain.Language != toolchain.LangTypeScript || len(r.unread) > 0 {
		return nil
	}
	if len(r.m.Chain.TypeCheck(toolchain.Selection{})) == 0 {
		return nil
	}
	s := &stubber{p: r.p, m: r.m, before: map[string][]byte{}}
	list, err := r.declareAndCheck(ctx, s, proof)
	if e := s.undo(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	found := 0
	for _, x := range list {
		missing := tsMissing().FindStringSubmatch(x.text) // what the spec exports in a form that could not be declared is no mistake
		if !r.m.ownTest(x.file) || aboutTypings(x.text) || missing != nil && r.promised(missing[1]) {
			continue
		}
		if found++; found > maxTypeFindings {
			break
		}
		proof.Findings = append(proof.Findings, reject("test-types", x.file, x.line, "The test does not compile: "+x.full))
	}
	return nil
}

// declareAndCheck runs the type checker on declarations of the exports. Those that are no TypeScript are replaced by ones
// that say nothing.
func (r *red) declareAndCheck(ctx context.Context, s *stubber, proof *Proof) ([]complaint, error) {
	vague := map[string]bool{}
	var list []complaint
	const most = 4
	for range most {
		lines, err := s.declareTypes(r.files, vague)
		if err != nil {
			return nil, err
		}
		var records []step.Record
		if list, records, err = r.p.complaints(ctx, nil); err != nil {
			return nil, err
		}
		for i := range records {
			records[i].Name = "types"
		}
		proof.Records = append(proof.Records, records...)
		again := false
		for _, x := range list {
			if name := lines[x.file][x.line]; name != "" && syntaxError().MatchString(x.text) && !vague[name] {
				vague[name], again = true, true
			}
		}
		if !again {
			break
		}
	}
	return list, nil
}

var syntaxError = re.New(`^error TS1\d\d\d:`)

// declareTypes writes declarations of the spec's exports into the files of the module that tests import, and tells which export
// is on which line.
func (s *stubber) declareTypes(tests []string, vague map[string]bool) (map[string]map[int]string, error) {
	lines := map[string]map[int]string{}
	for _, t := range tests {
		for _, imp := range source.Parse(t, s.p.read(t)).Imports {
			file, exists, ok := s.target(t, imp.From)
			if !ok || lines[file] != nil || !strings.HasSuffix(file, "ts") && !strings.HasSuffix(file, "tsx") {
				continue
			}
			have := map[string]string{}
			if exists {
				text := s.before[file]
				if text == nil {
					text = s.p.read(file)
				}
				for _, e := range source.Parse(file, text).Exports {
					if e.Owner == "" {
						have[e.Name] = e.Kind
					}
				}
			}
			if _, all := have["*"]; all {
				continue // what it re-exports cannot be told
			}
			text, at := s.declarations(have, imp.Names, exists, vague)
			lines[file] = at
			if err := s.put(file, []byte(text)); err != nil {
				return nil, err
			}
		}
	}
	return lines, nil
}

func (s *stubber) declarations(have map[string]string, wanted []string, exists bool, vague map[string]bool) (string, map[int]string) {
	var b strings.Builder
	at := map[int]string{}
	done := map[string]bool{}
	add := func(name, text string) {
		done[name] = true
		at[strings.Count(b.String(), "\n")+1] = name
		b.WriteString(strings.Join(strings.Fields(text), " ") + "\n")
	}
	for _, e := range s.m.Exports {
		sym := symbol(e)
		_, there := have[sym.Name]
		if sym.Owner != "" || exists && !there && !slices.Contains(wanted, sym.Name) {
			continue
		}
		text := ""
		if !vague[sym.Name] {
			text = toolchain.Declaration(sym, s.members(sym.Name))
		}
		if text == "" {
			text = toolchain.VagueDeclaration(sym.Name)
		}
		add(sym.Name, text)
	}
	for _, name := range slices.Sorted(maps.Keys(have)) {
		switch {
		case done[name]:
		case name == "default":
			add(name, "declare const anything: any; export default anything;")
		default:
			add(name, toolchain.VagueDeclaration(name))
		}
	}
	b.WriteString("export {};\n")
	return b.String(), at
}

// members are the methods and fields that the spec lists by themselves for a type.
func (s *stubber) members(owner string) []toolchain.Symbol {
	return each(those(s.m.Exports, func(e step.Export) bool { return symbol(e).Owner == owner }), func(e step.Export) toolchain.Symbol {
		sym := symbol(e)
		sym.Kind = strings.ToLower(e.Kind)
		return sym
	})
}

// typings are complaints about missing type packages of a runner or of Node, which a project without them has everywhere,
// and about type arguments of what is declared as anything.
var typings = re.New(`TS(?:2580|2581|2582|2584|2591|2592|2593|7016|2315|2347)\b|TS2307: Cannot find module '[^.]`)

func aboutTypings(text string) bool { return typings().MatchString(text) }

var tsMissing = re.New(`TS(?:2304|2305|2339|2459|2503|2551|2552|2614|2694|2724): .*?(?:[Nn]ame|member(?: named)?|Property|namespace|declares|exported) '([\pL\w$]+)'`)
