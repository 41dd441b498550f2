package inspect_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/inspect"
	"github.com/jacquard-build/jacquard/internal/spec"
)

const store = `# store

## Purpose

(To be described: what this module is for.)

## Exports

### Functions

- ` + "`Open(path: string): Store`" + `
- ` + "`Close(): void`" + `

## Behavior

### Success

- Open("a") → a store

### Error

- Open("") → ErrPath

## Contract

### Open

- **Preconditions**:
  - path is not empty
- **Throws**:
  - ErrPath

### Close

- **Preconditions**:
  - it is open

## Protocol

### State Machine

States: ` + "`New` | `Open`" + `

Transitions:

- ` + "`New` + `open()` → `Open`" + `

## Domain Context

### Decision Rationale

- Files are small.

### Compatibility

- Version 1 is read.
`

func specify(t *testing.T, answer, within string, files map[string]string) (map[string]string, []spec.Problem) {
	t.Helper()
	var s inspect.Specification
	if err := json.Unmarshal([]byte(answer), &s); err != nil {
		t.Fatal(err)
	}
	var list []string
	for f := range files {
		list = append(list, f)
	}
	p := inspect.New("/p", list, func(f string) []byte {
		if text, ok := files[f]; ok {
			return []byte(text)
		}
		return nil
	})
	docs, wrong := p.Specify(s, within, nil)
	out := map[string]string{}
	for _, d := range docs {
		out[d.Path] = string(d.Text)
	}
	return out, wrong
}

// TestSpecificationsAreMerged: what is said anew takes the place of what was said of it, everything else stays.
func TestSpecificationsAreMerged(t *testing.T) {
	t.Parallel()
	out, wrong := specify(t, `{"modules": [{"dir": "store", "purpose": "Keeps files.",
		"exports": [{"kind": "function", "signature": "func Open(path: string, mode: Mode): Store"}, {"kind": "constant", "signature": "MAX_FILES = 40", "description": "the most"}, {"kind": "enum", "signature": "Mode: Read | Write"}],
		"remove": ["Close"],
		"behaviors": [{"input": "\u0060Open(\"a\")\u0060", "output": "a store", "category": "success"}, {"input": "Open(\"\")", "output": "a store in memory", "category": "success"}, {"input": "Open(\"b\")", "output": "404", "category": "error"}, {"input": "Open(\"c\nd\")", "output": "a store", "category": "success"}],
		"contracts": [{"function": "Open", "postconditions": ["the store is open"]}],
		"states": ["Closed"], "transitions": [{"from": "Open", "trigger": "close(force)", "to": "Closed"}],
		"decisions": ["Stores in memory need no path."], "constraints": ["MAX_FILES: 40 files"], "compatibility": ["Version 1 is read."]}]}`,
		"", map[string]string{"store/CLAUDE.md": store})
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	want := store
	for _, change := range [][2]string{
		{"(To be described: what this module is for.)", "Keeps files."},
		{"- `Open(path: string): Store`\n- `Close(): void`\n", "- `Open(path: string, mode: Mode): Store`\n\n### Variables\n\n- `MAX_FILES = 40`: the most\n\n### Enums\n\n- `Mode: Read | Write`\n"},
		{"- Open(\"a\") → a store\n", "- Open(\"a\") → a store\n- Open(\"\") → a store in memory\n- Open(\"c\\nd\") → a store\n"},
		{"- Open(\"\") → ErrPath\n", "- Open(\"b\") → 404\n"},
		{"- **Preconditions**:\n  - path is not empty\n- **Throws**:\n  - ErrPath\n\n### Close\n\n- **Preconditions**:\n  - it is open\n", "- **Postconditions**:\n  - the store is open\n"},
		{"`New` | `Open`", "`New` | `Open` | `Closed`"},
		{"- `New` + `open()` → `Open`\n", "- `New` + `open()` → `Open`\n- `Open` + `close()` → `Closed`\n"},
		{"- Files are small.\n", "- Files are small.\n- Stores in memory need no path.\n"},
		{"- Version 1 is read.\n", "- Version 1 is read.\n\n### Constraints\n\n- MAX_FILES: 40 files\n"},
	} {
		if !strings.Contains(want, change[0]) {
			t.Fatalf("no %q", change[0])
		}
		want = strings.Replace(want, change[0], change[1], 1)
	}
	if got := out["store/CLAUDE.md"]; got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if d, ps := spec.Parse("store/CLAUDE.md", []byte(out["store/CLAUDE.md"])); spec.HasErrors(ps) || len(d.Exports) != 3 || len(d.Behaviors) != 4 {
		t.Errorf("%v: %d exports, %d behaviours", ps, len(d.Exports), len(d.Behaviors))
	}
}

const counter = `# counter

## Purpose

Counts.

## Exports

### Functions

- ` + "`Count(text: string): int`" + `
- ` + "`Box.open(): bool`" + `
- ` + "`Lid.open(): bool`" + `: Says whether it is open.

### Variables

- ` + "`TRIES = 3`" + `
- ` + "`BASE = 10`" + `

## Dependencies

- internal:
  - ` + "`store/CLAUDE.md`" + `: Open
  - ` + "`lamp/CLAUDE.md`" + `

## Behavior

- Count("1") → 1
- ReCount("1") → 0
- Box.open() → true
- Lid.open() → false

## Contract

None

## Protocol

### State Machine

States: ` + "`Idle` | `Busy` | `Done`" + `

Transitions:

- ` + "`Idle` + `start()` → `Busy`" + `
- ` + "`Busy` + `stop()` → `Done`" + `

## Domain Context

### Constraints

- MAX: 3 tries
- TRIES: 3 tries
- Texts are short.
`

// TestSpecificationsTakeOut: what goes by name takes along what nobody can use any more, and values are compared as they are.
func TestSpecificationsTakeOut(t *testing.T) {
	t.Parallel()
	out, wrong := specify(t, `{"modules": [{"dir": "counter", "remove": ["Box.open", "Done", "Count(\"1\")", "TRIES", "lamp"], "dependencies": [{"module": "store", "symbols": ["Open", "Close"]}],
		"exports": [{"kind": "function", "signature": "Count(text: string, base: int): int", "description": "Counts in a base."}, {"kind": "function", "signature": "Lid.open(): bool", "description": "Opens."}],
		"behaviors": [{"input": "Count(\"-1\", 10)", "output": "a\tb\n"}, {"input": "Count(\"1\", 10)", "output": "1"}, {"input": "Count(\"A\", 10)", "output": "ErrText", "category": "error"}, {"input": "Count(\"a  b\", 10)", "output": "2"}],
		"constraints": ["MAX: 5 tries (measured)", "Texts are short."]}]}`, "", map[string]string{"counter/CLAUDE.md": counter, "store/CLAUDE.md": store, "lamp/CLAUDE.md": lamp})
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	want := counter
	for _, change := range [][2]string{
		{"- `Count(text: string): int`\n- `Box.open(): bool`\n", "- `Count(text: string, base: int): int`: Counts in a base.\n"},
		{": Says whether it is open.\n", ": Opens.\n"},
		{"- `TRIES = 3`\n", ""},
		{"CLAUDE.md`: Open\n  - `lamp/CLAUDE.md`\n", "CLAUDE.md`: Open, Close\n"},
		{"- TRIES: 3 tries\n", ""},
		{"- Count(\"1\") → 1\n- ReCount(\"1\") → 0\n- Box.open() → true\n- Lid.open() → false\n", "- ReCount(\"1\") → 0\n- Lid.open() → false\n- Count(\"-1\", 10) → a\\tb\\n\n- Count(\"1\", 10) → 1\n- Count(\"a  b\", 10) → 2\n\n### Error\n\n- Count(\"A\", 10) → ErrText\n"},
		{"`Busy` | `Done`", "`Busy`"},
		{"- `Busy` + `stop()` → `Done`\n", ""},
		{"- MAX: 3 tries\n", "- MAX: 5 tries (measured)\n"},
	} {
		if !strings.Contains(want, change[0]) {
			t.Fatalf("no %q", change[0])
		}
		want = strings.Replace(want, change[0], change[1], 1)
	}
	if got := out["counter/CLAUDE.md"]; got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// machines is a spec with two state machines that share a state.
var machines = strings.Replace(strings.ReplaceAll(shop, "shop", "desk"), "## Protocol\n\nNone", "## Protocol\n\n### State Machine\n\n#### Order\n\nStates: `Open` | `Paid`\n\nTransitions:\n\n- `Open` + `pay()` → `Paid`\n\n"+
	"#### Parcel\n\nStates: `Open` | `Packed` | `Sent`\n\nTransitions:\n\n- `Open` + `pack()` → `Packed`\n- `Packed` + `send()` → `Sent`\n\n### Lifecycle\n\n1. `init()` - begins", 1)

// TestMachinesAreMergedApart: what is new goes to the machine that has a state of it, and the other one stays as it was.
func TestMachinesAreMergedApart(t *testing.T) {
	t.Parallel()
	files := map[string]string{"desk/CLAUDE.md": strings.Replace(machines, "## Exports\n\nNone", "## Exports\n\n- `OrderState: Open | Paid`\n- `ParcelState: Open | Packed | Sent`", 1), "store/CLAUDE.md": store}
	out, wrong := specify(t, `{"modules": [{"dir": "desk", "states": ["Lost", "Found"], "remove": ["Paid"], "exports": [{"kind": "enum", "signature": "OrderState: Open | Refunded"}],
		"transitions": [{"from": "Lost", "trigger": "find", "to": "Found"}, {"from": "Sent", "trigger": "lose", "to": "Lost"}, {"from": "Open", "trigger": "open", "to": "Packed"}]}]}`, "", files)
	want := files["desk/CLAUDE.md"]
	for _, change := range [][2]string{
		{"`Open` | `Paid`\n\nTransitions:\n\n- `Open` + `pay()` → `Paid`\n", "`Open`\n"},
		{"`Packed` | `Sent`\n", "`Packed` | `Sent` | `Lost` | `Found`\n"},
		{"- `Packed` + `send()` → `Sent`\n", "- `Packed` + `send()` → `Sent`\n- `Sent` + `lose()` → `Lost`\n- `Open` + `open()` → `Packed`\n- `Lost` + `find()` → `Found`\n"},
		{"OrderState: Open | Paid", "OrderState: Open | Refunded"},
	} {
		want = strings.Replace(want, change[0], change[1], 1)
	}
	if spec.HasErrors(wrong) || out["desk/CLAUDE.md"] != want {
		t.Errorf("%v\n%s\nwant:\n%s", wrong, out["desk/CLAUDE.md"], want)
	}
	_, wrong = specify(t, `{"modules": [{"dir": "desk", "states": ["Lost"], "transitions": [{"from": "Sent", "trigger": "lose", "to": "Lost"}]}]}`, "", files)
	if len(wrong) != 1 || wrong[0].Text != "ParcelState lists the states, but not Lost" {
		t.Errorf("left behind: %v", wrong)
	}
	for answer, want := range map[string]string{
		`"states": ["Gone"]`: "the state Gone belongs to none of the machines Order, Parcel",
		`"states": ["Gone"], "transitions": [{"from": "Open", "trigger": "open", "to": "Packed"}, {"from": "Open", "trigger": "go", "to": "Gone"}]`: "the transition Open + go → Gone belongs to none of the machines Order, Parcel",
		`"transitions": [{"from": "Paid", "trigger": "go", "to": "Sent"}]`:                                                                          "the transition Paid + go → Sent belongs to none of the machines Order, Parcel",
	} {
		_, wrong := specify(t, `{"modules": [{"dir": "desk", `+answer+`}]}`, "", files)
		if !slices.ContainsFunc(wrong, func(p spec.Problem) bool { return p.Text == want }) {
			t.Errorf("%s: %v, want %s", answer, wrong, want)
		}
	}
}

// TestScenariosOfAModuleWithout: a module that had no scenarios gets a heading for each kind, whatever comes first.
func TestScenariosOfAModuleWithout(t *testing.T) {
	t.Parallel()
	empty := counter[:strings.Index(counter, "- Count(\"1\")")] + "None\n" + counter[strings.Index(counter, "\n## Contract"):]
	out, wrong := specify(t, `{"modules": [{"dir": "counter", "behaviors": [{"input": "Count(\"\")", "output": "ErrText", "category": "error"}, {"input": "Count(\"1\")", "output": "1", "category": "success"}]}]}`,
		"", map[string]string{"counter/CLAUDE.md": empty, "store/CLAUDE.md": store, "lamp/CLAUDE.md": lamp})
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	if got := out["counter/CLAUDE.md"]; !strings.Contains(got, "## Behavior\n\n### Success\n\n- Count(\"1\") → 1\n\n### Error\n\n- Count(\"\") → ErrText\n\n## Contract") {
		t.Errorf("got:\n%s", got)
	}
	d, _ := spec.Parse("counter/CLAUDE.md", []byte(out["counter/CLAUDE.md"]))
	if len(d.Behaviors) != 2 || d.Behaviors[0].Category != "success" || d.Behaviors[1].Category != "error" {
		t.Errorf("%+v", d.Behaviors)
	}
}

// TestSectionsThatBecomeEmpty say None.
func TestSectionsThatBecomeEmpty(t *testing.T) {
	t.Parallel()
	out, wrong := specify(t, `{"modules": [{"dir": "store", "remove": ["Open", "Close"]}, {"dir": "shop", "remove": ["store"]}]}`, "", map[string]string{"shop/CLAUDE.md": shop, "store/CLAUDE.md": store})
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	for file, want := range map[string]string{"store/CLAUDE.md": "## Behavior\n\nNone\n\n## Contract", "shop/CLAUDE.md": "## Dependencies\n\nNone\n\n## Behavior"} {
		text := strings.ReplaceAll(strings.ReplaceAll(out[file], "\n\n\n", "\n\n"), "\n\n\n", "\n\n")
		if !strings.Contains(text, want) {
			t.Errorf("%s:\n%s", file, out[file])
		}
	}
}

// TestAssumptionsAreWritten: what was decided because nobody could be asked stands in the documents that change.
func TestAssumptionsAreWritten(t *testing.T) {
	t.Parallel()
	var s inspect.Specification
	err := json.Unmarshal([]byte(`{"modules": [{"dir": "counter", "behaviors": [{"input": "Count(\"2\")", "output": "2"}]}, {"dir": "store", "exports": []}]}`), &s)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"counter/CLAUDE.md": counter, "store/CLAUDE.md": store, "lamp/CLAUDE.md": lamp}
	p := inspect.New("/p", []string{"counter/CLAUDE.md", "store/CLAUDE.md", "lamp/CLAUDE.md"}, func(f string) []byte { return []byte(files[f]) })
	docs, wrong := p.Specify(s, "", [][2]string{{"Which base?", "Ten."}})
	if len(wrong) > 0 || len(docs) != 1 || !strings.Contains(string(docs[0].Text), "### Decision Rationale\n\n- Assumed without asking: Which base? Ten.\n") {
		t.Errorf("%v: %+v", wrong, docs)
	}
}

var signal = strings.NewReplacer("shop", "signal", "## Exports\n\nNone", "## Exports\n\n- `Light: Red | Green`", "- internal:\n  - `store/CLAUDE.md`: Open", "None",
	"## Protocol\n\nNone", "## Protocol\n\nStates: `Red` | `Green`\n").Replace(shop)

var lamp = strings.ReplaceAll(strings.ReplaceAll(shop, "shop", "lamp"), "- internal:\n  - `store/CLAUDE.md`: Open", "None")

const shop = "# shop\n\n## Purpose\n\nSells.\n\n## Exports\n\nNone\n\n## Dependencies\n\n- internal:\n  - `store/CLAUDE.md`: Open\n\n## Behavior\n\nNone\n\n## Contract\n\nNone\n\n## Protocol\n\nNone\n\n## Domain Context\n\nNone\n"

func TestSpecificationsThatAreNotSound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ answer, want string }{
		{`{"modules": [{"dir": "a", "purpose": "x", "exports": [{"kind": "function", "signature": "???"}], "behaviors": []}]}`, "exports: ??? cannot be read"},
		{`{"modules": [{"dir": "a", "purpose": "x", "exports": [], "behaviors": [{"input": "f(1)", "output": "1"}, {"input": "f(1)", "output": "2"}]}]}`, "f(1) has two outcomes, 1 and 2"},
		{`{"modules": [{"dir": "a", "exports": [], "behaviors": []}]}`, "a new module needs a purpose"},
		{`{"modules": [{"dir": "a", "purpose": "x", "exports": [], "behaviors": [], "dependencies": [{"module": "example.com/lab/store", "symbols": []}]}]}`, "did you mean store?"},
		{`{"modules": [{"dir": "a", "purpose": "x", "exports": [], "behaviors": [], "dependencies": [{"module": "b", "symbols": []}]}, {"dir": "b", "purpose": "x", "exports": [], "behaviors": [], "dependencies": [{"module": "a", "symbols": []}]}]}`, "in a cycle"},
		{`{"modules": [{"dir": "store/rows", "purpose": "x", "exports": [], "behaviors": [], "dependencies": [{"module": "store", "symbols": []}]}]}`, "a module must not depend on a module that contains it"},
		{`{"modules": [{"dir": "store", "behaviors": [{"input": "f(1)", "output": "1"}, {"input": "\u0060f(1)\u0060", "output": "2"}]}]}`, "has two outcomes, 1 and 2"},
		{`{"modules": [{"dir": "store", "exports": [{"kind": "function", "signature": "Open(path: string, n: int): Store"}], "behaviors": [{"input": "Open(\"a\")", "output": "a store"}]}]}`, "the scenario Open(\"\") → ErrPath was written for the old signature of Open"},
		{`{"modules": [{"dir": "counter", "exports": [{"kind": "variable", "signature": "TRIES = 5"}]}]}`, "the constraint TRIES: 3 tries was written for the old TRIES"},
		{`{"modules": [{"dir": "counter", "exports": [{"kind": "function", "signature": "Lid.open(): int"}]}]}`, "the scenario Lid.open() → false was written for the old signature of Lid.open"},
		{`{"modules": [{"dir": "signal", "remove": ["Red"]}]}`, "Light still lists the state Red"},
		{`{"modules": [{"dir": "store", "remove": ["Open"]}]}`, "specify the change of shop too, or keep the export"},
		{`{"modules": [{"dir": "store", "exports": [], "behaviors": [], "remove": ["Gone"]}]}`, "Gone is not an export, state, scenario input, constraint name, domain context sentence or dependency of the module"},
		{`{"modules": [{"dir": "../x", "purpose": "x", "exports": [], "behaviors": []}]}`, "not a directory of the project"},
		{`{"modules": [{"dir": "store", "exports": [], "behaviors": []}, {"dir": "store/", "exports": [], "behaviors": []}]}`, "this module appears twice"},
	} {
		_, wrong := specify(t, c.answer, "", map[string]string{"store/CLAUDE.md": store, "shop/CLAUDE.md": shop, "counter/CLAUDE.md": counter, "lamp/CLAUDE.md": lamp, "signal/CLAUDE.md": signal})
		found := 0
		for _, w := range wrong {
			if strings.Contains(w.String(), c.want) || strings.Contains(w.Hint, c.want) {
				found++
			}
		}
		if found != 1 || strings.Contains(c.want, "cannot be read") && len(wrong) != 1 {
			t.Errorf("%s\nis said %d times in %v, want once", c.want, found, wrong)
		}
	}
}

// TestWaysToWriteExports: the idioms of languages are taken and written in one form.
func TestWaysToWriteExports(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"func New(n int) *Store":                            "### Functions\n\n- `New(n int) *Store`",
		"(s *Store) Fail(id string) error":                  "### Functions\n\n- `Store.Fail(id string) error`",
		"(*Store).Fail(id string) error":                    "### Functions\n\n- `Store.Fail(id string) error`",
		"ErrSyntax error":                                   "### Variables\n\n- `ErrSyntax: error`",
		"var ErrFull = errors.New(full)":                    "### Variables\n\n- `ErrFull: error`",
		"type Option func(*Queue) error":                    "### Types\n\n- `Option = func(*Queue) error`",
		"Clock = func() time.Time":                          "### Types\n\n- `Clock = func() time.Time`",
		"var Limit = 3":                                     "### Variables\n\n- `Limit = 3`",
		"Clock interface { Now() time.Time }":               "### Types\n\n- `Clock { Now() time.Time }`",
		"class Cart(items: Item[])":                         "### Classes\n\n- `Cart(items: Item[])`",
		"LIMIT = 20":                                        "### Variables\n\n- `LIMIT = 20`",
		"Mode: Read | Write":                                "### Enums\n\n- `Mode: Read | Write`",
		"export async function f(a: string): Promise<void>": "### Functions\n\n- `async function f(a: string): Promise<void>`",
	} {
		out, wrong := specify(t, `{"modules": [{"dir": "a", "purpose": "x", "exports": [{"kind": "thing", "signature": "`+in+`"}], "behaviors": []}]}`, "", nil)
		if len(wrong) > 0 || !strings.Contains(out["a/CLAUDE.md"], want) {
			t.Errorf("%s gives %v\n%s\nwant %s", in, wrong, out["a/CLAUDE.md"], want)
		}
	}
}

const jobs = "# jobs\n\n## Purpose\n\nKeeps jobs.\n\n## Exports\n\n- `Fail(id: string): State`\n- `Start(id: string): void`\n- `State: Queued | Running`\n- `LIMIT = 3`\n\n" +
	"## Dependencies\n\n- internal:\n  - `store/CLAUDE.md`: Open\n\n## Behavior\n\n### Success\n\n- Fail(\"1\") → Queued\n- Start(\"1\") → nothing\n\n### Error\n\n- Fail(\"9\") → NoJob\n\n" +
	"## Contract\n\n### Start\n\n- **Preconditions**:\n  - the job waits\n\n### Fail\n\n- **Postconditions**:\n  - it waits again until LIMIT is reached\n\n" +
	"## Protocol\n\nStates: `Queued` | `Running`\n\n## Domain Context\n\n### Decision Rationale\n\n- Jobs are numbers.\n\n### Constraints\n\n- LIMIT: 3 tries\n"

const halves = "\n<!-- IMPLEMENTATION SECTION - /compile updates this part -->\n\n## Algorithm\n\n- Hashing.\n"

const jobsPlan = "# jobs - Implementation\n\n## Dependencies Direction\n\n### External\n\nNone\n\n### Internal\n\n- `store/CLAUDE.md`: Open\n\n## Implementation Approach\n\n### Strategy\n\n- One map.\n\n" +
	"### Alternatives Considered\n\nNone\n\n## Technology Choices\n\nNone\n" + halves

// TestContractsInAnyOrder: contracts that are replaced and added stand below their own headings, in whatever order they are given.
func TestContractsInAnyOrder(t *testing.T) {
	t.Parallel()
	const fail, start, stop = `{"function": "Fail", "throws": ["NoJob"]}`, `{"function": "Start", "postconditions": ["it runs"]}`, `{"function": "Stop", "postconditions": ["it stands"]}`
	for _, list := range [][]string{{fail, stop, start}, {stop, fail, start}, {stop, start, fail}, {start, stop, fail}, {fail, start, stop}, {start, fail, stop}} {
		out, wrong := specify(t, `{"modules": [{"dir": "jobs", "contracts": [`+strings.Join(list, ", ")+`]}]}`, "", map[string]string{"jobs/CLAUDE.md": jobs, "store/CLAUDE.md": store})
		d, _ := spec.Parse("jobs/CLAUDE.md", []byte(out["jobs/CLAUDE.md"]))
		var got []string
		for _, c := range d.Contracts {
			for _, x := range slices.Concat(c.Preconditions, c.Postconditions, c.Throws) {
				got = append(got, c.Function+": "+x.Text)
			}
		}
		slices.Sort(got)
		if have := strings.Join(got, "; "); len(wrong) > 0 || have != "Fail: NoJob; Start: it runs; Stop: it stands" {
			t.Errorf("%v: %v: %s\n%s", list, wrong, have, out["jobs/CLAUDE.md"])
		}
	}
}

// TestPlansFollow: the planning half of IMPLEMENTS.md gets what a specification says of a module that is there.
func TestPlansFollow(t *testing.T) {
	t.Parallel()
	files := map[string]string{"jobs/CLAUDE.md": jobs, "jobs/IMPLEMENTS.md": jobsPlan, "store/CLAUDE.md": store, "lamp/CLAUDE.md": lamp}
	out, wrong := specify(t, `{"modules": [{"dir": "jobs", "remove": ["store"], "dependencies": [{"module": "lamp", "symbols": []}], "approach": ["Two maps."],
		"rejected": [{"alternative": "a list", "reason": "slow"}], "technologies": [{"choice": "map", "alternative": "tree", "reason": "no order is asked for"}]}]}`, "", files)
	want := strings.NewReplacer("- `store/CLAUDE.md`: Open\n", "- `lamp/CLAUDE.md`\n", "- One map.\n", "- One map.\n- Two maps.\n",
		"Considered\n\nNone\n", "Considered\n\n- a list: slow\n", "Choices\n\nNone\n", "Choices\n\n| Choice | Alternative | Reason |\n|---|---|---|\n| map | tree | no order is asked for |\n").Replace(jobsPlan)
	if len(wrong) > 0 || out["jobs/IMPLEMENTS.md"] != want {
		t.Errorf("%v\n%s\nwant\n%s", wrong, out["jobs/IMPLEMENTS.md"], want)
	}
	if out, _ := specify(t, `{"modules": [{"dir": "jobs", "remove": ["store"]}]}`, "", files); !strings.Contains(out["jobs/IMPLEMENTS.md"], "### Internal\n\nNone\n\n## Implementation") {
		t.Errorf("nothing is left:\n%s", out["jobs/IMPLEMENTS.md"])
	}
}

// TestWhatAChangeLeavesBehind: sentences about what is gone, enumerations and errors are named as warnings.
func TestWhatAChangeLeavesBehind(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		`{"dir": "jobs", "remove": ["LIMIT"]}`:                                                                              "it still mentions LIMIT, which is removed: it waits again until LIMIT is reached",
		`{"dir": "jobs", "states": ["Gone"]}`:                                                                               "State lists the states, but not Gone",
		`{"dir": "jobs", "exports": [{"kind": "class", "signature": "ErrBusy: error"}]}`:                                    "no scenario has the error ErrBusy",
		`{"dir": "jobs", "transitions": [{"from": "Queued", "trigger": "cancel", "to": "Canceled"}]}`:                       "which is not a state",
		`{"dir": "jobs", "exports": [{"kind": "constant", "signature": "LIMIT = 4"}]}`:                                      "was written for the old LIMIT",
		`{"dir": "lamp", "dependencies": [{"module": "jobs", "symbols": ["Queued"]}]}`:                                      "name the enum instead of its member: State",
		`{"dir": "jobs", "exports": [{"kind": "constant", "signature": "LIMIT = 4"}], "remove": ["LIMIT"]}`:                 "",
		`{"dir": "jobs", "remove": ["Jobs are numbers."], "decisions": ["Jobs are words."]}`:                                "",
		`{"dir": "jobs", "remove": ["Fail(\"9\")"]}`:                                                                        "",
		`{"dir": "jobs", "behaviors": [{"input": "Fail(\"2\")", "output": "Running", "category": "success"}]}`:              "",
		`{"dir": "jobs", "states": ["Gone"], "exports": [{"kind": "enum", "signature": "State: Queued | Running | Gone"}]}`: "",
	} {
		out, wrong := specify(t, `{"modules": [`+answer+`]}`, "", map[string]string{"jobs/CLAUDE.md": jobs, "store/CLAUDE.md": store, "lamp/CLAUDE.md": lamp})
		found := want == "" && len(wrong) == 0
		for _, w := range wrong {
			found = found || want != "" && strings.Contains(w.Text+" "+w.Hint, want)
		}
		if !found {
			t.Errorf("%s\nsays %v, want %q", answer, wrong, want)
		}
		text := out["jobs/CLAUDE.md"]
		for sign, line := range map[string]string{
			`LIMIT = 4"}], "remove"`: "- `LIMIT = 4`\n", "Jobs are words": "### Decision Rationale\n\n- Jobs are words.\n\n### Constraints", `Fail(\"2\")`: "- Fail(\"1\") → Queued\n- Fail(\"2\") → Running\n- Start",
			`"Fail(\"9\")"`: "- Start(\"1\") → nothing\n\n## Contract",
		} {
			if strings.Contains(answer, sign) && !strings.Contains(text, line) {
				t.Errorf("%s\ngives no %q:\n%s", answer, line, text)
			}
		}
		if strings.Contains(answer, `LIMIT = 4"}], "remove"`) && strings.Contains(text, "LIMIT: 3") {
			t.Errorf("the constraint is still there:\n%s", text)
		}
	}
}

// TestGivenAndRemoved: what is removed and given anew is replaced; several constraints of one name become one; successes
// come before errors.
func TestGivenAndRemoved(t *testing.T) {
	t.Parallel()
	doc := strings.Replace(strings.Replace(jobs, "### Success\n\n- Fail(\"1\") → Queued\n- Start(\"1\") → nothing\n\n", "", 1), "- LIMIT: 3 tries\n", "- LIMIT: 3 tries\n- LIMIT: 4 tries (old)\n", 1)
	out, wrong := specify(t, `{"modules": [{"dir": "jobs", "remove": ["LIMITS", "Jobs are numbers.", "Fail(\"9\")", "store"], "decisions": ["Jobs are numbers."], "constraints": ["LIMIT: 5 tries"],
		"behaviors": [{"input": "Fail(\"9\")", "output": "NoSuchJob", "category": "error"}, {"input": "Start(\"2\")", "output": "nothing", "category": "success"}, {"input": "Start(\"3\")", "output": "nothing", "category": "success"}],
		"dependencies": [{"module": "store", "symbols": ["Open", "Close"]}]}]}`, "", map[string]string{"jobs/CLAUDE.md": doc, "store/CLAUDE.md": store})
	if len(wrong) != 1 || !strings.Contains(wrong[0].Text, "LIMITS is not an export") {
		t.Error(wrong)
	}
	text := out["jobs/CLAUDE.md"]
	for _, part := range []string{
		"## Behavior\n\n### Success\n\n- Start(\"2\") → nothing\n- Start(\"3\") → nothing\n\n### Error\n\n- Fail(\"9\") → NoSuchJob\n", "- LIMIT: 5 tries\n", "- Jobs are numbers.\n", "`store/CLAUDE.md`: Open, Close\n",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
	if strings.Count(text, "LIMIT: ") != 1 {
		t.Errorf("constraints of one name:\n%s", text)
	}
}
