package cli

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// The linker sets these for releases; see .goreleaser.yaml.
var (
	version string
	commit  string
	date    string
)

// notReleased is the version of a program that was built from a clone.
const notReleased = "dev"

// build says which program this is.
type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Modified bool   `json:"modified,omitempty"` // files differed from the commit
	Date     string `json:"date,omitempty"`     // of the commit, RFC 3339
	Go       string `json:"go"`
	System   string `json:"system"`
}

// built takes what the linker was told and, without that, what Go itself knows: the version of a module that
// `go install` fetched, or the commit of a clone.
var built = sync.OnceValue(func() build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return buildOf(build{Version: version, Commit: commit, Date: date}, info)
})

func buildOf(b build, info *debug.BuildInfo) build {
	b.Go, b.System = runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH
	if b.Version != "" {
		return b
	}
	b.Version = notReleased
	// Only a module that was fetched has a sum. The version that Go makes up for a clone is none of ours.
	if info.Main.Sum != "" {
		b.Version = strings.TrimPrefix(info.Main.Version, "v")
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// String is one line that names only what is known.
func (b build) String() string {
	known := []string{b.Go, b.System}
	if at, err := time.Parse(time.RFC3339, b.Date); err == nil {
		known = append([]string{at.UTC().Format(time.DateOnly)}, known...)
	}
	if b.Commit != "" {
		c := "commit " + b.Commit[:min(12, len(b.Commit))]
		if b.Modified {
			c += " with changes"
		}
		known = append([]string{c}, known...)
	}
	return fmt.Sprintf("jacquard %s (%s)", b.Version, strings.Join(known, ", "))
}

// definitionVersion tells programs apart whose workflow definitions may
// differ: releases by their version, others by what they were built from.
func definitionVersion() string {
	b := built()
	if b.Version != notReleased {
		return b.Version
	}
	if b.Commit == "" || b.Modified {
		return notReleased + programHash()
	}
	return b.Commit
}

// programHash tells builds apart that carry no revision: size and time of the
// program file.
func programHash() string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	st, err := os.Stat(self)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("-%x-%x", st.Size(), st.ModTime().UnixNano())
}

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "print the version, commit and build date", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			a.printVersion()
			return nil
		},
	}
}

func (a *app) printVersion() {
	if !a.asJSON(built()) {
		fmt.Fprintln(a.Out, built())
	}
}

// newMan writes the manual pages that packages carry. It is hidden because whoever has a package has the pages, too.
func newMan() *cobra.Command {
	return &cobra.Command{
		Use: "man DIR", Short: "write manual pages for all commands to a folder", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return environment("make the folder of the manual pages", err)
			}
			b := built()
			header := &doc.GenManHeader{Section: "1", Source: "Jacquard " + b.Version, Manual: "Jacquard"}
			// The same commit gives the same pages, on whatever day.
			at, err := time.Parse(time.RFC3339, cmp.Or(b.Date, "1970-01-01T00:00:00Z"))
			if err != nil {
				return words("read the date %q of this program: %w", b.Date, err)
			}
			header.Date = &at
			c.Root().DisableAutoGenTag = true
			if err := doc.GenManTree(c.Root(), header, args[0]); err != nil {
				return environment("write the manual pages", err)
			}
			return nil
		},
	}
}
