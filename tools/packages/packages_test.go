package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
)

// need skips a test that cannot run here; with JACQUARD_TEST_COMPLETE it fails instead.
func need(t *testing.T, ok bool, why string) {
	t.Helper()
	if ok {
		return
	}
	if os.Getenv("JACQUARD_TEST_COMPLETE") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}

func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		_, err := exec.LookPath(p)
		need(t, err == nil, p+" is not installed")
	}
}

// built is what make packages-test has built for Linux on amd64.
type built struct {
	dist, version, commit string
}

func dist(t *testing.T) built {
	t.Helper()
	b := built{dist: os.Getenv("PACKAGES_DIST")}
	if b.dist == "" {
		t.Skip("PACKAGES_DIST is the folder of packages to try: make packages-test")
	}
	raw, err := os.ReadFile(filepath.Join(b.dist, "metadata.json"))
	if err != nil {
		t.Fatal(err)
	}
	meta := struct{ Version, Commit *string }{&b.version, &b.commit}
	if err := json.Unmarshal(raw, &meta); err != nil {
		t.Fatal(err)
	}
	return b
}

// file is the one that a pattern below dist names.
func (b built) file(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(b.dist, pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: want one file, got %q %v", pattern, found, err)
	}
	return found[0]
}

// result is how a command ended.
type result struct {
	out, err string
	code     int
	signal   syscall.Signal // 0 unless one ended it
}

// try runs a command in an environment in which none of the packages is installed but those that env names.
func try(t *testing.T, dir string, env []string, argv ...string) result {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append(os.Environ(), env...), &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%q: %v", argv, err)
	}
	return ended(cmd, out.String(), errs.String())
}

func ended(cmd *exec.Cmd, out, errs string) result {
	r := result{out: out, err: errs, code: cmd.ProcessState.ExitCode()}
	if w, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		r.signal = w.Signal()
	}
	return r
}

// must runs a command that has to succeed and returns what it printed.
func must(t *testing.T, dir string, env []string, argv ...string) string {
	t.Helper()
	r := try(t, dir, env, argv...)
	if r.code != 0 {
		t.Fatalf("%q ended with %d %v\n%s%s", argv, r.code, r.signal, r.out, r.err)
	}
	return r.out
}

// works says which program it is that was installed, and builds the sample project with it: it starts itself again, kills itself,
// and runs git and Go.
func (b built) works(t *testing.T, dir string, env []string, jacquard ...string) {
	t.Helper()
	b.is(t, dir, env, jacquard...)
	demo := filepath.Join(t.TempDir(), "demo")
	out := must(t, dir, env, append(jacquard, "demo", demo)...)
	if _, err := os.Stat(filepath.Join(demo, "shop/checkout/checkout.go")); err != nil {
		t.Errorf("the demo did not build its last module: %v\n%s", err, out)
	}
}

func (b built) is(t *testing.T, dir string, env []string, jacquard ...string) {
	t.Helper()
	var v struct{ Version, Commit, Date, System string }
	if err := json.Unmarshal([]byte(must(t, dir, env, append(jacquard, "version", "--json")...)), &v); err != nil {
		t.Fatal(err)
	}
	if v.Version != b.version || v.Commit != b.commit || v.Date == "" || v.System != "linux/amd64" {
		t.Errorf("it says that it is %+v, want version %s and commit %s", v, b.version, b.commit)
	}
	if line := must(t, dir, env, append(jacquard, "--version")...); !strings.HasPrefix(line, "jacquard "+b.version+" (commit "+b.commit[:12]+", ") {
		t.Errorf("--version printed %q", line)
	}
}

// tree lists the files below dir.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, strings.TrimPrefix(p, dir+"/"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func has(t *testing.T, names []string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !slices.Contains(names, w) {
			t.Errorf("there is no %s in %q", w, names)
		}
	}
}

// untar unpacks a compressed archive; an apk is several of them, one behind the other.
func untar(t *testing.T, archive, into string) {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	r := tar.NewReader(z)
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(into, h.Name)
		if h.Typeflag == tar.TypeDir {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, data, h.FileInfo().Mode().Perm()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestArchive(t *testing.T) {
	t.Parallel()
	b, dir := dist(t), t.TempDir()
	untar(t, b.file(t, "jacquard_*_linux_amd64.tar.gz"), dir)
	has(t, tree(t, dir), "jacquard", "README.md", "LICENSE", "man/jacquard.1", "man/jacquard-build.1", "man/jacquard-spec-tree.1",
		"completions/jacquard.bash", "completions/jacquard.zsh", "completions/jacquard.fish", "completions/jacquard.ps1")
	const limit = 64 << 20
	if st, err := os.Stat(filepath.Join(dir, "jacquard")); err != nil || st.Size() > limit {
		t.Errorf("the program has %d bytes, and may have %d: %v", st.Size(), limit, err)
	}
	b.works(t, dir, nil, "./jacquard")
}

// Each file that a release has is in the list of checksums, with the right one.
func TestChecksums(t *testing.T) {
	t.Parallel()
	b := dist(t)
	raw, err := os.ReadFile(filepath.Join(b.dist, "checksums.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for line := range strings.Lines(string(raw)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		data, err := os.ReadFile(filepath.Join(b.dist, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := sha256.Sum256(data); hex.EncodeToString(got[:]) != sum {
			t.Errorf("%s has another sum", name)
		}
		named = append(named, filepath.Ext(name))
	}
	slices.Sort(named)
	if want := []string{".apk", ".deb", ".gz", ".json", ".rpm"}; !slices.Equal(named, want) {
		t.Errorf("the list has files of the kinds %q, want %q", named, want)
	}
}

// installed are the files of the packages of all distributions, below their root.
var installed = []string{
	"usr/bin/jacquard", "usr/share/man/man1/jacquard.1", "usr/share/man/man1/jacquard-build.1",
	"usr/share/bash-completion/completions/jacquard", "usr/share/fish/vendor_completions.d/jacquard.fish",
}

// TestDeb installs the package with dpkg's own records in a folder, and removes it.
func TestDeb(t *testing.T) {
	t.Parallel()
	b, root := dist(t), t.TempDir()
	needs(t, "dpkg", "dpkg-deb", "man", "zsh", "fish")
	deb := b.file(t, "*.deb")
	if on := must(t, "", nil, "dpkg-deb", "--field", deb, "Depends"); on != "git (>= 1:2.38)\n" {
		t.Errorf("it depends on %q", on)
	}
	need(t, os.Getuid() == 0, "dpkg installs as root only")
	if err := os.MkdirAll(filepath.Join(root, "var/lib/dpkg/updates"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(root, "var/lib/dpkg/info"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	// git is on this machine, but not in these records.
	must(t, "", nil, "dpkg", "--root="+root, "--force-depends", "--install", deb)
	files := tree(t, root)
	has(t, files, append(installed, "usr/share/zsh/vendor-completions/_jacquard", "usr/share/doc/jacquard/copyright")...)
	b.works(t, root, []string{"PATH=" + root + "/usr/bin:" + os.Getenv("PATH")}, "env", "jacquard")
	completes(t, root, "vendor-completions")
	documented(t, root)
	must(t, "", nil, "dpkg", "--root="+root, "--remove", "jacquard")
	for _, f := range tree(t, root) {
		if strings.HasPrefix(f, "usr/") {
			t.Errorf("%s is left", f)
		}
	}
}

// completes asks each shell as the installed files tell it to.
func completes(t *testing.T, root, zsh string) {
	t.Helper()
	env := []string{"PATH=" + root + "/usr/bin:" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "XDG_CONFIG_HOME=", "XDG_DATA_HOME="}
	share := filepath.Join(root, "usr/share")
	const lib = "/usr/share/bash-completion/bash_completion"
	_, err := os.Stat(lib)
	need(t, err == nil, "bash-completion is not installed")
	for shell, argv := range map[string][]string{
		"bash": {"bash", "--norc", "-c", "source " + lib + "; source " + share + "/bash-completion/completions/jacquard\n" +
			`COMP_WORDS=(jacquard bu) COMP_CWORD=1 COMP_LINE="jacquard bu" COMP_POINT=11 COMP_TYPE=63; __start_jacquard; printf '%s\n' "${COMPREPLY[@]}"`},
		"fish": {"fish", "--no-config", "-c", "source " + share + "/fish/vendor_completions.d/jacquard.fish; complete -C 'jacquard bu'"},
	} {
		if out := must(t, root, env, argv...); !strings.Contains(out, "build") || !strings.Contains(out, "bug") || strings.Contains(out, "doctor") {
			t.Errorf("%s completes \"jacquard bu\" by\n%s", shell, out)
		}
	}
	dump := filepath.Join(t.TempDir(), "zcompdump")
	out := must(t, root, env, "zsh", "-f", "-c", "fpath=("+share+"/zsh/"+zsh+" $fpath); autoload -Uz compinit; compinit -u -d "+dump+`; print -r -- ${_comps[jacquard]}`)
	if out != "_jacquard\n" {
		t.Errorf("zsh completes jacquard by %q", out)
	}
	must(t, root, env, "zsh", "-n", share+"/zsh/"+zsh+"/_jacquard")
}

// documented reads the manual pages as people do.
func documented(t *testing.T, root string) {
	t.Helper()
	for page, want := range map[string]string{"jacquard": "jacquard-build(1)", "jacquard-build": "--dry-run"} {
		out := must(t, root, []string{"MANPAGER=cat", "MANWIDTH=200", "LC_ALL=C.UTF-8", "MANROFFOPT=-c"}, "man", "-M", filepath.Join(root, "usr/share/man"), page)
		if !strings.Contains(out, want) || !strings.Contains(out, "NAME") {
			t.Errorf("man %s does not say %s:\n%s", page, want, out)
		}
	}
}

func TestRPM(t *testing.T) {
	t.Parallel()
	b, root := dist(t), t.TempDir()
	needs(t, "rpm")
	file := b.file(t, "*.rpm")
	if on := must(t, "", nil, "rpm", "-qp", "--requires", file); !strings.Contains(on, "git-core >= 2.38") {
		t.Errorf("it depends on %q", on)
	}
	need(t, os.Getuid() == 0, "rpm installs as root only")
	must(t, "", nil, "rpm", "--root", root, "--initdb")
	// git is on this machine, but not in these records.
	must(t, "", nil, "rpm", "--root", root, "--nodeps", "--force-debian", "--install", file)
	has(t, tree(t, root), append(installed, "usr/share/zsh/site-functions/_jacquard", "usr/share/licenses/jacquard/LICENSE")...)
	b.is(t, root, nil, filepath.Join(root, "usr/bin/jacquard"))
	must(t, "", nil, "rpm", "--root", root, "--force-debian", "--erase", "jacquard")
	if _, err := os.Stat(filepath.Join(root, "usr/bin/jacquard")); err == nil {
		t.Error("the program is left")
	}
}

// An apk can be unpacked here, but only Alpine installs it.
func TestAPK(t *testing.T) {
	t.Parallel()
	b, root := dist(t), t.TempDir()
	untar(t, b.file(t, "*.apk"), root)
	has(t, tree(t, root), append(installed, "usr/share/zsh/site-functions/_jacquard", "usr/share/licenses/jacquard/LICENSE")...)
	about, err := os.ReadFile(filepath.Join(root, ".PKGINFO"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"pkgname = jacquard", "pkgver = " + strings.Replace(b.version, "-", "_", 1), "arch = x86_64", "depend = git>=2.38"} {
		if !strings.Contains(string(about), line) {
			t.Errorf("it does not say %q:\n%s", line, about)
		}
	}
	b.is(t, root, nil, filepath.Join(root, "usr/bin/jacquard"))
}

// npmInstalled is the program as npm has installed it from files into an empty folder.
func npmInstalled(t *testing.T, b built, packages ...string) string {
	t.Helper()
	needs(t, "npm", "node")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"private": true}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for i, p := range packages {
		packages[i] = b.file(t, p)
	}
	must(t, dir, []string{"npm_config_cache=" + t.TempDir()}, append([]string{"npm", "install", "--offline", "--no-audit", "--no-fund"}, packages...)...)
	return dir
}

func TestNpm(t *testing.T) {
	t.Parallel()
	b := dist(t)
	dir := npmInstalled(t, b, "npm/jacquard-[0-9]*.tgz", "npm/jacquard-build-linux-x64-*.tgz")
	b.works(t, dir, nil, "npx", "--no-install", "jacquard")
	program := filepath.Join(dir, "node_modules/@jacquard-build/linux-x64/bin/jacquard")
	command := filepath.Join(dir, "node_modules/.bin/jacquard")

	// What goes in and comes out is the program's own, and so is the exit code.
	for code, args := range map[int][]string{0: {"version"}, 1: {"verify"}, 2: {"comple"}} {
		at := project(t)
		own, passed := try(t, at, nil, append([]string{program}, args...)...), try(t, at, nil, append([]string{command}, args...)...)
		if own.code != code {
			t.Errorf("%q ends with %d, and the test takes it for %d", args, own.code, code)
		}
		if own != passed {
			t.Errorf("%q: the program ends with %+v, and through npm with %+v", args, own, passed)
		}
		if npx := try(t, dir, nil, append([]string{"npx", "--no-install", "jacquard", "--root", at}, args...)...); npx.code != code {
			t.Errorf("npx jacquard %q ends with %d, want %d", args, npx.code, code)
		}
	}

	t.Run("killed", func(t *testing.T) {
		t.Parallel()
		at := project(t)
		if r := try(t, at, []string{"JACQUARD_KILL=append:2"}, command, "build", "--scenario", "slow.txt", "--sandbox", "off"); r.signal != syscall.SIGKILL {
			t.Errorf("the program was killed, and npm's command ended with %+v", r)
		}
	})
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			stops(t, project(t), func(cmd *exec.Cmd, _ io.Writer) error { return cmd.Process.Signal(s) }, command, "build", "--scenario", "slow.txt", "--sandbox", "off")
		})
	}
	// A terminal sends Ctrl-C to all that is in its foreground. A second one would end the program at once.
	t.Run("Ctrl-C", func(t *testing.T) {
		t.Parallel()
		needs(t, "script")
		stops(t, project(t), func(_ *exec.Cmd, in io.Writer) error {
			_, err := in.Write([]byte{3})
			return err
		}, "script", "-qefc", command+" build --scenario slow.txt --sandbox off", "/dev/null")
	})
}

// Without the package of the platform the command says what to do.
func TestNpmWithoutPlatform(t *testing.T) {
	t.Parallel()
	dir := npmInstalled(t, dist(t), "npm/jacquard-[0-9]*.tgz")
	r := try(t, dir, nil, filepath.Join(dir, "node_modules/.bin/jacquard"), "version")
	if r.code != environment || !strings.Contains(r.err, "@jacquard-build/linux-x64 is not installed: install jacquard without --omit=optional") {
		t.Errorf("it ended with %+v", r)
	}
}

// environment is the exit code for what is missing on a machine, as in docs/reference/exit-codes.md.
const environment = 4

// project is a module whose scripted author never answers, and takes a while to end when it is told to.
func project(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	from := "../../internal/cli/demo/project"
	for _, f := range []string{"go.mod.txt", "money/CLAUDE.md"} {
		raw, err := os.ReadFile(filepath.Join(from, f))
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, strings.TrimSuffix(f, ".txt"))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, raw, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	slow := fmt.Sprintf("turn red money 1\n  run trap '' TERM INT; touch %s/at-work; tail -f /dev/null\n", dir)
	if err := os.WriteFile(filepath.Join(dir, "slow.txt"), []byte(slow), 0o644); err != nil {
		t.Fatal(err)
	}
	must(t, dir, nil, "git", "init", "--quiet", "--initial-branch=main")
	must(t, dir, nil, "git", "add", "--all")
	must(t, dir, nil, "git", "-c", "user.name=Tester", "-c", "user.email=tester@localhost", "-c", "commit.gpgSign=false", "commit", "--quiet", "--message=specs")
	return dir
}

// stops starts a command and does stop once the author is at work. The program has to end in good order: it waits for the author,
// says at the very end how to go on, and has the exit code of a Ctrl-C.
func stops(t *testing.T, dir string, stop func(*exec.Cmd, io.Writer) error, argv ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	said, err := os.Create(filepath.Join(t.TempDir(), "said"))
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, said, said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for tick := time.NewTicker(20 * time.Millisecond); ; <-tick.C {
		if _, err := os.Stat(filepath.Join(dir, "at-work")); err == nil {
			tick.Stop()
			break
		}
		if ctx.Err() != nil {
			break
		}
	}
	if err := stop(cmd, in); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait()
	all, err := os.ReadFile(said.Name())
	if err != nil {
		t.Fatal(err)
	}
	const after = 130
	lines := strings.Split(strings.TrimSpace(string(all)), "\n")
	if got := ended(cmd, "", ""); got.code != after || !strings.Contains(lines[len(lines)-1], "jacquard resume ") {
		t.Errorf("it ended with %+v, want exit code %d and, in the last line, how to go on:\n%s", got, after, all)
	}
}

func TestWheel(t *testing.T) {
	t.Parallel()
	b, env := dist(t), filepath.Join(t.TempDir(), "env")
	needs(t, "python3")
	wheel := b.file(t, "wheels/*.whl")
	recorded(t, wheel)
	must(t, "", nil, "python3", "-m", "venv", env)
	must(t, "", nil, env+"/bin/pip", "install", "--quiet", "--no-index", wheel)
	b.works(t, env, nil, env+"/bin/jacquard")
	// What pip lists is what it can remove: it read the record of the wheel.
	if out := must(t, "", nil, env+"/bin/pip", "show", "--files", "jacquard-build"); !strings.Contains(out, "bin/jacquard\n") || !strings.Contains(out, "LICENSE") {
		t.Errorf("pip says of it:\n%s", out)
	}
	must(t, "", nil, env+"/bin/pip", "uninstall", "--quiet", "--yes", "jacquard-build")
	if _, err := os.Stat(env + "/bin/jacquard"); err == nil {
		t.Error("the program is left")
	}
}

// recorded compares a wheel with its own record, as registries do.
func recorded(t *testing.T, wheel string) {
	t.Helper()
	z, err := zip.OpenReader(wheel)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var want []string
	var record string
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(f.Name, "/RECORD") {
			record, want = strings.TrimSpace(string(data)), append(want, f.Name+",,")
			continue
		}
		sum := sha256.Sum256(data)
		want = append(want, fmt.Sprintf("%s,sha256=%s,%d", f.Name, base64.RawURLEncoding.EncodeToString(sum[:]), len(data)))
	}
	got := strings.Split(record, "\n")
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("its record is %q, want %q", got, want)
	}
}

func TestUV(t *testing.T) {
	t.Parallel()
	b, home := dist(t), t.TempDir()
	uv := os.Getenv("PACKAGES_UV")
	need(t, uv != "", "PACKAGES_UV is the program uv: make packages-test")
	env := []string{"HOME=" + home, "XDG_CACHE_HOME=" + home + "/cache", "XDG_DATA_HOME=" + home + "/data", "UV_PYTHON_DOWNLOADS=never", "UV_OFFLINE=1"}
	run := []string{uv, "tool", "run", "--quiet", "--from", b.file(t, "wheels/*.whl"), "jacquard"}
	b.is(t, home, env, run...)
	if r := try(t, home, env, append(run, "comple")...); r.code != 2 {
		t.Errorf("a wrong command ended with %+v", r)
	}
}

// TestGoInstall fetches the commit of this clone as Go fetches a module from a proxy. It fails when go.mod has a replace
// directive, and when the module has files that Go takes into none.
func TestGoInstall(t *testing.T) {
	t.Parallel()
	b := dist(t)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	const path, version = "github.com/jacquard-build/jacquard", "v0.1.2"
	proxy := t.TempDir()
	at := filepath.Join(proxy, path, "@v")
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	var zipped bytes.Buffer
	if err := modzip.CreateFromVCS(&zipped, module.Version{Path: path, Version: version}, root, b.commit, ""); err != nil {
		t.Fatal(err)
	}
	mod := must(t, root, nil, "git", "show", b.commit+":go.mod")
	for name, data := range map[string]string{
		"list": version + "\n", version + ".info": fmt.Sprintf(`{"Version": %q, "Time": "2026-01-01T00:00:00Z"}`, version),
		version + ".mod": mod, version + ".zip": zipped.String(),
	} {
		if err := os.WriteFile(filepath.Join(at, name), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cache := strings.TrimSpace(must(t, root, nil, "go", "env", "GOMODCACHE"))
	bin := t.TempDir()
	// What it depends on was fetched when it was built, and the sums of that are in go.sum, which this way of installing does not read.
	env := []string{
		"GOBIN=" + bin, "GOMODCACHE=" + t.TempDir(), "GOPROXY=file://" + proxy + ",file://" + cache + "/cache/download,off", "GOSUMDB=off",
		"GOFLAGS=-modcacherw -trimpath", "CGO_ENABLED=0",
	}
	must(t, bin, env, "go", "install", path+"/cmd/jacquard@latest")
	if line := must(t, bin, nil, "./jacquard", "--version"); !strings.HasPrefix(line, "jacquard 0.1.2 (go1.") {
		t.Errorf("--version printed %q", line)
	}
	must(t, bin, nil, "./jacquard", "doctor", "--help")
}

// TestBill compares the bill of materials with what Go says of the program.
func TestBill(t *testing.T) {
	t.Parallel()
	b, dir := dist(t), t.TempDir()
	untar(t, b.file(t, "jacquard_*_linux_amd64.tar.gz"), dir)
	f, err := os.Open(b.file(t, "*.cdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	bom := &cdx.BOM{}
	if err := cdx.NewBOMDecoder(f, cdx.BOMFileFormatJSON).Decode(bom); err != nil {
		t.Fatal(err)
	}
	if got := bom.Metadata.Component; got.Name != "github.com/jacquard-build/jacquard" || got.Version != "v"+b.version {
		t.Errorf("it is of %s %s", got.Name, got.Version)
	}
	var listed, linked []string
	for _, c := range *bom.Components {
		listed = append(listed, c.Name+" "+c.Version)
	}
	for line := range strings.Lines(must(t, dir, nil, "go", "version", "-m", "jacquard")) {
		switch w := strings.Fields(line); {
		case len(w) > 2 && w[0] == "dep":
			linked = append(linked, w[1]+" "+w[2])
		case len(w) == 2 && w[0] == "jacquard:":
			linked = append(linked, "std "+strings.TrimPrefix(w[1], "go"))
		}
	}
	slices.Sort(listed)
	slices.Sort(linked)
	if !slices.Equal(listed, linked) || len(listed) < 20 {
		t.Errorf("the bill has %q, and the program %q", listed, linked)
	}
}

func TestPythonVersion(t *testing.T) {
	t.Parallel()
	for v, want := range map[string]string{"1.2.3": "1.2.3", "1.2.3-rc1": "1.2.3rc1", "1.2.3-rc.2": "1.2.3rc2", "0.0.1-alpha1795": "0.0.1a1795", "1.0.0-beta3": "1.0.0b3"} {
		if got, err := pythonVersion(v); err != nil || got != want {
			t.Errorf("%s is %q %v, want %q", v, got, err, want)
		}
	}
	for _, v := range []string{"v1.2.3", "1.2", "1.2.3-next", "1.2.3+meta", "1.2.3-rc", ""} {
		if got, err := pythonVersion(v); err == nil {
			t.Errorf("%q is taken for %q", v, got)
		}
	}
}

// TestPacked: each platform has a package and a wheel, and the same programs give the same bytes, so that anybody can compare them.
func TestPacked(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "jacquard")
	if err := os.WriteFile(program, []byte("program"), 0o755); err != nil {
		t.Fatal(err)
	}
	r := &release{version: "1.2.3", programs: map[string]string{}, readme: []byte("readme"), license: []byte("license")}
	for _, p := range platforms {
		r.programs[p.goos+"/"+p.goarch] = program
	}
	names := []string{
		"npm/jacquard-1.2.3.tgz",
		"npm/jacquard-build-darwin-arm64-1.2.3.tgz", "npm/jacquard-build-darwin-x64-1.2.3.tgz",
		"npm/jacquard-build-linux-arm64-1.2.3.tgz", "npm/jacquard-build-linux-x64-1.2.3.tgz",
		"npm/jacquard-build-win32-arm64-1.2.3.tgz", "npm/jacquard-build-win32-x64-1.2.3.tgz",
		"wheels/jacquard_build-1.2.3-py3-none-macosx_12_0_arm64.whl", "wheels/jacquard_build-1.2.3-py3-none-macosx_12_0_x86_64.whl",
		"wheels/jacquard_build-1.2.3-py3-none-manylinux2014_aarch64.manylinux_2_17_aarch64.musllinux_1_1_aarch64.whl",
		"wheels/jacquard_build-1.2.3-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.musllinux_1_1_x86_64.whl",
		"wheels/jacquard_build-1.2.3-py3-none-win_amd64.whl", "wheels/jacquard_build-1.2.3-py3-none-win_arm64.whl",
	}
	var made [2][]string
	for i := range made {
		dir := t.TempDir()
		if err := errors.Join(r.npm(dir+"/npm", platforms), r.wheels(dir+"/wheels", platforms)); err != nil {
			t.Fatal(err)
		}
		got := tree(t, dir)
		if !slices.Equal(got, names) {
			t.Errorf("it made %q, want %q", got, names)
		}
		for _, name := range got {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			made[i] = append(made[i], fmt.Sprintf("%s %x", name, sha256.Sum256(data)))
		}
	}
	if !slices.Equal(made[0], made[1]) {
		t.Errorf("first %q, then %q", made[0], made[1])
	}
}
