package works_test

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/jacquard-build/jacquard/internal/works"
)

// open reads a tree from files by path.
func open(files map[string][]byte) *works.Tree {
	return works.Read(slices.Collect(maps.Keys(files)), func(p string) []byte { return files[p] }, "en")
}

// shown is what a tree says: the WORKs with the states of their TASKs, then the problems.
func shown(t *works.Tree) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "next %s\n", t.NextWork())
	for _, w := range t.Works {
		done, total := w.Count()
		fmt.Fprintf(&b, "%s %q %s: %d/%d\n", w.Folder, t.Title(w), w.Languages.Output, done, total)
		for _, x := range w.Tasks {
			fmt.Fprintf(&b, "  %s %s %s\n", x.ID, x.State, strings.Join(x.DependsOn, " "))
		}
	}
	for _, p := range t.Problems {
		fmt.Fprintln(&b, p)
	}
	return b.Bytes()
}

func TestTrees(t *testing.T) {
	t.Parallel()
	all, err := filepath.Glob("testdata/trees/*.txtar")
	if err != nil || len(all) != 3 {
		t.Fatal(all, err)
	}
	for _, file := range all {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			files := map[string][]byte{}
			for _, f := range a.Files {
				files[f.Name] = f.Data
			}
			tree := open(files)
			golden(t, "trees/"+name+".problems", shown(tree))
			for _, p := range tree.Problems {
				if p.Path == "" || p.Text == "" || p.Hint == "" {
					t.Errorf("a problem without place or advice: %s", p)
				}
			}
			mended := works.Mend(tree)
			out := &txtar.Archive{}
			for _, p := range slices.Sorted(maps.Keys(mended)) {
				out.Files = append(out.Files, txtar.File{Name: p, Data: mended[p]})
				for w := range strings.FieldsSeq(string(files[p])) { // nothing is lost
					if w != "PLAN" && w != "|" && w != "IN_PROGRESS" && w != "—" && !strings.Contains(string(mended[p]), w) && !strings.HasPrefix(w, "WORK-") {
						t.Errorf("mending %s lost %q", p, w)
					}
				}
			}
			golden(t, "trees/"+name+".mended", txtar.Format(out))
			maps.Copy(files, mended)
			again := open(files)
			if more := works.Mend(again); len(more) > 0 {
				t.Errorf("mending again changes %v", slices.Sorted(maps.Keys(more)))
			}
			for _, p := range again.Problems {
				if strings.Contains(p.Hint, "--fix repairs this") {
					t.Errorf("was not mended: %s", p)
				}
			}
			if before := open(files); len(again.Problems) != len(before.Problems) {
				t.Error("reading twice differs")
			}
		})
	}
}

// TestEveryDamageIsNamed holds the sample to the damages that it was made for.
func TestEveryDamageIsNamed(t *testing.T) {
	t.Parallel()
	a, err := txtar.ParseFile("testdata/trees/mixed.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, f := range a.Files {
		files[f.Name] = f.Data
	}
	said := string(shown(open(files)))
	for _, want := range []string{
		"id mix: WORK-31 appears twice", "full-WORK-31", "the plan about '폴더 구조 개편'", "none of the files that this progress lists belongs to TASK-02",
		"stale hash", "never run", "is before the line above it", "'Done'", "is done, but has no commit", "the mode differs from the log",
		"the plan says language ko, but the headings are in en", "has a date, but no time", "컨텍스트 핸드오프", "WORK-30 has more cells",
		"the stage GATE is not listed", "does not say what happened", "NON_STANDARD_RESULT", "H2_TASK_EMBEDDING", "MISSING_RESULT", "'PLAN' precedes",
		"WORK-50 is in progress, but has no folder", "has no row in the list", "before the plan was made", "updated before it was started", "never closed",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("nothing says %q in\n%s", want, said)
		}
	}
}

// TestMendingGoesToTheEnd: a result under another name finishes the WORK, so its row is closed by
// the same mending.
func TestMendingGoesToTheEnd(t *testing.T) {
	t.Parallel()
	files := map[string][]byte{
		"works/WORK-LIST.md":       []byte("LAST_WORK_ID: WORK-01\n\n| WORK | 제목 | 상태 | 생성일 | 완료일 |\n|--|--|--|--|--|\n| WORK-01 | a | IN_PROGRESS | 2026-01-01 | |\n"),
		"works/WORK-01/TASK-00.md": []byte("# TASK-00: a\n"),
		"works/WORK-01/RESULT.md":  []byte("> Completed: 2026-01-03 10:00\n\n## Context Handoff\n"),
	}
	mended := works.Mend(open(files))
	if got := string(mended["works/WORK-LIST.md"]); !strings.Contains(got, "| DONE | 2026-01-01 | 2026-01-03 |") {
		t.Errorf("the list became\n%s", got)
	}
	maps.Copy(files, mended)
	if more := works.Mend(open(files)); len(more) != 0 {
		t.Errorf("mending again changes %q", more)
	}
}

func TestProgressFilesAreNoTasks(t *testing.T) {
	t.Parallel()
	tree := open(map[string][]byte{
		"works/WORK-01/TASK-00.md": []byte("# TASK-00: a\n"), "works/WORK-01/TASK-00_progress.md": nil, "works/WORK-01/TASK-00_result.md": nil,
		"works/WORK-01/TASK-01_progress.md": nil, "works/WORK-01/notes.txt": nil, "src/WORK-02/TASK-00.md": nil,
	})
	if done, total := tree.Works[0].Count(); done != 1 || total != 1 || len(tree.Works) != 1 || !tree.Works[0].IsDone() {
		t.Errorf("%d of %d done in %d WORKs, want 1 of 1 in 1", done, total, len(tree.Works))
	}
}
