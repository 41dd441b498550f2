package inspect_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/inspect"
)

// TestInferredTypesOfGo: the types that declarations do not say are those that Go infers; what it cannot infer stays open.
func TestInferredTypesOfGo(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"go.mod": "module example.com/lab\n\ngo 1.24\n",
		"q/q.go": `package q

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"example.com/else/other"
	store "example.com/lab/store"
)

type State string

type kind int

const Waiting State = "waiting"

const (
	One kind = iota
	Two
)

const Plain = 3

const Typed = State("x")

var (
	ErrX      = errors.New("x")
	ErrY      = fmt.Errorf("y: %w", ErrX)
	Default   = store.New()
	Table     = map[string][]State{"a": nil}
	Limit     = 3
	Ratio     = 1 / 2.0
	Pause     = 2 * time.Second
	Words     = strings.Fields("a b")
	Background = context.Background()
	Unknown   = other.Thing()
	First, Second = pair()
	Many      = Map([]int{1}, func(i int) string { return "" })
	Hidden    = newThing()
	Tags      = struct{ A int }{1}
	Said int  = 4
)

type thing struct{}

func newThing() *thing { return nil }

func pair() (int, error) { return 0, nil }

func Map[A, B any](list []A, f func(A) B) []B { return nil }
`,
		"q/q_windows.go":   "package q\n\nvar Limit = \"on windows\"\n\nvar Windows = 1\n",
		"store/store.go":   "package store\n\nimport \"example.com/lab/q\"\n\ntype Store struct{}\n\nfunc New() *Store { return nil }\n\nvar Back = q.Limit\n",
		"broken/broken.go": "package broken\n\nvar A = 3\n\nfunc (\n",
		"loop/loop.go":     "package loop\n\nvar A = B\n\nvar B = A\n\ntype T T\n\nvar C = T{}\n",
	}
	p := inspect.New("/p", slices.Collect(maps.Keys(files)), func(f string) []byte { return []byte(files[f]) }).
		Library(os.DirFS(library(t)))
	for dir, want := range map[string]string{
		"q": "Background: context.Context; Default: *store.Store; ErrX: error; ErrY: error; First: int; Hidden: *thing; Limit: ; Limit: int; Many: []string; One: kind; " +
			"Pause: time.Duration; Plain: int; Ratio: float64; Said: int; Second: error; Table: map[string][]State; Tags: ; Two: kind; Typed: State; Unknown: ; Waiting: State; Windows: ; Words: []string",
		"store": "Back: int", "broken": "A: int", "loop": "A: ; B: ; C: ",
	} {
		var got []string
		for _, v := range p.Analyze(dir, nil).Exports.Variables {
			if line := v.Name + ": " + v.VarType; !slices.Contains(got, line) {
				got = append(got, line)
			}
		}
		slices.Sort(got)
		if have := strings.Join(got, "; "); have != want {
			t.Errorf("%s\n has %s\nwant %s", dir, have, want)
		}
	}
}
