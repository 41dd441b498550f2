package check

import (
	"path"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
	"github.com/jacquard-build/jacquard/internal/source"
	"github.com/jacquard-build/jacquard/internal/step"
)

// jvmPlace is the place of an error of javac or of Kotlin's compiler, as Maven prints it; gradlePlace as Gradle does.
var (
	jvmPlace    = re.New(`^\[ERROR\] (?:file://)?(.*\.(?:java|kts?)): ?[\[(](\d+), ?\d+[\])]:? (.*)$`)
	gradlePlace = re.New(`^(?:e: (?:file://)?(/?\S.*\.kts?):[( ]*(\d+)[:,] ?\d+\)?:? (.*)|(/?\S.*\.java):(\d+): error: (.*))$`)
)

// jvmComplaints finds the compilers' errors in Maven's output, which says each of them twice.
func (r reader) jvmComplaints(output []byte) []complaint {
	var out []complaint
	seen := map[string]bool{}
	last := -1
	for l := range strings.Lines(string(output)) {
		l = strings.TrimRight(l, "\r\n")
		m := jvmPlace().FindStringSubmatch(l)
		if g := gradlePlace().FindStringSubmatch(l); g != nil {
			m = []string{l, g[1] + g[4], g[2] + g[5], g[3] + g[6]}
		}
		if m != nil {
			last = -1
			c := complaint{file: r.relative(m[1]), line: atoi(m[2]), text: m[3], full: strings.TrimPrefix(l, "[ERROR] ")}
			if key := m[1] + m[2] + m[3]; !seen[key] {
				seen[key] = true
				out, last = append(out, c), len(out)
			}
			continue
		}
		if last >= 0 && strings.HasPrefix(l, "  ") {
			out[last].full += "\n" + l
			out[last].text += "\n" + l
			continue
		}
		last = -1
	}
	return out
}

// surefire reads the reports of all classes.
func (r reader) surefire(reports [][]byte, output []byte) ([]step.TestResult, error) {
	if list := r.jvmComplaints(output); len(list) > 0 {
		b := cargoBuilt{}
		for _, c := range list {
			b.errors = append(b.errors, cargoError{complaint: c})
		}
		return r.notBuilt(b), nil
	}
	var out []step.TestResult
	for _, report := range reports {
		cases, err := junitCases(report)
		if err != nil {
			return nil, err
		}
		for _, c := range cases {
			out = append(out, r.surefireCase(c))
		}
	}
	return out, nil
}

var jvmParams = re.New(`\([^()]*\)(\[|$)`)

func (r reader) surefireCase(c junitCase) step.TestResult {
	pkg, class := "", c.Class
	if i := strings.LastIndexByte(class, '.'); i >= 0 {
		pkg, class = class[:i], class[i+1:]
	}
	file := r.classFile(pkg, class)
	name := jvmParams().ReplaceAllString(strings.TrimSpace(c.Name), "$1")
	id := class + "." + name
	if name == "" || name == c.Class || name == class { // the class as a whole could not be set up
		id = ""
	}
	st, msg := step.Pass, ""
	switch {
	case c.Error != nil && id == "":
		st, msg = step.Error, c.Error.String()
	case c.Error != nil: // an exception that is no AssertionError; for all other runners such a test fails
		st, msg = step.Fail, c.Error.both()
	case c.Failure != nil:
		st, msg = step.Fail, c.Failure.both()
	case c.Skipped != nil:
		st, msg = step.Skip, c.Skipped.String()
	}
	return r.result(file, id, st, msg, c.seconds())
}

// both is the text without the frames of the runner and the language.
func (t junitText) both() string {
	var b strings.Builder
	for l := range strings.Lines(t.String()) {
		if trimmed := strings.TrimSpace(l); !foreignFrame().MatchString(trimmed) {
			b.WriteString(l)
		}
	}
	return b.String()
}

var foreignFrame = re.New(`^at (?:org\.junit|java\.|jdk\.|sun\.|org\.apache\.maven|org\.gradle|kotlin\.|org\.opentest4j)`)

// classFile finds the file that declares a class of tests: of the directory of its package, as Java's compiler wants it, else any test file
// of the package that has the class.
func (r reader) classFile(pkg, class string) string {
	outer, _, _ := strings.Cut(class, "$")
	for _, lang := range []string{"java", "kotlin"} {
		for _, ext := range []string{".java", ".kt"} {
			file := path.Join(r.chain.Root, "src/test", lang, strings.ReplaceAll(pkg, ".", "/"), outer+ext)
			if r.text(file) != nil {
				return file
			}
		}
	}
	if r.tests != nil {
		for _, file := range r.tests() {
			f := source.Parse(file, r.text(file))
			if f.Package != pkg {
				continue
			}
			for _, t := range f.Tests {
				if strings.HasPrefix(t.Name, outer+".") || strings.HasPrefix(t.Name, outer+"$") {
					return file
				}
			}
		}
	}
	return r.chain.Root
}
