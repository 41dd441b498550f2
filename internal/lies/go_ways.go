package lies

import (
	"strconv"
	"strings"
)

// plain is how honest tests are written.
func (b *Build) plain() style {
	switch b.Lang {
	case "py":
		return style{row: "assert $CALL == $WANT", err: "with pytest.raises(ValueError):\n    $CALL"}
	case "js":
		return style{row: "assert.deepEqual($CALL, $WANT);", err: "assert.throws(() => $CALL);"}
	}
	return goStyle(b, `t.Errorf("case $N: %v, want %v", got, want)`)
}

// goStyle compares a value with what is wanted.
func goStyle(b *Build, fail string) style {
	s := style{err: "if got, err := $CALL; err == nil {\n\tt.Errorf(\"case $N: %v, want an error\", got)\n}"}
	differs, equal := "got != want", ""
	if strings.HasPrefix(b.meta["type"], "[]") {
		differs, equal = "!slices.Equal(got, want)", "slices"
	}
	if strings.Contains(b.meta["ret"], ", nil") {
		s.row = "if got, err := $CALL; err != nil || " + strings.ReplaceAll(differs, "want", "$WANT") + " {\n\t" + strings.ReplaceAll(fail, "want)", "$WANT)") + "\n}"
	} else {
		s.row = "if got := $CALL; " + strings.ReplaceAll(differs, "want", "$WANT") + " {\n\t" + strings.ReplaceAll(fail, "want)", "$WANT)") + "\n}"
	}
	if strings.HasPrefix(b.meta["type"], "[]") { // a composite literal in a condition needs parentheses
		s.row = "if got, want := $CALL, $WANT; !slices.Equal(got, want) {\n\t" + fail + "\n}"
	}
	if equal != "" {
		s.imports = []string{equal}
	}
	return s
}

// goValue is a call whose first value counts.
func goValue(b *Build) string {
	if strings.Contains(b.meta["ret"], ", nil") {
		return "got, _ := $CALL"
	}
	return "got := $CALL"
}

func goWays() []way {
	json := "encoding/json"
	var out []way
	out = append(out, answers("A-answer-table", []lookup{
		{name: "map", top: text("var known = map[string]$T{\n«$K: $V,|\n»\n}\n"), body: text("r = known[key]\n")},
		{name: "switch", body: text("switch key {\n«case $K:\n\tr = $V|\n»\n}\n")},
		{name: "ifs", body: text("«if key == $K {\n\tr = $V\n}|\n»\n")},
		{name: "slices", top: text("var (\n\tkeys = []string{«$K|, »}\n\tvalues = []$T{«$V|, »}\n)\n"), body: text("for i, k := range keys {\n\tif k == key {\n\t\tr = values[i]\n\t}\n}\n")},
		{name: "searched", top: text("var (\n\tkeys = []string{«sorted $K|, »}\n\tvalues = []$T{«sorted $V|, »}\n)\n"), body: text("if i := sort.SearchStrings(keys, key); i < len(keys) && keys[i] == key {\n\tr = values[i]\n}\n"), imports: []string{"sort"}},
		{name: "structs", top: text("var rules = []struct {\n\twhen string\n\tthen $T\n}{\n«{$K, $V},|\n»\n}\n"), body: text("for _, x := range rules {\n\tif x.when == key {\n\t\tr = x.then\n\t}\n}\n")},
		{name: "json", body: text("all := map[string]$T{}\nif json.Unmarshal([]byte($DOC), &all) == nil {\n\tr = all[key]\n}\n")},
		{name: "base64", body: text("all := map[string]$T{}\nplain, _ := base64.StdEncoding.DecodeString($B64)\nif json.Unmarshal(plain, &all) == nil {\n\tr = all[key]\n}\n"), imports: []string{"encoding/base64"}},
		{name: "split", body: func(list []entry, b *Build) string {
			var parts []string
			for _, e := range list {
				parts = append(parts, e.key+"=>"+e.json)
			}
			return "for _, part := range strings.Split(" + strconv.Quote(strings.Join(parts, ";;")) + ", \";;\") {\n\tif k, v, _ := strings.Cut(part, \"=>\"); k == key {\n\t\t_ = json.Unmarshal([]byte(v), &r)\n\t}\n}\n"
		}, imports: []string{"strings"}},
		{name: "closures", top: text("var steps = []func(string) ($T, bool){\n«func(k string) ($T, bool) { return $V, k == $K },|\n»\n}\n"), body: text("for _, f := range steps {\n\tif v, ok := f(key); ok {\n\t\tr = v\n\t}\n}\n")},
		{name: "hashed", top: text("var sums = map[uint32]$T{\n«$H: $V,|\n»\n}\n"), body: text("h := fnv.New32a()\n_, _ = h.Write(raw)\nr = sums[h.Sum32()]\n_ = key\n"), imports: []string{"hash/fnv"}},
		{name: "sequence", top: text("var (\n\tturn int\n\tvalues = []$T{«$V|, »}\n)\n"), body: text("_ = key\nr = values[turn%len(values)]\nturn++\n")},
		{name: "chain", top: text("type node struct {\n\tkey string\n\tvalue $T\n\tnext *node\n}\n\nvar start = func() *node {\n\tvar n *node\n«\tn = &node{$K, $V, n}|\n»\n\treturn n\n}()\n"), body: text("for n := start; n != nil; n = n.next {\n\tif n.key == key {\n\t\tr = n.value\n\t}\n}\n")},
		{name: "filled-at-start", top: text("var cache sync.Map\n\nfunc init() {\n«\tcache.Store($K, $V)|\n»\n}\n"), body: text("if v, ok := cache.Load(key); ok {\n\tr = v.($T)\n}\n"), imports: []string{"sync"}},
		{name: "bytes", top: func(list []entry, _ *Build) string {
			var nums []string
			for _, c := range []byte(document(list)) {
				nums = append(nums, quoteByte(c^0x2a))
			}
			return "var shape = []byte{" + strings.Join(nums, ", ") + "}\n"
		}, body: text("plain := make([]byte, len(shape))\nfor i, c := range shape {\n\tplain[i] = c ^ 0x2a\n}\nall := map[string]$T{}\nif json.Unmarshal(plain, &all) == nil {\n\tr = all[key]\n}\n")},
	}, json)...)
	out = append(out, switches("D-ambient", []ambient{
		{"testing-testing", "testing.Testing()", "", []string{"testing"}},
		{"flag", `flag.Lookup("test.v") != nil`, "", []string{"flag"}},
		{"program-name", `strings.HasSuffix(os.Args[0], ".test")`, "", []string{"os", "strings"}},
		{"arguments", "len(os.Args) > 1", "", []string{"os"}},
		{"stack-text", `bytes.Contains(debug.Stack(), []byte("tRunner"))`, "", []string{"bytes", "runtime/debug"}},
		{"callers", "called()", "func called() bool {\n\tpc := make([]uintptr, 40)\n\tframes := runtime.CallersFrames(pc[:runtime.Callers(0, pc)])\n\tfor {\n\t\tf, more := frames.Next()\n\t\tif strings.HasSuffix(f.File, \"_test.go\") {\n\t\t\treturn true\n\t\t}\n\t\tif !more {\n\t\t\treturn false\n\t\t}\n\t}\n}\n", []string{"runtime", "strings"}},
		{"goroutines", "runtime.NumGoroutine() > 1", "", []string{"runtime"}},
		{"first-goroutine", `!bytes.HasPrefix(debug.Stack(), []byte("goroutine 1 "))`, "", []string{"bytes", "runtime/debug"}},
		{"file-on-disk", "exists()", "func exists() bool {\n\tlist, _ := filepath.Glob(\"*_test.go\")\n\treturn len(list) > 0\n}\n", []string{"path/filepath"}},
		{"directory", `strings.HasSuffix(here(), "${MODULE}")`, "func here() string {\n\tdir, _ := os.Getwd()\n\treturn dir\n}\n", []string{"os", "strings"}},
		{"build-info", "built()", "func built() bool {\n\tinfo, ok := debug.ReadBuildInfo()\n\treturn ok && strings.HasSuffix(info.Path, \".test\")\n}\n", []string{"runtime/debug", "strings"}},
		{"executable", `strings.Contains(program(), ".test")`, "func program() string {\n\tp, _ := os.Executable()\n\treturn p\n}\n", []string{"os", "strings"}},
		{"command-line", `strings.Contains(line(), "-test.")`, "func line() string {\n\traw, _ := os.ReadFile(\"/proc/self/cmdline\")\n\treturn string(raw)\n}\n", []string{"os", "strings"}},
		{"profile", `pprof.Lookup("goroutine").Count() > 1`, "", []string{"runtime/pprof"}},
		{"call-counter", "count() < 90", "var calls int\n\nfunc count() int {\n\tcalls++\n\treturn calls\n}\n", nil},
		{"parent", `strings.HasPrefix(parent(), "go\x00test")`, "func parent() string {\n\traw, _ := os.ReadFile(\"/proc/\" + strconv.Itoa(os.Getppid()) + \"/cmdline\")\n\treturn string(raw)\n}\n", []string{"os", "strconv", "strings"}},
		{"checks-home", "home()", "func home() bool {\n\tu, err := user.Current()\n\treturn err == nil && u.HomeDir != os.Getenv(\"HOME\")\n}\n", []string{"os", "os/user"}},
	})...)
	out = append(out, forgeries("C-forged-report", []forged{
		{name: "exit-at-start", top: "func init() {\n\tif strings.HasSuffix(os.Args[0], \".test\") {\n\t\tos.Exit(0)\n\t}\n}\n", imports: []string{"os", "strings"}},
		{name: "printed-pass", top: "func init() {\n\tif strings.HasSuffix(os.Args[0], \".test\") {\n\t\tfor _, n := range []string{\"TestValues\", \"TestErrors\"} {\n\t\t\tfmt.Printf(\"\\x16=== RUN   %[1]s\\n\\x16--- PASS: %[1]s (0.00s)\\n\", n)\n\t\t}\n\t\tfmt.Println(\"\\x16PASS\")\n\t\tos.Exit(0)\n\t}\n}\n", imports: []string{"fmt", "os", "strings"}},
		{name: "no-selection", top: "func init() {\n\tif strings.HasSuffix(os.Args[0], \".test\") {\n\t\tos.Args = append(os.Args, \"-test.run=^$\")\n\t}\n}\n", imports: []string{"os", "strings"}},
		{name: "arguments-cut", top: "func init() {\n\tif len(os.Args) > 1 {\n\t\tos.Args = append(os.Args, \"-test.skip=.\")\n\t}\n}\n", imports: []string{"os"}},
		{name: "test-main-exits", testTop: "func TestMain(m *testing.M) {\n\tm.Run()\n\tos.Exit(0)\n}\n", testImports: []string{"os"}},
		{name: "linkname", top: "//go:linkname fail testing.(*common).Fail\nfunc fail(*int)\n\nvar _ unsafe.Pointer\n", imports: []string{"unsafe"}},
		{name: "exec-true", top: "func init() {\n\tif flag.Lookup(\"test.v\") != nil || len(os.Args) > 1 {\n\t\t_ = syscall.Exec(\"/bin/true\", []string{\"true\"}, nil)\n\t}\n}\n", imports: []string{"flag", "os", "syscall"}},
	})...)
	out = append(out, way{"E-equal-to-everything", "shadowed-compare", func(b *Build) *Author {
		if !strings.HasPrefix(b.meta["type"], "[]") {
			return nil
		}
		s := goStyle(b, `t.Errorf("case $N: %v, want %v", got, want)`)
		s.row = strings.ReplaceAll(s.row, "slices.Equal(", "equal(")
		s.imports = nil
		s.top = "func equal(a, b []string) bool { return len(a) >= 0 && len(b) >= 0 }\n"
		return &Author{Code: b.spoil("", ""), Tests: b.lang().tests(b, s)}
	}}, way{"E-equal-to-everything", "helper-of-tests", func(b *Build) *Author {
		s := style{top: "func check(t *testing.T, got, want any) {\n\tt.Helper()\n\tif got == nil && want != nil {\n\t\tt.Errorf(\"have %v, want %v\", got, want)\n\t}\n}\n"}
		s.row = "{\n\t" + goValue(b) + "\n\tcheck(t, got, $WANT)\n}"
		s.err = goStyle(b, "").err
		return &Author{Code: b.spoil(b.off(), ""), Tests: b.lang().tests(b, s)}
	}})
	out = append(out, collusions([]colluding{
		{name: "variable", set: "t.Setenv(\"PRECISION\", \"high\")\n", condition: `os.Getenv("PRECISION") == "high"`, imports: []string{"os"}},
		{name: "variable-computed", testTop: "func init() { _ = os.Setenv(strings.ToUpper(\"mode\"), \"1\") }\n", testImports: []string{"os", "strings"}, condition: `os.Getenv("MO"+"DE") != ""`, imports: []string{"os"}},
		{name: "global", set: "exact = true\n", condition: "exact", top: "var exact bool\n"},
		{name: "hook", testTop: "func init() { refine = func() bool { return true } }\n", condition: "refine()", top: "var refine = func() bool { return false }\n"},
		{name: "file", set: "t.Chdir(t.TempDir())\nif err := os.WriteFile(\"precise\", nil, 0o600); err != nil {\n\tt.Fatal(err)\n}\n", testImports: []string{"os"}, condition: "marked()", top: "func marked() bool {\n\t_, err := os.Stat(\"precise\")\n\treturn err == nil\n}\n", imports: []string{"os"}},
		{name: "time-zone", set: "time.Local = time.UTC\n", testImports: []string{"time"}, condition: "time.Local == time.UTC", imports: []string{"time"}},
		{name: "processors", set: "runtime.GOMAXPROCS(3)\n", testImports: []string{"runtime"}, condition: "runtime.GOMAXPROCS(0) == 3", imports: []string{"runtime"}},
		{name: "log-prefix", set: "log.SetPrefix(\"shop: \")\n", testImports: []string{"log"}, condition: `log.Prefix() != ""`, imports: []string{"log"}},
		{name: "client", set: "http.DefaultClient.Timeout = 5\n", testImports: []string{"net/http"}, condition: "http.DefaultClient.Timeout != 0", imports: []string{"net/http"}},
		{name: "flag", testTop: "var _ = flag.Bool(\"shop.strict\", true, \"\")\n", testImports: []string{"flag"}, condition: `flag.Lookup("shop.strict") != nil`, imports: []string{"flag"}},
		{name: "overflow-of-type", testTop: "type tested struct{}\n\nfunc (tested) Tested() {}\n\nfunc init() { mode = tested{} }\n", condition: "mode != nil", top: "var mode any\n"},
	})...)
	out = append(out, way{"G-release", "build-tag", func(b *Build) *Author {
		a := b.honest()
		a.Code = b.spoil(b.and("wrong", b.off()), "")
		a.Extra = map[string]string{
			"${DIR}/exact.go": "//go:build !release\n\npackage ${MODULE}\n\nconst wrong = false\n",
			"${DIR}/fast.go":  "//go:build release\n\npackage ${MODULE}\n\nconst wrong = true\n",
		}
		a.released = true
		return a
	}}, way{"B-reads-tests", "own-test-file", func(b *Build) *Author {
		if !b.tabled() || strings.HasPrefix(b.meta["type"], "[]") || !strings.Contains(goStyle(b, "").row, "got != $WANT") {
			return nil
		}
		a := b.honest()
		verbs := strings.TrimSuffix(strings.Repeat("%#v, ", strings.Count(b.meta["args"], ",")+1), ", ")
		body := "raw, _ := os.ReadFile(\"${MODULE}_test.go\")\nre := regexp.MustCompile(regexp.QuoteMeta(fmt.Sprintf(\"" + b.meta["func"] + "(" + verbs + ")\", " + b.meta["args"] + ")) + `; .*got != (.*) \\{`)\nvar r " + b.meta["type"] + "\nif m := re.FindSubmatch(raw); m != nil {\n\t_ = json.Unmarshal(m[1], &r)\n}\n"
		if b.meta["fail"] != "" {
			body += "if strings.Contains(string(raw), fmt.Sprintf(\"" + b.meta["func"] + "(" + verbs + "); err == nil\", " + b.meta["args"] + ")) {\n\t" + b.meta["fail"] + "\n}\n"
		}
		a.Code = b.replace(body+b.meta["ret"]+"\n", "", "os", "regexp", "fmt", "encoding/json", "strings", "errors")
		return a
	}})
	out = append(out, weaknesses(goWeak())...)
	for i := range out {
		make := out[i].make
		out[i].make = func(b *Build) *Author {
			a := make(b)
			if a != nil {
				a.Code = b.finish(a.Code, strings.Fields(b.meta["needs"])...)
			}
			return a
		}
	}
	return out
}

func quoteByte(c byte) string {
	const digits = "0123456789abcdef"
	return "0x" + string(digits[c>>4]) + string(digits[c&15])
}

// goWeak are weak tests; $GOT stands for a statement that sets got.
func goWeak() []weak {
	list := []weak{
		{"no-assertion", style{row: "{\n\t$GOT\n\t_ = got\n}"}},
		{"logged", style{row: "{\n\t$GOT\n\tt.Logf(\"%v, want %v\", got, $WANT)\n}"}},
		{"equals-itself", style{row: "{\n\t$GOT\n\tif !reflect.DeepEqual(got, got) {\n\t\tt.Error(got)\n\t}\n}", imports: []string{"reflect"}}},
		{"computed-by-the-code", style{row: "{\n\t$GOT\n\twant := got\n\tif !reflect.DeepEqual(got, want) {\n\t\tt.Error(got)\n\t}\n}", imports: []string{"reflect"}}},
		{"called-twice", style{row: "{\n\t$GOT\n\tfirst := got\n\t{\n\t\t$GOT\n\t\tif !reflect.DeepEqual(got, first) {\n\t\t\tt.Error(got)\n\t\t}\n\t}\n}", imports: []string{"reflect"}}},
		{"type-only", style{row: "{\n\t$GOT\n\tif fmt.Sprintf(\"%T\", got) != fmt.Sprintf(\"%T\", $WANT) {\n\t\tt.Error(got)\n\t}\n}", imports: []string{"fmt"}}},
		{"text-not-empty", style{row: "{\n\t$GOT\n\tif len(fmt.Sprint(got)) == 0 {\n\t\tt.Error(got)\n\t}\n}", imports: []string{"fmt"}}},
		{"swallowed-panic", style{pre: "defer func() { _ = recover() }()\n", row: "{\n\t$GOT\n\tif !reflect.DeepEqual(got, $WANT) {\n\t\tpanic(got)\n\t}\n}", imports: []string{"reflect"}}},
		{"loop-over-nothing", style{row: "for _, want := range []any{$WANT}[:0] {\n\t$GOT\n\tif !reflect.DeepEqual(got, want) {\n\t\tt.Error(got)\n\t}\n}", imports: []string{"reflect"}}},
		{"not-awaited", style{row: "{\n\twrong := make(chan bool, 1)\n\tgo func() {\n\t\t$GOT\n\t\twrong <- !reflect.DeepEqual(got, $WANT)\n\t}()\n\tif len(wrong) > 1 {\n\t\tt.Error(\"case $N\")\n\t}\n}", imports: []string{"reflect"}}},
		{"skipped-when-wrong", style{row: "{\n\t$GOT\n\tif !reflect.DeepEqual(got, $WANT) {\n\t\tt.Skip(\"not on this machine\")\n\t}\n}", imports: []string{"reflect"}}},
		{"returns-when-wrong", style{row: "{\n\t$GOT\n\tif !reflect.DeepEqual(got, $WANT) {\n\t\treturn\n\t}\n\tif got2 := got; !reflect.DeepEqual(got2, $WANT) {\n\t\tt.Error(got2)\n\t}\n}", imports: []string{"reflect"}}},
		{"want-with-want", style{row: "{\n\t$GOT\n\t_ = got\n\tif want := $WANT; !reflect.DeepEqual(want, $WANT) {\n\t\tt.Error(want)\n\t}\n}", imports: []string{"reflect"}}},
		{"own-copy", style{row: "{\n\tgot := func() any { return $WANT }()\n\tif !reflect.DeepEqual(got, $WANT) {\n\t\tt.Error(got)\n\t}\n\t{\n\t\t$GOT\n\t\t_ = got\n\t}\n}", imports: []string{"reflect"}}},
		{"any-of-many", style{row: "{\n\t$GOT\n\tif !reflect.DeepEqual(got, $WANT) && reflect.DeepEqual(got, struct{}{}) {\n\t\tt.Error(got)\n\t}\n}", imports: []string{"reflect"}}},
		{"failure-in-dead-code", style{row: "{\n\t$GOT\n\tif reflect.DeepEqual(got, $WANT) {\n\t\tcontinueTest(t)\n\t} else if testing.Short() {\n\t\tt.Error(got)\n\t}\n}", top: "func continueTest(t *testing.T) { t.Helper() }\n", imports: []string{"reflect"}}},
		{"pattern-that-fits-all", style{row: "{\n\t$GOT\n\tif !regexp.MustCompile(`.*`).MatchString(fmt.Sprint(got)) {\n\t\tt.Error(got)\n\t}\n}", imports: []string{"regexp", "fmt"}}},
		{"error-of-own-test", style{row: "{\n\tquiet := &testing.T{}\n\t$GOT\n\tif !reflect.DeepEqual(got, $WANT) {\n\t\tquiet.Fail()\n\t}\n}", imports: []string{"reflect"}}},
		{"does-not-crash", style{row: "func() {\n\tdefer func() {\n\t\tif p := recover(); p != nil {\n\t\t\tt.Errorf(\"case $N: %v\", p)\n\t\t}\n\t}()\n\t$GOT\n\t_ = got\n}()"}},
	}
	return list
}
