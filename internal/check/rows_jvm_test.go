package check_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/conformance"
	"github.com/jacquard-build/jacquard/internal/step"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// mavenPom is a project with JUnit; more goes in front of the end of its dependencies, and plugins are its plug-ins.
func mavenPom(more, plugins string) string {
	return "<project xmlns=\"http://maven.apache.org/POM/4.0.0\">\n  <modelVersion>4.0.0</modelVersion>\n  <groupId>org.example</groupId>\n  <artifactId>sample</artifactId>\n  <version>1</version>\n" +
		"  <properties>\n    <maven.compiler.source>17</maven.compiler.source>\n    <maven.compiler.target>17</maven.compiler.target>\n    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>\n  </properties>\n" +
		"  <dependencies>\n    <dependency>\n      <groupId>org.junit.jupiter</groupId>\n      <artifactId>junit-jupiter</artifactId>\n      <version>5.11.4</version>\n      <scope>test</scope>\n    </dependency>\n" + more + "  </dependencies>\n" +
		"  <build>\n    <plugins>\n      <plugin>\n        <artifactId>maven-surefire-plugin</artifactId>\n        <version>3.5.2</version>\n      </plugin>\n" + plugins + "    </plugins>\n  </build>\n</project>\n"
}

// maven says whether Maven is here and reaches its registry: without it not even the simplest project can be built.
func maven(t *testing.T) {
	t.Helper()
	needs(t, "mvn")
	needs(t, "javac")
}

func javaSample() sample {
	const impl = "package org.example.calc;\n\n/** Divides. */\npublic final class Calc {\n    private Calc() {\n    }\n\n    /** Divides whole numbers. */\n    public static long div(long a, long b) throws ZeroException {\n        if (b == 0) {\n            throw new ZeroException(\"zero\");\n        }\n        if (a < 0 && b < 0) {\n            return div(-a, -b);\n        }\n        return a / b;\n    }\n}\n"
	const failure = "package org.example.calc;\n\n/** A division by zero. */\npublic class ZeroException extends Exception {\n    /** Says what was divided. */\n    public ZeroException(String message) {\n        super(message);\n    }\n}\n"
	const head = "package org.example.calc;\n\nimport static org.junit.jupiter.api.Assertions.*;\n\nimport org.junit.jupiter.api.Nested;\nimport org.junit.jupiter.api.Test;\nimport org.junit.jupiter.params.ParameterizedTest;\nimport org.junit.jupiter.params.provider.ValueSource;\n\nclass CalcTest {\n"
	const test = head + "    @Test\n    void divides() throws Exception {\n        assertEquals(2, Calc.div(6, 3));\n    }\n\n    @ParameterizedTest\n    @ValueSource(longs = {1, 2})\n    void byItself(long n) throws Exception {\n        assertEquals(1, Calc.div(n, n));\n    }\n\n    @Nested\n    class Errors {\n        @Test\n        void zero() {\n            assertThrows(ZeroException.class, () -> Calc.div(1, 0));\n        }\n    }\n}\n"
	const main, tests = "src/main/java/org/example/calc/", "src/test/java/org/example/calc/CalcTest.java"
	return sample{
		name: "java", dir: "src/main/java/org/example/calc",
		base: map[string]string{
			"pom.xml": mavenPom("", ""), "src/main/java/org/example/other/Other.java": "package org.example.other;\n\npublic class Other {\n    public static int one() {\n        return 1;\n    }\n}\n",
			"src/test/java/org/example/other/OtherTest.java": "package org.example.other;\n\nimport org.junit.jupiter.api.Assertions;\nimport org.junit.jupiter.api.Test;\n\nclass OtherTest {\n    @Test\n    void one() {\n        Assertions.assertEquals(1, Other.one());\n    }\n}\n",
		},
		exports: []step.Export{
			{Kind: "class", Name: "Calc", Signature: "Calc"},
			{Kind: "function", Name: "Calc.div", Signature: "static long div(long a, long b) throws ZeroException"},
			{Kind: "class", Name: "ZeroException", Signature: "class ZeroException extends Exception"},
		},
		test:      map[string]string{tests: test},
		ids:       []string{tests + "::CalcTest$Errors.zero", tests + "::CalcTest.byItself", tests + "::CalcTest.divides"},
		right:     map[string]string{main + "Calc.java": impl, main + "ZeroException.java": failure},
		wrong:     map[string]string{main + "Calc.java": strings.Replace(impl, "throw new ZeroException(\"zero\");", "return 0;", 1), main + "ZeroException.java": failure},
		cheat:     map[string]string{main + "Calc.java": strings.Replace(impl, "throw new ZeroException(\"zero\");", "return 0;", 1), main + "ZeroException.java": failure, tests: head + "    @Test\n    void divides() {\n        assertTrue(true);\n    }\n}\n"},
		refactor:  map[string]string{main + "Calc.java": strings.Replace(impl, "return a / b;\n    }\n", "return quotient(a, b);\n    }\n\n    private static long quotient(long a, long b) {\n        return a / b;\n    }\n", 1)},
		breaking:  map[string]string{main + "Calc.java": strings.Replace(impl, "div(long a, long b) throws", "div(long a, long... b) throws", 1)},
		weakTest:  map[string]string{tests: head + "    @Test\n    void divides() throws Exception {\n        assertNotEquals(1000, Calc.div(0, 3));\n    }\n}\n"},
		broken:    map[string]string{tests: head + "    @Test\n    void divides() throws Exception {\n        assertEquals(Nowhere.x(), Calc.div(6, 3));\n    }\n}\n"},
		satisfied: map[string]string{tests: head + "    @Test\n    void divides() throws Exception {\n        assertEquals(2, Calc.div(6, 3));\n    }\n\n    @Test\n    void nothing() {\n        assertEquals(1, \"a\".length());\n    }\n}\n"},
	}
}

// TestRowMaven takes fewer steps than the other rows: each start of Maven takes seconds.
func TestRowMaven(t *testing.T) {
	t.Parallel()
	conformance.Only(t)
	maven(t)
	l := newLab(t)
	s := javaSample()
	proveRow(t, l, s, "maven surefire", s.ids[0])
	base := l.tree("", s.base)
	m := l.module(base, s.dir, s.exports...)
	p, err := l.checker.Red(t.Context(), m, base, l.tree(base, s.broken), nil)
	want(t, "broken test", p, err, false, "red-unrelated-failure")
	p, err = l.checker.Red(t.Context(), m, base, l.tree(base, s.satisfied), nil)
	want(t, "test that passes already", p, err, true, "already-passes")
	if len(p.Satisfied) != 1 || len(p.Red) != 1 {
		t.Fatalf("satisfied = %q, red = %q", p.Satisfied, p.Red)
	}
}

// TestRowMavenOnSources: a plug-in that looks for a file of the project finds it where all is installed, too.
func TestRowMavenOnSources(t *testing.T) {
	t.Parallel()
	conformance.Only(t)
	maven(t)
	l := newLab(t)
	s := javaSample()
	s.base["data.txt"] = "1\n"
	s.base["pom.xml"] = mavenPom("", "      <plugin>\n        <artifactId>maven-antrun-plugin</artifactId>\n        <version>3.1.0</version>\n        <executions><execution><phase>compile</phase><goals><goal>run</goal></goals><configuration><target>"+
		"<fail message=\"no data\"><condition><not><available file=\"${basedir}/data.txt\"/></not></condition></fail></target></configuration></execution></executions>\n      </plugin>\n")
	base := l.tree("", s.base)
	m := l.module(base, s.dir, s.exports...)
	p, err := l.checker.Red(t.Context(), m, base, l.tree(base, s.test), nil)
	want(t, "a plug-in that reads a file", p, err, true)
}

// TestRowMavenModules: all modules are tested by one run, as far as the project's own command goes: one needs what another's jar has.
func TestRowMavenModules(t *testing.T) {
	t.Parallel()
	conformance.Only(t)
	maven(t)
	l := newLab(t)
	parent := func(name, more string) string {
		return "<project><modelVersion>4.0.0</modelVersion><parent><groupId>org.example</groupId><artifactId>sample</artifactId><version>1</version></parent><artifactId>" + name + "</artifactId>" + more + "</project>\n"
	}
	const core = "<dependencies><dependency><groupId>org.example</groupId><artifactId>core</artifactId><version>1</version></dependency></dependencies>" +
		"<build><plugins><plugin><artifactId>maven-antrun-plugin</artifactId><version>3.1.0</version><executions><execution><phase>test-compile</phase><goals><goal>run</goal></goals><configuration><target>" +
		"<fail message=\"no jar\"><condition><not><available file=\"${basedir}/../core/target/core-1.jar\"/></not></condition></fail></target></configuration></execution></executions></plugin></plugins></build>"
	const head = "package org.example;\n\nimport static org.junit.jupiter.api.Assertions.assertEquals;\n\nimport org.junit.jupiter.api.Test;\n\n"
	tree := l.tree("", map[string]string{
		"pom.xml":      strings.Replace(mavenPom("", ""), "<version>1</version>\n", "<version>1</version>\n  <packaging>pom</packaging>\n  <modules><module>core</module><module>app</module></modules>\n", 1),
		"core/pom.xml": parent("core", ""), "app/pom.xml": parent("app", core),
		"core/src/main/java/org/example/Core.java":     "package org.example;\n\npublic class Core {\n    public static int one() {\n        return 1;\n    }\n}\n",
		"core/src/test/java/org/example/CoreTest.java": head + "class CoreTest {\n    @Test\n    void one() {\n        assertEquals(1, Core.one());\n    }\n}\n",
		"app/src/main/java/org/example/App.java":       "package org.example;\n\npublic class App {\n    public static int three() {\n        return 2 + Core.one();\n    }\n}\n",
		"app/src/test/java/org/example/AppTest.java":   head + "class AppTest {\n    @Test\n    void three() {\n        assertEquals(3, App.three());\n    }\n}\n",
		".github/workflows/ci.yml":                     "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: mvn -B verify -Dgreeting=hello\n",
	})
	all := l.project(tree).All()
	if len(all) != 1 || all[0].Root != "." {
		t.Fatalf("toolchains = %+v", all)
	}
	for _, chain := range []toolchain.Found{all[0], l.module(tree, "app/src/main/java/org/example").Chain} {
		p, err := l.checker.Baseline(t.Context(), chain, tree)
		want(t, "tests of "+chain.Root, p, err, true)
		if c := p.Counts(); c.Passed != 2 || len(p.Records) != 1 || !slices.Contains(p.Records[0].Argv, "-Dgreeting=hello") {
			t.Errorf("%s: counts = %+v of %+v", chain.Root, c, p.Records)
		}
	}
}

// TestRowMavenBundle has plug-ins whose versions only the registry knows, properties apart from their option, and an expression that takes
// much of the compiler's stack.
func TestRowMavenBundle(t *testing.T) {
	t.Parallel()
	conformance.Only(t)
	maven(t)
	l := newLab(t)
	const bundle = "      <plugin>\n        <groupId>org.apache.felix</groupId>\n        <artifactId>maven-bundle-plugin</artifactId>\n        <version>5.1.9</version>\n        <extensions>true</extensions>\n      </plugin>\n"
	files := javaSample().base
	files["pom.xml"] = strings.Replace(mavenPom("", bundle), "<version>1</version>\n", "<version>1</version>\n  <packaging>bundle</packaging>\n", 1)
	files[".github/workflows/ci.yml"] = "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: mvn test -D greeting=hello\n"
	files["src/test/java/org/example/other/LongTest.java"] = "package org.example.other;\n\nimport org.junit.jupiter.api.Assertions;\nimport org.junit.jupiter.api.Test;\n\nclass LongTest {\n    @Test\n    void adds() {\n        Assertions.assertEquals(3000, " + strings.Repeat("Other.one() + ", 2999) + "Other.one());\n    }\n}\n"
	tree := l.tree("", files)
	p, err := l.checker.Baseline(t.Context(), l.project(tree).All()[0], tree)
	want(t, "tests of a bundle", p, err, true)
	if c := p.Counts(); c.Passed != 2 || !slices.Contains(p.Records[0].Argv, "-Dgreeting=hello") {
		t.Errorf("counts = %+v of %+v", c, p.Records)
	}
}

// TestTasksJava proves a change by a criterion as people write it: it finds what was fetched for the project, and nothing else.
func TestTasksJava(t *testing.T) {
	t.Parallel()
	conformance.Only(t)
	maven(t)
	l := newLab(t)
	const code, tests = "src/main/java/org/example/other/Other.java", "src/test/java/org/example/other/OtherTest.java"
	was := javaSample().base
	base := l.tree("", was)
	task := check.Task{
		Chains: l.project(base).All(), Owns: owns(code, tests), Taken: owns(), Deletes: owns(), Base: base, NewCode: true,
		Verify: [][]string{{"mvn", "-q", "test"}},
	}
	right := strings.Replace(was[code], "return 1", "return 2", 1)
	for _, c := range []struct {
		name, test string
		passed     bool
		rules      []string
	}{
		{"an old test that gives way to one that expects something else", "    void two() {\n        Assertions.assertEquals(2, Other.one());\n        Assertions.assertTrue(Other.one() > 1);\n        Assertions.assertNotEquals(1, Other.one());\n", true, []string{"expectation-changed"}},
		{"an old test that gives way to one that says nothing of it", "    void some() {\n        Assertions.assertTrue(Other.one() > 0);\n        Assertions.assertTrue(Other.one() < 9);\n        Assertions.assertTrue(Other.one() != 7);\n", false, []string{"test-passes-without"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, _, err := l.checker.Task(t.Context(), task, base, l.tree(base, map[string]string{code: right, tests: strings.Replace(was[tests], "    void one() {\n        Assertions.assertEquals(1, Other.one());\n", c.test, 1)}))
			want(t, c.name, p, err, c.passed, c.rules...)
		})
	}
}

// TestRedJavaOnExistingCode has a class that lacks a method, and a test that can only wait for the code.
func TestRedJavaOnExistingCode(t *testing.T) {
	t.Parallel()
	conformance.Only(t)
	maven(t)
	l := newLab(t)
	const dir, tests = "src/main/java/org/example/cart/", "src/test/java/org/example/cart/CartTest.java"
	base := l.tree("", map[string]string{
		"pom.xml": mavenPom("", ""), "src/main/java/org/example/item/Item.java": "package org.example.item;\n\npublic record Item(String name, long cents) {}\n",
		dir + "Cart.java": "package org.example.cart;\n\npublic class Cart {\n    private int size;\n\n    public int size() {\n        return size;\n    }\n}\n",
	})
	m := l.module(
		base, strings.TrimSuffix(dir, "/"), step.Export{Kind: "class", Name: "Cart", Signature: "Cart()"}, step.Export{Kind: "function", Name: "Cart.size", Signature: "Cart.size(): int"},
		step.Export{Kind: "function", Name: "Cart.add", Signature: "Cart.add(Item item): Optional<Long>"}, step.Export{Kind: "function", Name: "Cart.of", Signature: "Cart.of(List<Item> items): Cart"},
		step.Export{Kind: "enum", Name: "State", Signature: "State: OPEN | PAID"}, step.Export{Kind: "variable", Name: "Cart.LIMIT", Signature: "Cart.LIMIT: int"},
		step.Export{Kind: "interface", Name: "Pricing", Signature: "interface Pricing"}, step.Export{Kind: "function", Name: "Pricing.price", Signature: "long price(Item item)"},
	)
	m.SpecText = "`FullException` has a `limit()`"
	m.Names = []string{"FullException"}
	text := "package org.example.cart;\n\nimport static org.junit.jupiter.api.Assertions.*;\n\nimport java.util.List;\nimport org.example.item.Item;\nimport org.junit.jupiter.api.Test;\n\nclass CartTest {\n" +
		"    @Test\n    void adds() {\n        Cart cart = new Cart();\n        assertEquals(5L, cart.add(new Item(\"a\", 5)).orElse(0L));\n        assertEquals(1, cart.size());\n    }\n\n" +
		"    @Test\n    void makes() {\n        assertEquals(1, Cart.of(List.of(new Item(\"a\", 5))).size());\n    }\n\n" +
		"    @Test\n    void limits() {\n        assertEquals(20, Cart.LIMIT);\n        assertEquals(State.OPEN, State.valueOf(\"OPEN\"));\n    }\n\n" +
		"    @Test\n    void refuses() {\n        FullException e = assertThrows(FullException.class, () -> Cart.of(List.of()));\n        assertEquals(20, e.limit());\n    }\n\n" +
		"    @Test\n    void prices() {\n        Pricing twice = item -> 2 * item.cents();\n        assertEquals(10, twice.price(new Item(\"a\", 5)) + Cart.LIMIT * 0 + Cart.of(List.of()).size());\n    }\n}\n"
	p, err := l.checker.Red(t.Context(), m, base, l.tree(base, map[string]string{tests: text}), nil)
	want(t, "red on existing code", p, err, true)
	slices.Sort(p.Red)
	want := []string{tests + "::CartTest.adds", tests + "::CartTest.limits", tests + "::CartTest.makes", tests + "::CartTest.prices", tests + "::CartTest.refuses"}
	if !slices.Equal(p.Red, want) {
		t.Errorf("red = %q, findings %+v, results %+v", p.Red, p.Findings, p.Failures())
	}
}

// TestAddPackagesMaven has JUnit 4 and a test class below another one.
func TestAddPackagesMaven(t *testing.T) {
	t.Parallel()
	conformance.Only(t)
	maven(t)
	four := strings.NewReplacer("org.junit.jupiter", "junit", "junit-jupiter", "junit", "5.11.4", "4.13.2").Replace(mavenPom("", ""))
	proveAdd(
		t, newLab(t), map[string]string{"pom.xml": four, "src/main/java/org/example/A.java": "package org.example;\n\npublic class A {}\n"},
		toolchain.Dependency{Name: "commons-codec:commons-codec", Version: "1.17.1"}, "99.0.0", []string{"pom.xml"},
		map[string]string{"src/test/java/org/example/CodecTest.java": "package org.example;\n\nimport static org.junit.Assert.assertEquals;\n\nimport org.apache.commons.codec.digest.DigestUtils;\nimport org.junit.Test;\n\npublic class CodecTest {\n    @Test\n    public void md5() {\n        assertEquals(32, DigestUtils.md5Hex(\"a\").length());\n    }\n}\n"},
	)
}

// TestRowGradle has two modules, one of which is built with the other, and a new class in it.
func TestRowGradle(t *testing.T) {
	t.Parallel()
	conformance.Only(t)
	needs(t, "gradle")
	needs(t, "javac")
	l := newLab(t)
	const build = "plugins { id 'java' }\nrepositories { mavenCentral() }\ndependencies { testCompile 'junit:junit:4.13.2' }\n"
	const head = "package org.example;\n\nimport static org.junit.Assert.assertEquals;\n\nimport org.junit.Test;\n\n"
	const dir, tests = "app/src/main/java/org/example/", "app/src/test/java/org/example/"
	base := l.tree("", map[string]string{
		"settings.gradle": "include 'core', 'app'\n", "core/build.gradle": build, "app/build.gradle": build + "dependencies { compile project(':core') }\n",
		"core/src/main/java/org/example/core/Core.java": "package org.example.core;\n\npublic class Core {\n    public static int one() {\n        return 1;\n    }\n}\n",
		"core/src/test/java/org/example/CoreTest.java":  head + "public class CoreTest {\n    @Test\n    public void one() {\n        assertEquals(1, org.example.core.Core.one());\n    }\n}\n",
		dir + "App.java":       "package org.example;\n\npublic class App {\n}\n",
		tests + "AppTest.java": head + "public class AppTest {\n    @Test\n    public void is() {\n        assertEquals(new App().getClass(), App.class);\n    }\n}\n",
	})
	all := l.project(base).All()
	if len(all) != 1 || all[0].Root != "." || all[0].Manager != "gradle" {
		t.Fatalf("toolchains = %+v", all)
	}
	p, err := l.checker.Baseline(t.Context(), all[0], base)
	want(t, "the tests of both modules", p, err, true)
	if c := p.Counts(); c.Passed != 2 || len(p.Records) != 1 {
		t.Errorf("counts = %+v of %+v", c, p.Records)
	}
	m := l.module(base, strings.TrimSuffix(dir, "/"), step.Export{Kind: "class", Name: "Sum", Signature: "Sum"}, step.Export{Kind: "function", Name: "Sum.twice", Signature: "static int twice(int n)"})
	red := l.tree(base, map[string]string{tests + "SumTest.java": head + "public class SumTest {\n    @Test\n    public void twice() {\n        assertEquals(6, Sum.twice(3));\n    }\n\n    @Test\n    public void none() {\n        assertEquals(0, Sum.twice(0));\n    }\n}\n"})
	p, err = l.checker.Red(t.Context(), m, base, red, nil)
	want(t, "red", p, err, true, "already-passes") // the test that was there
	if slices.Sort(p.Red); len(p.Red) != 2 || p.Red[1] != tests+"SumTest.java::SumTest.twice" {
		t.Errorf("red = %q, findings %+v", p.Red, p.Findings)
	}
	const right = "package org.example;\n\n/** Sums. */\npublic class Sum {\n    /** Says twice as much. */\n    public static int twice(int n) {\n        return 2 * n * org.example.core.Core.one();\n    }\n}\n"
	frozen := p.Frozen
	p, err = l.checker.Green(t.Context(), m, red, l.tree(red, map[string]string{dir + "Sum.java": strings.Replace(right, "2 *", "3 *", 1)}), frozen)
	want(t, "wrong code", p, err, false)
	if f := p.Failures(); len(f) != 1 || f[0].ID != tests+"SumTest.java::SumTest.twice" || !strings.Contains(f[0].Message, "expected:<6> but was:<9>") {
		t.Errorf("failures of the wrong code = %+v", f)
	}
	p, err = l.checker.Green(t.Context(), m, red, l.tree(red, map[string]string{dir + "Sum.java": strings.Replace(right, "Core.one()", "Core.two()", 1)}), frozen)
	want(t, "code that does not compile", p, err, false)
	if f := p.Failures(); len(f) == 0 || !strings.Contains(f[0].Message, "cannot find symbol") {
		t.Errorf("failures of code that does not compile = %+v, %+v", f, p.Findings)
	}
	p, err = l.checker.Green(t.Context(), m, red, l.tree(red, map[string]string{dir + "Sum.java": right}), frozen)
	want(t, "right code", p, err, true)
}

// TestGradleByACommand: a command of the project's configuration is run as it stands; what is installed for the table's may fail.
func TestGradleByACommand(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	report := "<testsuite><testcase classname='a.ATest' name='a()' time='0.1'/></testsuite>"
	tree := l.tree("", map[string]string{
		"build.gradle.kts": "plugins { java }\n", "src/main/java/a/A.java": "package a;\n\npublic class A {}\n", "src/test/java/a/ATest.java": "package a;\n\nclass ATest {\n    @org.junit.jupiter.api.Test\n    void a() {\n        assert new A() != null;\n    }\n}\n",
		"gradlew": "test -z \"$*\" && mkdir -p build/test-results/test && echo \"" + report + "\" > build/test-results/test/TEST-a.ATest.xml\n",
	})
	m := l.module(tree, "src/main/java/a")
	m.Chain.Override = map[string]string{"test": "sh gradlew"}
	p, err := l.checker.Baseline(t.Context(), m.Chain, tree)
	want(t, "a command of the project", p, err, true)
	if len(p.Results) != 1 || p.Results[0].ID != "src/test/java/a/ATest.java::ATest.a" {
		t.Errorf("results = %+v", p.Results)
	}
}

// kotlinPom is a project of Kotlin alone.
func kotlinPom() string {
	const plugin = "      <plugin>\n        <groupId>org.jetbrains.kotlin</groupId>\n        <artifactId>kotlin-maven-plugin</artifactId>\n        <version>2.1.0</version>\n        <executions>\n" +
		"          <execution><id>compile</id><phase>compile</phase><goals><goal>compile</goal></goals></execution>\n          <execution><id>test-compile</id><phase>test-compile</phase><goals><goal>test-compile</goal></goals></execution>\n        </executions>\n      </plugin>\n"
	text := strings.NewReplacer("org.junit.jupiter", "org.jetbrains.kotlin", "junit-jupiter", "kotlin-test-junit5", "5.11.4", "2.1.0").Replace(mavenPom("", plugin))
	text = strings.Replace(text, "  <dependencies>\n", "  <dependencies>\n    <dependency>\n      <groupId>org.jetbrains.kotlin</groupId>\n      <artifactId>kotlin-stdlib</artifactId>\n      <version>2.1.0</version>\n    </dependency>\n", 1)
	return strings.Replace(text, "  <build>\n", "  <build>\n    <sourceDirectory>src/main/kotlin</sourceDirectory>\n    <testSourceDirectory>src/test/kotlin</testSourceDirectory>\n", 1)
}

// TestRowKotlin has stubs of what Kotlin has and Java has not, a wrong code and a right one.
func TestRowKotlin(t *testing.T) {
	t.Parallel()
	conformance.Only(t)
	maven(t)
	l := newLab(t)
	const dir, tests = "src/main/kotlin/org/example/cart/", "src/test/kotlin/org/example/cart/CartTest.kt"
	base := l.tree("", map[string]string{
		"pom.xml": kotlinPom(), "src/main/kotlin/org/example/item/Item.kt": "package org.example.item\n\ndata class Item(val name: String, val cents: Long)\n",
	})
	m := l.module(
		base, strings.TrimSuffix(dir, "/"), step.Export{Kind: "class", Name: "Cart", Signature: "Cart(owner: String)"}, step.Export{Kind: "function", Name: "Cart.add", Signature: "Cart.add(item: Item): Long?"},
		step.Export{Kind: "function", Name: "Cart.of", Signature: "Cart.of(items: List<Item>): Cart"}, step.Export{Kind: "function", Name: "total", Signature: "fun total(cart: Cart, extra: BigDecimal): Int"},
		step.Export{Kind: "enum", Name: "State", Signature: "enum class State { OPEN, PAID }"}, step.Export{Kind: "variable", Name: "LIMIT", Signature: "const val LIMIT = 20"},
		step.Export{Kind: "interface", Name: "Pricing", Signature: "interface Pricing"}, step.Export{Kind: "function", Name: "Pricing.price", Signature: "fun price(item: Item): Long"},
		step.Export{Kind: "class", Name: "FullException", Signature: "FullException(message: String)"},
	)
	if m.Chain.Language != toolchain.LangKotlin || m.Place.NewTest != tests || m.Place.NewFile != dir+"Cart.kt" {
		t.Fatalf("place = %+v of %+v", m.Place, m.Chain)
	}
	text := "package org.example.cart\n\nimport java.math.BigDecimal\nimport kotlin.test.Test\nimport kotlin.test.assertEquals\nimport kotlin.test.assertFailsWith\nimport org.example.item.Item\n\nclass CartTest {\n" +
		"    @Test\n    fun `adds an item`() {\n        assertEquals(5L, Cart(\"a\").add(Item(\"a\", 5)))\n    }\n\n" +
		"    @Test\n    fun makes() {\n        assertEquals(1, total(Cart.of(listOf(Item(\"a\", 5))), BigDecimal.ZERO))\n        assertEquals(State.PAID, State.valueOf(\"PAID\"))\n    }\n\n" +
		"    @Test\n    fun limits() {\n        assertEquals(20, LIMIT)\n        val twice = object : Pricing {\n            override fun price(item: Item): Long = 2 * item.cents\n        }\n        assertEquals(10L, twice.price(Item(\"a\", 5)))\n    }\n\n" +
		"    @Test\n    fun refuses() {\n        assertFailsWith<FullException> { Cart.of(listOf()) }\n    }\n}\n"
	red := l.tree(base, map[string]string{tests: text})
	p, err := l.checker.Red(t.Context(), m, base, red, nil)
	want(t, "red", p, err, true)
	slices.Sort(p.Red)
	all := []string{tests + "::CartTest.adds an item", tests + "::CartTest.limits", tests + "::CartTest.makes", tests + "::CartTest.refuses"}
	if !slices.Equal(p.Red, all) {
		t.Errorf("red = %q, findings %+v, results %+v", p.Red, p.Findings, p.Failures())
	}
	code := "package org.example.cart\n\nimport java.math.BigDecimal\nimport org.example.item.Item\n\nconst val LIMIT = 20\n\nenum class State { OPEN, PAID }\n\ninterface Pricing {\n    fun price(item: Item): Long\n}\n\nclass FullException(message: String) : RuntimeException(message)\n\n" +
		"class Cart(val owner: String) {\n    internal val items = mutableListOf<Item>()\n\n    fun add(item: Item): Long? {\n        items += item\n        return item.cents\n    }\n\n    companion object {\n        fun of(items: List<Item>): Cart {\n            if (items.isEmpty()) {\n                throw FullException(\"no items\")\n            }\n            return Cart(\"\").apply { this.items += items }\n        }\n    }\n}\n\n" +
		"fun total(cart: Cart, extra: BigDecimal): Int = cart.items.size + extra.toInt()\n"
	frozen := p.Frozen
	p, err = l.checker.Green(t.Context(), m, red, l.tree(red, map[string]string{dir + "Cart.kt": strings.Replace(code, "LIMIT = 20", "LIMIT = 21", 1)}), frozen)
	want(t, "wrong code", p, err, false)
	if f := p.Failures(); len(f) != 1 || f[0].ID != tests+"::CartTest.limits" || !strings.Contains(f[0].Message, "expected: <20> but was: <21>") {
		t.Errorf("failures of the wrong code = %+v", f)
	}
	p, err = l.checker.Green(t.Context(), m, red, l.tree(red, map[string]string{dir + "Cart.kt": code}), frozen)
	want(t, "right code", p, err, true)
}

// TestRowMavenWrapper has a project that brings its Maven with it: what the wrapper fetches is there for checks, which reach no network.
func TestRowMavenWrapper(t *testing.T) {
	t.Parallel()
	conformance.Only(t)
	maven(t)
	s := javaSample()
	dir := filepath.Join(cache(t), "tools", "maven-wrapper-3.3.4")
	err := once(dir, func(dir string) error {
		if err := os.WriteFile(filepath.Join(dir, "pom.xml"), []byte(s.base["pom.xml"]), 0o644); err != nil {
			return err
		}
		return run(t, dir, os.Environ(), "mvn", "-B", "-q", "org.apache.maven.plugins:maven-wrapper-plugin:3.3.4:wrapper", "-Dtype=only-script", "-Dmaven=3.9.9")
	})
	if err != nil {
		absent(t, "no wrapper: %v", err)
	}
	files := map[string]string{"pom.xml": s.base["pom.xml"], "src/main/java/a/A.java": "package a;\n\npublic class A {}\n"}
	for _, name := range []string{"mvnw", ".mvn/wrapper/maven-wrapper.properties"} {
		b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(b)
	}
	files["src/test/java/a/ATest.java"] = "package a;\n\nimport static org.junit.jupiter.api.Assertions.*;\n\nclass ATest {\n    @org.junit.jupiter.api.Test\n    void a() {\n        assertNotNull(new A());\n    }\n}\n"
	l := newLab(t, func(o *check.Options) { o.Cache = t.TempDir() }) // all is fetched: Maven 3.9 reaches registries in another way than 3.8
	tree := l.tree("", files)
	p, err := l.checker.Baseline(t.Context(), l.module(tree, "src/main/java/a").Chain, tree)
	want(t, "a project with mvnw", p, err, true)
	if c := p.Counts(); c.Passed != 1 || p.Records[0].Argv[1] != "mvnw" {
		t.Errorf("counts = %+v of %+v", c, p.Records)
	}
}
