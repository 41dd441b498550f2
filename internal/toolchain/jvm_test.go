package toolchain_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/toolchain"
)

func TestRowsOfRustAndTheJVM(t *testing.T) {
	t.Parallel()
	detect := func(dir string, files map[string]string) (toolchain.Found, toolchain.Placement) {
		list, read := project(files)
		pr := toolchain.NewProject(list, read)
		f, ok := pr.Detect(dir)
		if !ok {
			t.Fatalf("not detected: %+v", f)
		}
		return f, f.Place(pr, toolchain.Layout{Dir: dir, Modules: []string{dir, dir + "/inner"}})
	}
	command := func(cs []toolchain.Command) string {
		text := argvs(cs)
		for _, quiet := range []string{"-B -q -Dstyle.color=never -Dmaven.repo.local={env}/repository -Duser.home={home} -DtrimStackTrace=true ", ".skip", ".check"} {
			text = strings.ReplaceAll(text, quiet, "")
		}
		return text
	}
	workspace, wsPlace := detect("crates/shop/src/auth", map[string]string{
		"Cargo.toml": "[workspace]\nmembers = [\"crates/*\"]\n\n[workspace.package]\nedition = \"2024\"\n\n[workspace.lints.clippy]\nall = \"warn\"\n", "Cargo.lock": "",
		"crates/shop/Cargo.toml": "[package]\nname = \"corner-shop\"\nedition.workspace = true\n\n[dependencies]\nserde = { version = \"1\", features = [\"derive\"] }\nitoa.workspace = true\n\n[dev-dependencies.tempfile]\nversion = \"3\"\n\n[target.'cfg(unix)'.dependencies]\nlibc = \"0.2\"\n",
		"crates/shop/src/lib.rs": "",
	})
	if got := strings.Join(workspace.Declared, " "); got != "itoa serde tempfile libc" || workspace.Workspace != "." || workspace.Edition != "2024" || workspace.Module != "corner_shop" || !workspace.Uses("clippy") {
		t.Errorf("workspace = %+v", workspace)
	}
	if wsPlace.NewFile != "crates/shop/src/auth/mod.rs" || wsPlace.NewTest != "crates/shop/tests/auth_test.rs" || wsPlace.Import != "corner_shop::auth" || len(wsPlace.Links) != 1 || wsPlace.Links[0].File != "crates/shop/src/lib.rs" {
		t.Errorf("place = %+v", wsPlace)
	}
	_, nested := detect("src/a/b", map[string]string{"Cargo.toml": "[package]\nname = \"x\"\n", "src/a.rs": "", "src/lib.rs": "mod a;\n"})
	if len(nested.Links) != 2 || nested.Links[1] != (toolchain.Link{File: "src/a.rs", Line: "pub mod b;"}) || nested.NewTest != "tests/a_b_test.rs" || !nested.AllowsTest("tests/a_b_more.rs") || nested.AllowsTest("tests/a_test.rs") || nested.AllowsSource("src/lib.rs") {
		t.Errorf("nested = %+v", nested)
	}
	java, jPlace := detect("app/src/main/java/org/acme/order_book", map[string]string{
		"pom.xml":     "<project><packaging>pom</packaging><modules><module>app</module></modules><dependencies><dependency><groupId>org.x</groupId><artifactId>y</artifactId></dependency></dependencies></project>",
		"app/pom.xml": "<project><artifactId>app</artifactId></project>", "app/src/main/java/org/acme/A.java": "",
	})
	if java.Workspace != "." || java.Root != "app" || !java.Has("org.x:y") || java.Runner != "surefire" {
		t.Errorf("java = %+v", java)
	}
	const tests = "app/src/test/java/org/acme/order_book/"
	if jPlace.NewFile != "app/src/main/java/org/acme/order_book/OrderBook.java" || jPlace.NewTest != tests+"OrderBookTest.java" || jPlace.Import != "org.acme.order_book" || jPlace.AllowsTest(tests+"inner/ATest.java") || !jPlace.AllowsTest(tests+"deep/ATest.java") {
		t.Errorf("place = %+v", jPlace)
	}
	gradle, _ := detect("app/src/main/java/org/acme", map[string]string{
		"settings.gradle.kts": "include(\"app\")\n", "gradlew": "", "gradle/libs.versions.toml": "", "app/build.gradle.kts": "plugins { java }\n", "app/src/main/java/org/acme/A.java": "",
		".github/workflows/ci.yml": "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: ./gradlew build -Pfast --scan -Dorg.gradle.jvmargs=-Xmx1g -Dgreeting=hello :app:integrationTest\n",
	})
	if gradle.Workspace != "." || gradle.Root != "app" || strings.Join(gradle.Installs, " ") != "app/build.gradle.kts gradle/libs.versions.toml gradlew settings.gradle.kts" {
		t.Errorf("gradle = %+v", gradle)
	}
	multi, _ := detect("src/jvmMain/kotlin", map[string]string{"build.gradle.kts": "plugins { kotlin(\"multiplatform\") }\n", "src/jvmMain/kotlin/A.kt": ""})
	unsaid := func(cs []toolchain.Command) string {
		c := cs[0]
		c.Argv = slices.DeleteFunc(slices.Clone(c.Argv), func(a string) bool { return slices.Contains(c.Unsaid, a) })
		return argvs([]toolchain.Command{c})
	}
	kotlin, kPlace := detect("src/main/kotlin/a", map[string]string{"pom.xml": "<project><build><plugins><plugin><artifactId>kotlin-maven-plugin</artifactId></plugin></plugins></build></project>"})
	if kotlin.Language != toolchain.LangKotlin || kPlace.NewTest != "src/test/kotlin/a/ATest.kt" {
		t.Errorf("kotlin = %+v, %+v", kotlin, kPlace)
	}
	for _, c := range []struct{ name, got, want string }{
		{"fetch", command(workspace.Setup()), "crates/shop: cargo fetch --locked"},
		{"cargo files", command(workspace.Test(toolchain.Selection{Files: []string{"crates/shop/tests/a_test.rs", "crates/shop/src/auth/tests.rs"}})), "crates/shop: cargo test --no-fail-fast --message-format=json --test=a_test --lib"},
		{"cargo ids", command(workspace.Test(toolchain.Selection{IDs: []string{"crates/shop/tests/a_test.rs::errors::zero", "crates/shop/src/auth/mod.rs::tests::t"}})), "crates/shop: cargo test --no-fail-fast --message-format=json --test=a_test --lib -- --exact errors::zero auth::tests::t"},
		{"cargo types", command(workspace.TypeCheck(toolchain.Selection{Files: []string{"crates/shop/tests/a_test.rs"}})), "crates/shop: cargo test --no-run --message-format=json --test=a_test"},
		{"cargo add", command(workspace.Add([]toolchain.Dependency{{Name: "a", Version: "1.2"}, {Name: "b"}}).Commands), "crates/shop: cargo add a@1.2 b && crates/shop: cargo update --workspace"},
		{"maven ids", command(kotlin.Test(toolchain.Selection{IDs: []string{"src/test/kotlin/a/ATest.kt::ATest$In.adds two, or one", "src/test/kotlin/a/ATest.kt::ATest.p[2]"}})), ".: mvn -Denforcer -Dcheckstyle -Dspotless -Dpmd -Dcpd -Dspotbugs -Djacoco -Drat -Dlicense -Dfmt -Ddetekt -Dktlint -Danimal.sniffer -o -Dtest=a.ATest$In#adds?two??or?one,a.ATest#p -Dsurefire.failIfNoSpecifiedTests=false -DfailIfNoTests=false test"},
		{"gradle", unsaid(gradle.Test(toolchain.Selection{})), ".: sh gradlew --offline --continue -Pfast -Dgreeting=hello :app:integrationTest test"},
		{"gradle ids", unsaid(gradle.Test(toolchain.Selection{IDs: []string{"app/src/test/java/org/acme/ATest.java::ATest$In.adds two"}})), ".: sh gradlew --offline --continue -Djacquard.tests=org.acme.ATest$In.adds*two -Pfast -Dgreeting=hello :app:integrationTest test"},
		{"gradle files", unsaid(multi.Test(toolchain.Selection{Files: []string{"src/test/kotlin/a/ATest.kt"}})), ".: gradle --offline --continue -Djacquard.tests=a.ATest,a.ATest$* jvmTest"},
		{"gradle setup", unsaid(multi.Setup()), ".: gradle jvmTest"},
		{"maven module", command(java.Test(toolchain.Selection{Files: []string{tests + "OrderBookTest.java"}})), ".: mvn -Denforcer -Dcheckstyle -Dspotless -Dpmd -Dcpd -Dspotbugs -Djacoco -Drat -Dlicense -Dfmt -Ddetekt -Dktlint -Danimal.sniffer -o -Dtest=org.acme.order_book.OrderBookTest -Dsurefire.failIfNoSpecifiedTests=false -DfailIfNoTests=false -pl app -am test"},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, c.got, c.want)
		}
	}
	add := java.Add([]toolchain.Dependency{{Name: "org.a:b", Version: "1.2"}})
	for before, want := range map[string]string{
		"<project>\n  <build><plugins><plugin><dependencies></dependencies></plugin></plugins></build>\n  <dependencies>\n  </dependencies>\n</project>\n": "</build>\n  <dependencies>\n        <dependency>\n            <groupId>org.a</groupId>\n            <artifactId>b</artifactId>\n            <version>1.2</version>\n        </dependency>\n  </dependencies>\n</project>\n",
		"<project>\n</project>\n": "<project>\n    <dependencies>\n        <dependency>\n            <groupId>org.a</groupId>\n            <artifactId>b</artifactId>\n            <version>1.2</version>\n        </dependency>\n    </dependencies>\n</project>\n",
	} {
		if got := string(add.Edit([]byte(before))); !strings.HasSuffix(got, want) {
			t.Errorf("%s\nwith a dependency is\n%s", before, got)
		}
	}
}

func TestClassifyRustAndTheJVM(t *testing.T) {
	t.Parallel()
	for p, want := range map[string]toolchain.ConfigKind{
		"a/Cargo.toml": toolchain.ManifestConfig, "Cargo.lock": toolchain.LockConfig, "build.rs": toolchain.BuildConfig, ".cargo/config.toml": toolchain.BuildConfig,
		"rustfmt.toml": toolchain.LintConfig, "clippy.toml": toolchain.LintConfig, "pom.xml": toolchain.ManifestConfig, "app/build.gradle.kts": toolchain.ManifestConfig,
		"settings.gradle": toolchain.ManifestConfig, "gradle.properties": toolchain.BuildConfig, "config/checkstyle/checkstyle.xml": toolchain.LintConfig, ".mvn/jvm.config": toolchain.BuildConfig,
		"src/build.rs.md": toolchain.NoConfig, "src/lib.rs": toolchain.NoConfig, "src/main/java/Build.java": toolchain.NoConfig,
	} {
		if got := toolchain.ConfigKindOf(p); got != want {
			t.Errorf("ConfigKindOf(%s) = %q, want %q", p, got, want)
		}
	}
	for p, want := range map[string]bool{
		"ATest.java": true, "URLTest.kt": true, "src/test/java/A.java": true, "ShopIT.java": true, "UnitTests.kt": true,
		"Test.java": false, "AUDIT.java": false, "Contest.java": false, "src/main/java/A.java": false,
	} {
		if got := toolchain.IsTest(p); got != want {
			t.Errorf("IsTest(%s) = %v", p, got)
		}
	}
}

// TestProbesOfModules: what an installation compiles in a module uses the JUnit that this module has, and none where it has none.
func TestProbesOfModules(t *testing.T) {
	t.Parallel()
	dep := func(artifact string) string {
		return "<dependencies><dependency><groupId>g</groupId><artifactId>" + artifact + "</artifactId></dependency></dependencies>"
	}
	manifests := map[string][]byte{
		"pom.xml":     []byte("<project><packaging>pom</packaging><dependencyManagement>" + dep("junit") + "</dependencyManagement></project>"),
		"old/pom.xml": []byte("<project>" + dep("junit") + "</project>"),
		"new/pom.xml": []byte("<project>" + dep("junit-jupiter-api") + "</project>"),
		"no/pom.xml":  []byte("<project></project>"),
		"kit/pom.xml": []byte("<project>" + dep("own-test-kit") + "</project>"),
	}
	got := toolchain.Found{Ecosystem: toolchain.JVM}.Beside(manifests, []string{"old/src/test/java/ATest.java", "kit/src/test/java/BTest.java"})
	for dir, want := range map[string]string{"old": "org.junit.Test;", "new": "org.junit.jupiter.api.Test;", "no": "", "kit": "org.junit.jupiter.api.Test;"} {
		test := got[dir+"/src/test/java/jacquardprobe/ProbeTest.java"]
		if _, there := got[dir+"/src/main/java/jacquardprobe/Probe.java"]; !there || (test == "") != (want == "") || !strings.Contains(test, want) {
			t.Errorf("%s: %q, want one with %q", dir, test, want)
		}
	}
}

// TestSetupOnSources: one class of tests of each module is run.
func TestSetupOnSources(t *testing.T) {
	t.Parallel()
	got := toolchain.Found{Ecosystem: toolchain.JVM, Manager: "maven"}.OnSources([]toolchain.Command{{Argv: []string{"mvn", "test"}}}, []string{
		"a/src/main/java/x/ATest.java", "a/src/test/java/x/BTest.java", "a/src/test/java/x/CTest.java", "b/src/test/kotlin/DTest.kt", "src/test/java/ETest.java", "src/test/resources/FTest.java",
	})
	if text := strings.Join(got[0].Argv, " "); !strings.Contains(text, " -Dtest=BTest,DTest,ETest ") {
		t.Errorf("%s", text)
	}
}
