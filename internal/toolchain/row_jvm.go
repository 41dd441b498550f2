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
		manifests: []string{"pom.xml", "build.gradle.kts", "build.gradle"},
		locks:     []lock{{"gradle.lockfile", "gradle"}},
		inspect:   inspectJVM,
		setup:     mavenSetup,
		build:     func(Found, string) []Command { return nil }, // the tests' run compiles everything
		test:      mavenTest,
		lint:      func(Found, []string) []Command { return nil },
		format:    func(Found, []string) []Command { return nil },
		coverage:  func(Found, Selection) []Command { return nil },
		place:     placeJVM,
		stub:      func(Symbol, bool) string { return "" }, // whole files at once, see Stubs
		need:      Need{Tool: "mvn", Install: "install a JDK (https://adoptium.net) and Maven (https://maven.apache.org/install.html)"},
	}
}

// pom is what a pom.xml says, as far as it matters here.
type pom struct {
	ArtifactID   string       `xml:"artifactId"`
	Packaging    string       `xml:"packaging"`
	Modules      []string     `xml:"modules>module"`
	OfProfiles   []string     `xml:"profiles>profile>modules>module"`
	Dependencies []dependency `xml:"dependencies>dependency"`
	Plugins      []dependency `xml:"build>plugins>plugin"`
}

type dependency struct {
	Group    string `xml:"groupId"`
	Artifact string `xml:"artifactId"`
	Version  string `xml:"version"`
}

func readPom(b []byte) pom {
	var p pom
	if xml.Unmarshal(b, &p) != nil {
		return pom{}
	}
	return p
}

// modules are the directories of the modules of a pom.xml in dir.
func (p pom) modules(dir string) []string {
	var out []string
	for _, m := range append(p.Modules, p.OfProfiles...) {
		out = addOnce(out, path.Join(dir, strings.TrimSuffix(strings.TrimSpace(m), "/pom.xml")))
	}
	return out
}

func inspectJVM(f *Found, p *Project) {
	if path.Base(f.Manifest) != "pom.xml" && f.Manifest != "" {
		f.Manager, f.Runner = "gradle", "gradle"
		f.Installs = addOnce(addOnce(nil, f.Manifest), f.Lock)
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
		if d != f.Root && !contains(up.modules(d), f.Workspace) {
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
		for _, file := range append(p.match(join(d, ".mvn"), "maven.config", "jvm.config", "extensions.xml"), p.match(join(d, ".mvn/wrapper"), "maven-wrapper.*")...) {
			f.Installs = addOnce(f.Installs, file)
		}
	}
	if w, ok := p.has(f.Workspace, "mvnw"); ok {
		f.Installs = addOnce(f.Installs, w)
		f.Tools = append(f.Tools, "mvnw")
	}
	if kotlin {
		f.Tools = append(f.Tools, "kotlin-maven-plugin")
	}
}

// modulesOf are the modules that a pom.xml in dir builds, and theirs.
func (p *Project) modulesOf(dir string) []string {
	all := []string{dir}
	for i := 0; i < len(all); i++ { // all grows
		if file, ok := p.has(all[i], "pom.xml"); ok {
			for _, m := range readPom(p.read(file)).modules(all[i]) {
				if _, there := p.has(m, "pom.xml"); there {
					all = addOnce(all, m)
				}
			}
		}
	}
	return all[1:]
}

// mavenQuiet are plug-ins that judge how code looks, or measure: they are not part of a proof, and they would judge stubs.
var mavenQuiet = []string{
	"-Denforcer.skip", "-Dcheckstyle.skip", "-Dspotless.check.skip", "-Dpmd.skip", "-Dcpd.skip", "-Dspotbugs.skip", "-Djacoco.skip",
	"-Drat.skip", "-Dlicense.skip", "-Dfmt.skip", "-Ddetekt.skip", "-Dktlint.skip", "-Danimal.sniffer.skip",
}

// mavenQuick: it runs for seconds, and is started often.
const mavenQuick = "MAVEN_OPTS=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

// mavenUnsaid are arguments of each command of Maven.
var mavenUnsaid = slices.Concat([]string{
	"-B", "-q", "-Dstyle.color=never", "-Dmaven.repo.local={env}/repository", "-Duser.home={home}", "-DtrimStackTrace=true",
}, mavenQuiet)

// mavenSettings are where an installation finds its registries, mavenSelects goes with a selection of tests that modules may have none of.
var (
	mavenSettings = []string{"-gs", "{settings}"}
	mavenSelects  = []string{"-Dsurefire.failIfNoSpecifiedTests=false", "-DfailIfNoTests=false"}
)

// maven makes a command of Maven that takes what it needs from {env}.
func (f Found) maven(name string, r Report, args ...string) Command {
	c := Command{
		Name: name, Argv: slices.Concat([]string{"mvn"}, mavenUnsaid, args), Dir: f.Workspace, Report: r,
		Env: []string{mavenQuick}, Needs: []Need{jvmRow().need}, Unsaid: slices.Concat(mavenUnsaid, mavenSettings, mavenSelects),
	}
	if f.Uses("mvnw") { // it brings the Maven that it names with it
		c.Argv = append([]string{"sh", "mvnw"}, c.Argv[1:]...)
		c.Env = append(c.Env, "MAVEN_USER_HOME={env}/maven")
		c.Needs = []Need{{Tool: "sh", Install: "mvnw needs a shell"}}
	}
	c.Needs = append(c.Needs, Need{Tool: "java", Install: "install a JDK: https://adoptium.net"})
	return c
}

// mavenPhases are the phases that run tests; those from package on give modules the jars of others.
var mavenPhases = []string{"test", "prepare-package", "package", "pre-integration-test", "integration-test", "post-integration-test", "verify", "install", "deploy"}

// mavenRun are the arguments that run tests as the project's own people do: with their profiles and properties, and as far as package where
// they go so far and there is more than one module. What comes after it is not about tests of the code.
func (f Found) mavenRun() []string {
	var args []string
	phase := "test"
	if len(f.Own.Test) > 0 {
		argv := f.Own.Test[0].Argv
		for i, a := range argv[1:] {
			switch {
			case strings.Contains(a, "$"):
			case strings.HasPrefix(a, "-P") && a != "-P", strings.HasPrefix(a, "-D") && strings.Contains(a, "=") && !mavenOurs().MatchString(a):
				args = append(args, a)
			case (a == "-P" || a == "--activate-profiles") && i+2 < len(argv):
				args = append(args, "-P"+argv[i+2])
			case slices.Index(mavenPhases, a) >= slices.Index(mavenPhases, "package") && (len(f.Modules) > 0 || f.Workspace != f.Root):
				phase = "package"
			}
		}
	}
	return append(args, phase)
}

// mavenOurs are properties that decide where Maven finds and writes things, which tests it runs, and what it says.
var mavenOurs = re.New(`^-D(?:maven\.(?:repo|test|wagon|javadoc)|skip|test=|surefire|style|user|gpg|sonar|altDeployment|http|org\.slf4j)`)

// mavenSetup runs the whole life cycle once, on sources that mean nothing: only then Maven has fetched everything that it will want.
func mavenSetup(f Found) []Command {
	if f.Manager != "maven" || f.Manifest == "" {
		return nil
	}
	c := f.maven("setup", ReportExit, append(slices.Clone(mavenSettings), f.mavenRun()...)...)
	c.Env = slices.DeleteFunc(c.Env, func(kv string) bool { return kv == mavenQuick }) // what the user has set says how registries are reached
	return []Command{c}
}

// OnSources is the setup of Maven for a project that cannot be built but from its own sources, which are given by path. Of each module one
// class of tests is run, for what Maven fetches to run any; what it says decides nothing here.
func OnSources(setup []Command, sources []string) []Command {
	var classes, modules []string
	for _, file := range sources {
		module, _, ok := strings.Cut("/"+file, "/src/test/")
		if name := strings.TrimSuffix(path.Base(file), path.Ext(file)); ok && jvmRoot().MatchString(file) && strings.HasSuffix(name, "Test") && !slices.Contains(modules, module) {
			classes, modules = append(classes, name), append(modules, module)
		}
	}
	out := slices.Clone(setup)
	for i := range out {
		out[i].Argv = append(slices.Clone(out[i].Argv), "-Dmaven.test.failure.ignore=true")
		if len(classes) > 0 {
			out[i].Argv = append(append(out[i].Argv, "-Dtest="+strings.Join(classes, ",")), mavenSelects...)
		}
	}
	return out
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
			dir, lang, end := path.Dir(m), "java", ";"
			test := junitOf(dir, manifests, sources)
			if f.Uses("kotlin-maven-plugin") {
				lang, end = "kotlin", ""
			}
			ext := Extensions(lang)[0]
			class := map[string]string{"java": "public class Probe {}\n", "kotlin": "class Probe\n"}[lang]
			tests := map[string]string{
				"java":   "public class ProbeTest { @Test public void probe() {} }\n",
				"kotlin": "class ProbeTest { @Test fun probe() {} }\n",
			}[lang]
			out[join(dir, "src/main/"+lang+"/jacquardprobe/Probe"+ext)] = "package jacquardprobe" + end + "\n" + class
			if test != "" {
				out[join(dir, "src/test/"+lang+"/jacquardprobe/ProbeTest"+ext)] = "package jacquardprobe" + end + "\nimport " + test + end + "\n" + tests
			}
		}
	}
	return out
}

var surefireWild = re.New(`[^\pL\pN_$]`)

// mavenTest: Surefire leaves a report for each class below target.
func mavenTest(f Found, s Selection) []Command {
	if f.Manager == "gradle" {
		return []Command{{
			Name: "test", Dir: f.Root, Report: ReportSurefire,
			Refuse: "projects with Gradle are built by a command of their own: set checks: test: in jacquard.yaml to one that runs the tests and leaves JUnit's XML reports in build/test-results, for example ./gradlew --offline test",
		}}
	}
	args := []string{"-o"}
	var wanted []string
	if len(s.IDs) > 0 {
		for _, id := range s.IDs {
			file, name := SplitID(id)
			class, method := name, ""
			if i := strings.LastIndexByte(name, '.'); i >= 0 {
				class, method = name[:i], name[i+1:]
			}
			method, _, _ = strings.Cut(method, "[")
			pkg := path.Dir(f.jvmClass(file))
			wanted = addOnce(wanted, strings.TrimPrefix(strings.ReplaceAll(pkg, "/", ".")+".", "..")+class+"#"+surefireWild().ReplaceAllString(method, "?"))
		}
	} else {
		for _, file := range s.Files {
			wanted = addOnce(wanted, strings.ReplaceAll(f.jvmClass(file), "/", "."))
		}
	}
	if len(wanted) > 0 {
		args = append(append(args, "-Dtest="+strings.Join(wanted, ",")), mavenSelects...)
	}
	if module := f.mavenModule(s); module != f.Workspace {
		args = append(args, "-pl", strings.TrimPrefix(module, strings.TrimPrefix(f.Workspace+"/", "./")), "-am")
	}
	return []Command{f.maven("test", ReportSurefire, append(args, f.mavenRun()...)...)}
}

// mavenModule is the module that all tests of a selection are in, the whole project where they are of several.
func (f Found) mavenModule(s Selection) string {
	files := slices.Clone(s.Files)
	for _, id := range s.IDs {
		file, _ := SplitID(id)
		files = append(files, file)
	}
	in := ""
	for _, file := range files {
		of := f.Root
		for _, m := range f.Modules { // a module's own come after it
			if under(file, m) {
				of = m
			}
		}
		if in != "" && in != of {
			return f.Root
		}
		in = of
	}
	return cmp.Or(in, f.Root)
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
