package plugin_test

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/jacquard-build/jacquard/internal/plugin"
)

var update = flag.Bool("update", false, "write the plugin at the root of the repository")

// root is the repository, which is a marketplace as well: people add it by its address.
const root = "../.."

// TestRepository: what the repository offers is what the program writes.
func TestRepository(t *testing.T) {
	t.Parallel()
	if *update {
		if err := plugin.Export(root); err != nil {
			t.Fatal(err)
		}
	}
	known := map[string]bool{}
	err := fs.WalkDir(plugin.Files(), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		known[p] = true
		want, err := fs.ReadFile(plugin.Files(), p)
		if err != nil {
			return err
		}
		if got, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(p))); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not as the program writes it (%v): go test ./internal/plugin -update", p, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{".claude-plugin", "plugins"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			rel, err := filepath.Rel(root, p)
			if err == nil && !known[filepath.ToSlash(rel)] {
				t.Errorf("%s is no file of the plugin", rel)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestSkills: the front matter of each skill is YAML with what agents' programs read, and no model starts by itself what costs money: Codex
// goes by a file of its own.
func TestSkills(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(plugin.Files(), "plugins/jacquard/skills/*/SKILL.md")
	if err != nil || len(names) < 9 {
		t.Fatalf("skills: %v (%v)", names, err)
	}
	for _, name := range names {
		raw, err := fs.ReadFile(plugin.Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		var head struct {
			Name, Description string
			Hint              string `yaml:"argument-hint"`
			Tools             string `yaml:"allowed-tools"`
			ByHand            bool   `yaml:"disable-model-invocation"`
		}
		_, rest, _ := strings.Cut(string(raw), "---\n")
		front, _, _ := strings.Cut(rest, "\n---\n")
		d := yaml.NewDecoder(strings.NewReader(front))
		d.KnownFields(true)
		if err := d.Decode(&head); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if head.Name != path.Base(path.Dir(name)) || head.Description == "" || head.Tools == "" {
			t.Errorf("%s: %+v", name, head)
		}
		var codex struct {
			Policy struct {
				Implicit *bool `yaml:"allow_implicit_invocation"`
			}
		}
		policy, err := fs.ReadFile(plugin.Files(), path.Join(path.Dir(name), "agents/openai.yaml"))
		if err == nil {
			err = yaml.Unmarshal(policy, &codex)
		}
		// A message that begins with a tag has always begun a run. The skill asks for a budget first.
		tagged := head.Name == "work" && strings.Contains(head.Description, "starts with a tag") && strings.Contains(string(raw), "ask the user for a budget")
		if costs := head.Name != "prove" && !tagged; head.ByHand != costs || costs && (err != nil || codex.Policy.Implicit == nil || *codex.Policy.Implicit) {
			t.Errorf("%s: disable-model-invocation %t, openai.yaml %v: %v", name, head.ByHand, codex.Policy.Implicit, err)
		}
	}
}

// TestSkillsOfRuns: who has started a run finds how far it is, and goes on, by the word that started it.
func TestSkillsOfRuns(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"build", "compile", "auto"} {
		raw, err := fs.ReadFile(plugin.Files(), "plugins/jacquard/skills/"+name+"/SKILL.md")
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"`status`", "`resume`", "`jacquard status RUN`", "`jacquard resume RUN`", "flags that the user named"} {
			if !strings.Contains(string(raw), want) {
				t.Errorf("the skill %s does not say %s", name, want)
			}
		}
	}
}

// TestValid asks the real program whether it takes the marketplace and the plugin, with every warning as an error, and whether the
// public directory would.
func TestValid(t *testing.T) {
	t.Parallel()
	claude := os.Getenv("JACQUARD_TEST_CLAUDE")
	if claude == "" {
		t.Skip("JACQUARD_TEST_CLAUDE names no program: make claude")
	}
	dir := t.TempDir()
	if err := plugin.Export(dir); err != nil {
		t.Fatal(err)
	}
	one := filepath.Join(dir, "plugins", "jacquard")
	for _, args := range [][]string{{"--strict", dir}, {"--strict", one}, {"--profile", "directory", one}} { // whose one warning is that there is no icon
		cmd := exec.CommandContext(t.Context(), claude, append([]string{"plugin", "validate"}, args...)...)
		cmd.Env = []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("claude plugin validate %v: %v\n%s", args, err, out)
		}
	}
}

// TestOpencode: opencode gets each skill as a command with its words, and as a skill only what a model may use by itself.
func TestOpencode(t *testing.T) {
	t.Parallel()
	got := plugin.Opencode()
	names, err := fs.Glob(plugin.Files(), "plugins/jacquard/skills/*/SKILL.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		raw, err := fs.ReadFile(plugin.Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		_, text, _ := bytes.Cut(raw, []byte("\n---\n"))
		if cmd := got["command/jacquard/"+path.Base(path.Dir(name))+".md"]; !bytes.HasPrefix(cmd, []byte("---\ndescription: ")) || !bytes.HasSuffix(cmd, text) {
			t.Errorf("%s as a command:\n%s", name, cmd)
		}
	}
	if len(got) != len(names)+3 || got["skills/jacquard-work/SKILL.md"] == nil || !bytes.HasPrefix(got["skills/jacquard-prove/SKILL.md"], []byte("---\nname: jacquard-prove\n")) {
		t.Errorf("%d files", len(got))
	}
}
