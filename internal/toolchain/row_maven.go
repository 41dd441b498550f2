package toolchain

import (
	"cmp"
	"encoding/xml"
	"path"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

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

// mavenQuick: it runs for seconds, and is started often. The quick compiler takes more of the stack, and javac a lot of it for long expressions.
const mavenQuick = "MAVEN_OPTS=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xss8m"

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
	c.Needs = append(c.Needs, needJava)
	return c
}

// mavenPackaged are the phases that give modules the jars of others.
var mavenPackaged = []string{"package", "pre-integration-test", "integration-test", "post-integration-test", "verify", "install", "deploy"}

// mavenRun are the arguments that run tests as the project's own people do: with their profiles and properties, and as far as package where
// they go so far and there is more than one module. What comes after it is not about tests of the code.
func (f Found) mavenRun() []string {
	phase := "test"
	if (len(f.Modules) > 0 || f.Workspace != f.Root) && slices.ContainsFunc(f.ownArgs(), func(a string) bool { return slices.Contains(mavenPackaged, a) }) {
		phase = "package"
	}
	return append(f.ownProperties(mavenOurs), phase)
}

// mavenOurs are properties that decide where Maven finds and writes things, which tests it runs, and what it says.
var mavenOurs = re.New(`^-D(?:maven\.(?:repo|test|wagon|javadoc)|skip|test=|surefire|style|user|gpg|sonar|altDeployment|http|org\.slf4j)`)

// mavenSetup runs the whole life cycle once, on sources that mean nothing: only then Maven has fetched everything that it will want.
func mavenSetup(f Found) []Command {
	c := f.maven("setup", ReportExit, append(slices.Clone(mavenSettings), f.mavenRun()...)...)
	c.Env = slices.DeleteFunc(c.Env, func(kv string) bool { return kv == mavenQuick }) // what the user has set says how registries are reached
	return []Command{c}
}

// onSources is the setup of Maven for a project that cannot be built but from its own sources, which are given by path. Of each module one
// class of tests is run, for what Maven fetches to run any; what it says decides nothing here.
func onSources(setup []Command, sources []string) []Command {
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

var surefireWild = re.New(`[^\pL\pN_$]`)

// mavenTest: Surefire leaves a report for each class below target.
func mavenTest(f Found, s Selection) []Command {
	args := []string{"-o"}
	var wanted []string
	for _, t := range f.jvmTests(s) {
		if t.method != "" {
			t.class += "#" + surefireWild().ReplaceAllString(t.method, "?")
		}
		wanted = addOnce(wanted, t.class)
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
	in := ""
	for _, file := range s.files() {
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
