package toolchain

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

// GradleScript is what Gradle reads first, for {gradle}: it selects tests, and sees to it that they run again.
//
//go:embed gradle.gradle
var GradleScript string

// gradleFiles decide what a build of Gradle fetches: scripts, catalogs of versions, locks, the wrapper, plug-ins of the project's own.
var gradleFiles = re.New(`(?:^|/)(?:[^/]*\.gradle(?:\.kts)?|gradle\.properties|gradle\.lockfile|gradlew|gradle/.*|buildSrc/.*|build-logic/.*)$`)

// gradleSettings are the files that make a directory the root of a build.
var gradleSettings = []string{"settings.gradle.kts", "settings.gradle"}

func inspectGradle(f *Found, p *Project) {
	f.Manager, f.Runner, f.Workspace, f.Installs = "gradle", "gradle", f.Root, nil
	for _, d := range parents(f.Root) {
		if _, ok := p.has(d, gradleSettings...); ok {
			f.Workspace = d
			break
		}
	}
	for _, file := range p.files {
		if under(file, f.Workspace) && !ignoredDir(file) && gradleFiles().MatchString(file) {
			f.Installs = append(f.Installs, file)
		}
	}
	if _, ok := p.has(f.Workspace, "gradlew"); ok {
		f.Tools = append(f.Tools, "gradlew")
	}
	scripts := append(p.match(f.Workspace, "build.gradle*"), p.match(f.Root, "build.gradle*")...)
	if slices.ContainsFunc(scripts, func(file string) bool { return multiplatform().Match(p.read(file)) }) {
		f.Tools = append(f.Tools, "kotlin-multiplatform")
	}
}

var multiplatform = re.New(`kotlin[(.\-"]+multiplatform|org\.jetbrains\.kotlin\.multiplatform`)

// gradleUnsaid are arguments of each command of Gradle: it keeps no process, and takes no result from elsewhere.
var gradleUnsaid = []string{
	"--no-daemon", "--console=plain", "--init-script", "{gradle}",
	"-Dorg.gradle.configuration-cache=false", "-Dorg.gradle.unsafe.configuration-cache=false", "-Dorg.gradle.caching=false",
	"-Dorg.gradle.vfs.watch=false", "-Pkotlin.compiler.execution.strategy=in-process",
}

// gradle makes a command of Gradle, by the project's wrapper where it has one.
func (f Found) gradle(name string, r Report, args ...string) Command {
	c := Command{
		Name: name, Argv: slices.Concat([]string{"gradle"}, gradleUnsaid, args), Dir: f.Workspace, Report: r, Unsaid: gradleUnsaid,
		Needs: []Need{{Tool: "gradle", Install: "install Gradle (https://gradle.org/install), or commit its wrapper"}, needJava},
	}
	if f.Uses("gradlew") {
		c.Argv = append([]string{"sh", "gradlew"}, c.Argv[1:]...)
		c.Needs = []Need{{Tool: "sh", Install: "gradlew needs a shell"}, needJava}
	}
	return c
}

// gradleRun are the arguments that run tests as the project's own people do: their tasks that are named for tests, their properties.
func (f Found) gradleRun() []string {
	var tasks []string
	all := false // what build and check have of tests
	for _, a := range f.ownArgs() {
		switch name := a[strings.LastIndexByte(a, ':')+1:]; {
		case strings.HasPrefix(a, "-"), strings.Contains(a, "$"):
		case strings.HasSuffix(strings.ToLower(name), "test"), name == "allTests":
			tasks = append(tasks, a)
		case name == "build", name == "check":
			all = true
		}
	}
	if all || len(tasks) == 0 {
		task := "test"
		if f.Uses("kotlin-multiplatform") {
			task = "jvmTest"
		}
		tasks = addOnce(tasks, task)
	}
	return append(f.ownProperties(gradleOurs), tasks...)
}

// gradleOurs are properties that say how Gradle itself runs.
var gradleOurs = re.New(`^-Dorg\.gradle`)

// gradleSetup builds the project and begins its tests without running one: only then Gradle has fetched everything that it will want.
func gradleSetup(f Found) []Command {
	const installs = "-Djacquard.setup=true"
	c := f.gradle("setup", ReportExit, append([]string{installs}, f.gradleRun()...)...)
	c.Unsaid = append(slices.Clone(c.Unsaid), installs)
	c.Env = f.Env()                       // which only checks are given
	c.Optional = f.Override["test"] != "" // that may need nothing of it
	return []Command{c}
}

// gradleTest: Gradle leaves a report for each class below build/test-results. The other modules' tests run also where one's fail.
func gradleTest(f Found, s Selection) []Command {
	args := []string{"--offline", "--continue"}
	var wanted []string
	for _, t := range f.jvmTests(s) {
		if t.method == "" {
			wanted = append(wanted, t.class, t.class+"$*")
			continue
		}
		wanted = append(wanted, t.class+"."+surefireWild().ReplaceAllString(t.method, "*"))
	}
	if len(wanted) > 0 {
		args = append(args, "-Djacquard.tests="+strings.Join(wanted, ","))
	}
	return []Command{f.gradle("test", ReportSurefire, append(args, f.gradleRun()...)...)}
}
