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
		return r.notBuilt(each(list, func(c complaint) cargoError { return cargoError{complaint: c} })), nil
	}
	var out []step.TestResult
	for _, report := range reports {
		cases, err := junitCases(report)
		if err != nil {
			return nil, err
		}
		out = append(out, each(cases, r.surefireCase)...)
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
	st, msg := c.gave()
	if st == step.Fail || st == step.Error && id != "" {
		st, msg = step.Fail, foreignFrames().ReplaceAllString(msg, "")
	}
	return r.result(file, id, st, msg, c.seconds())
}

// foreignFrames are the frames of the runner and the language.
var foreignFrames = re.New(`(?m)^[\t ]*at (?:org\.junit|java\.|jdk\.|sun\.|org\.apache\.maven|org\.gradle|kotlin\.|org\.opentest4j).*\n?`)

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
