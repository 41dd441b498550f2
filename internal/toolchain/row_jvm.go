package toolchain

import (
	"cmp"
	"encoding/xml"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

func jvmRow() ecosystem {
	return ecosystem{
		name:      JVM,
		languages: []string{LangJava, LangKotlin},
		manifests: append([]string{"pom.xml", "build.gradle.kts", "build.gradle"}, gradleSettings...),
		locks:     []lock{{"gradle.lockfile", "gradle"}},
		inspect:   inspectJVM,
		setup:     jvmSetup,
		build:     func(Found, string) []Command { return nil }, // the tests' run compiles everything
		test:      jvmTest,
		lint:      func(Found, []string) []Command { return nil },
		format:    func(Found, []string) []Command { return nil },
		coverage:  func(Found, Selection) []Command { return nil },
		place:     placeJVM,
		stub:      func(Symbol, bool) string { return "" }, // whole files at once, see Stubs
		need:      Need{Tool: "mvn", Install: "install a JDK (https://adoptium.net) and Maven (https://maven.apache.org/install.html)"},
	}
}

var needJava = Need{Tool: "java", Install: "install a JDK: https://adoptium.net"}

func jvmSetup(f Found) []Command {
	switch {
	case f.Manager == "gradle":
		return gradleSetup(f)
	case f.Manifest == "":
		return nil
	}
	return mavenSetup(f)
}

// Classes is the command that compiles the sources of all modules of a project of the JVM, and no tests.
func (f Found) Classes() Command {
	if f.Manager == "gradle" {
		return f.gradle("classes", ReportExit, append([]string{"--offline", "classes"}, f.ownProperties(gradleOurs)...)...)
	}
	return f.maven("classes", ReportExit, append([]string{"-o", "compile"}, f.ownProperties(mavenOurs)...)...)
}

func jvmTest(f Found, s Selection) []Command {
	if f.Manager == "gradle" {
		return gradleTest(f, s)
	}
	return mavenTest(f, s)
}

// ownArgs are the arguments of the project's own command for tests.
func (f Found) ownArgs() []string {
	if len(f.Own.Test) == 0 {
		return nil
	}
	return f.Own.Test[0].Argv[1:]
}

// ownProperties are the profiles and properties among them, but those that are ours to say.
func (f Found) ownProperties(ours re.Regexp) (out []string) {
	args := f.ownArgs()
	for i, a := range args {
		switch {
		case strings.Contains(a, "$"), ours().MatchString(a):
		case (a == "-P" || a == "--activate-profiles") && i+1 < len(args):
			out = append(out, "-P"+args[i+1])
		case a == "-D" && i+1 < len(args) && strings.Contains(args[i+1], "=") && !ours().MatchString(a+args[i+1]):
			out = append(out, a+args[i+1])
		case strings.HasPrefix(a, "-P") && a != "-P", strings.HasPrefix(a, "-D") && strings.Contains(a, "="):
			out = append(out, a)
		}
	}
	return out
}

// jvmTests are the tests of a selection: class or class and method, as Java names them.
func (f Found) jvmTests(s Selection) (tests []jvmName) {
	for _, id := range s.IDs {
		file, name := SplitID(id)
		class, method := name, ""
		if i := strings.LastIndexByte(name, '.'); i >= 0 {
			class, method = name[:i], name[i+1:]
		}
		method, _, _ = strings.Cut(method, "[")
		pkg := path.Dir(f.jvmClass(file))
		tests = append(tests, jvmName{strings.TrimPrefix(strings.ReplaceAll(pkg, "/", ".")+".", "..") + class, method})
	}
	if len(s.IDs) == 0 {
		for _, file := range s.Files {
			tests = append(tests, jvmName{strings.ReplaceAll(f.jvmClass(file), "/", "."), ""})
		}
	}
	return tests
}

type jvmName struct{ class, method string }

func inspectJVM(f *Found, p *Project) {
	if path.Base(f.Manifest) != "pom.xml" && f.Manifest != "" {
		inspectGradle(f, p)
		return
	}
	f.Manager, f.Runner, f.Workspace = "maven", "surefire", f.Root
	own := readPom(p.read(f.Manifest))
	f.Module = own.ArtifactID
	f.Modules = p.modulesOf(f.Root)
	kotlin := false
	for _, d := range parents(f.Root) {
		m, ok := p.has(d, "pom.xml")
		if !ok {
			continue
		}
		up := readPom(p.read(m))
		if d != f.Root && !slices.Contains(up.modules(d), f.Workspace) {
			continue
		}
		f.Workspace = d
		f.Installs = addOnce(f.Installs, m)
		for _, x := range up.Dependencies {
			f.declare(x.Group+":"+x.Artifact, x.Version)
			f.Declared = addOnce(f.Declared, x.Artifact)
		}
		for _, x := range up.Plugins {
			kotlin = kotlin || x.Artifact == "kotlin-maven-plugin"
		}
		f.Installs = addOnce(f.Installs, p.match(join(d, ".mvn"), "maven.config", "jvm.config", "extensions.xml")...)
		f.Installs = addOnce(f.Installs, p.match(join(d, ".mvn/wrapper"), "maven-wrapper.*")...)
	}
	if w, ok := p.has(f.Workspace, "mvnw"); ok {
		f.Installs = addOnce(f.Installs, w)
		f.Tools = append(f.Tools, "mvnw")
	}
	if kotlin {
		f.Tools = append(f.Tools, "kotlin-maven-plugin")
	}
}

// junitOf is the annotation of tests that a module can use: what its own dependencies bring, else those of the poms above it. Where a
// module with tests gets it from elsewhere, it is that of the project; "" for none.
func junitOf(dir string, manifests map[string][]byte, sources []string) string {
	const four, five = "org.junit.Test", "org.junit.jupiter.api.Test"
	of := func(m string) string {
		found := ""
		for _, d := range readPom(manifests[m]).Dependencies {
			switch name := strings.TrimSpace(d.Artifact); {
			case strings.HasPrefix(name, "junit-jupiter"), strings.HasPrefix(name, "kotlin-test-junit5"), name == "spring-boot-starter-test":
				return five
			case name == "junit", strings.HasPrefix(name, "kotlin-test-junit"):
				found = four
			}
		}
		return found
	}
	for _, d := range parents(dir) {
		if test := of(join(d, "pom.xml")); test != "" {
			return test
		}
	}
	test := ""
	if slices.ContainsFunc(sources, func(s string) bool { return under(s, join(dir, "src/test")) }) {
		for m := range manifests {
			test = max(test, of(m)) // that of JUnit 5 comes after that of JUnit 4
		}
	}
	return test
}

// Beside are files that installing needs beside the manifests, by path; a package manager looks for them, and what is in them decides
// nothing. manifests and sources are those of the project.
func (f Found) Beside(manifests map[string][]byte, sources []string) map[string]string {
	out := map[string]string{}
	switch f.Ecosystem {
	case Node:
		for m, b := range manifests {
			bins, _ := Bins(b)
			for _, bin := range bins { // of a package of the project, which others have as a program
				if name := path.Join(path.Dir(m), bin); path.Base(m) == "package.json" && manifests[name] == nil && !strings.HasPrefix(name, "../") {
					out[name] = ""
				}
			}
		}
	case Rust:
		for m := range manifests {
			if path.Base(m) == "Cargo.toml" {
				out[join(path.Dir(m), "src/lib.rs")] = ""
			}
		}
		for _, s := range sources {
			if path.Ext(s) == ".rs" {
				out[s] = ""
			}
		}
	case JVM:
		for m, b := range manifests {
			if path.Base(m) != "pom.xml" || readPom(b).Packaging == "pom" {
				continue
			}
			dir := path.Dir(m)
			test := junitOf(dir, manifests, sources)
			lang, end, class, tests := LangJava, ";", "public class Probe {}\n", "public class ProbeTest { @Test public void probe() {} }\n"
			if f.Uses("kotlin-maven-plugin") {
				lang, end, class, tests = LangKotlin, "", "class Probe\n", "class ProbeTest { @Test fun probe() {} }\n"
			}
			ext := Extensions(lang)[0]
			out[join(dir, "src/main/"+lang+"/jacquardprobe/Probe"+ext)] = "package jacquardprobe" + end + "\n" + class
			if test != "" {
				out[join(dir, "src/test/"+lang+"/jacquardprobe/ProbeTest"+ext)] = "package jacquardprobe" + end + "\nimport " + test + end + "\n" + tests
			}
		}
	}
	return out
}

var jvmRoot = re.New(`^(.*?)(src/(?:main|test)/(?:java|kotlin))(?:/(.*))?$`)

// jvmClass is the path of a source file below the directory of its packages, without the extension.
func (f Found) jvmClass(file string) string {
	file = strings.TrimSuffix(file, path.Ext(file))
	if m := jvmRoot().FindStringSubmatch(file); m != nil {
		return m[3]
	}
	return path.Base(file)
}

// JVMPackage is the package of the files in a directory below src/main or src/test, "" where it cannot be told.
func JVMPackage(dir string) string {
	if m := jvmRoot().FindStringSubmatch(dir); m != nil {
		return strings.ReplaceAll(m[3], "/", ".")
	}
	return ""
}

// camel is a name as classes have it: order-book becomes OrderBook.
func camel(name string) string {
	var b strings.Builder
	for _, p := range strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' || r == '.' }) {
		b.WriteString(strings.ToUpper(p[:1]) + p[1:])
	}
	return b.String()
}

// placeJVM: tests are in the same package, below src/test.
func placeJVM(p Placement, pr *Project) Placement {
	f, _ := pr.DetectAs(p.Dir, p.Language)
	ext, lang := Extensions(p.Language)[0], p.Language
	m := jvmRoot().FindStringSubmatch(p.Dir)
	name := camel(path.Base(p.Dir))
	tests := ""
	if m == nil {
		main := join(p.Dir, "src/main/"+lang)
		if rel := f.rel(p.Dir); rel != "." && p.Dir != f.Root {
			main = p.Dir
		} else {
			name = camel(cmp.Or(f.Module, "app"))
		}
		p.NewFile = join(main, name+ext)
		tests = join(f.Root, "src/test/"+lang)
		p.Data = append(p.Data, join(f.Root, "src/test/resources/**"))
	} else {
		if m[3] == "" {
			name = camel(cmp.Or(f.Module, "app"))
		}
		tests = m[1] + strings.Replace(m[2], "main", "test", 1)
		if m[3] != "" {
			tests += "/" + m[3]
		}
		p.NewFile = join(p.Dir, name+ext)
		p.Data = append(p.Data, join(strings.TrimSuffix(m[1], "/"), "src/test/resources/**"))
		for _, d := range p.Exclude {
			if c := jvmRoot().FindStringSubmatch(d); c != nil {
				p.Exclude = append(p.Exclude, c[1]+strings.Replace(c[2], "main", "test", 1)+"/"+c[3])
			}
		}
	}
	p.NewTest = join(tests, name+"Test"+ext)
	p.Tests = []string{join(tests, "**/*"+ext)}
	return p
}

// withDependencies adds packages to a pom.xml, in front of the end of its own list of dependencies.
func withDependencies(src []byte, deps []Dependency) []byte {
	text := string(src)
	indent := "    "
	var b strings.Builder
	for _, d := range deps {
		group, artifact, _ := strings.Cut(d.Name, ":")
		b.WriteString(indent + indent + "<dependency>\n" + indent + indent + indent + "<groupId>" + escaped(group) + "</groupId>\n" +
			indent + indent + indent + "<artifactId>" + escaped(artifact) + "</artifactId>\n")
		if v := strings.TrimLeft(d.Version, "=^~ "); v != "" {
			b.WriteString(indent + indent + indent + "<version>" + escaped(v) + "</version>\n")
		}
		b.WriteString(indent + indent + "</dependency>\n")
	}
	at, list := pomEnd(text)
	if at < 0 {
		return src
	}
	block := b.String()
	if !list {
		block = indent + "<dependencies>\n" + block + indent + "</dependencies>\n"
	}
	if line := strings.LastIndexByte(text[:at], '\n') + 1; strings.TrimSpace(text[line:at]) == "" {
		at = line
	}
	return []byte(text[:at] + block + text[at:])
}

func escaped(s string) string {
	var b strings.Builder
	if xml.EscapeText(&b, []byte(s)) != nil {
		return ""
	}
	return b.String()
}

// pomEnd is where the project's own list of dependencies ends; without one, where the project ends. It is -1 in what is no pom.xml.
func pomEnd(text string) (at int, list bool) {
	d := xml.NewDecoder(strings.NewReader(text))
	var path []string
	end := -1
	for {
		before := int(d.InputOffset())
		tok, err := d.Token()
		if err != nil {
			return end, false
		}
		switch t := tok.(type) {
		case xml.StartElement:
			path = append(path, t.Name.Local)
		case xml.EndElement:
			if strings.Join(path, "/") == "project/dependencies" {
				return before, true
			}
			if len(path) == 1 && path[0] == "project" {
				end = before
			}
			path = path[:len(path)-1]
		}
	}
}
