package check

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Maven's repository of an installation holds what this installation needs and nothing else. What was ever downloaded is kept beside it, in
// a directory that installations read like a registry, so that another version of a pom.xml does not fetch everything again.

func (c *Checker) mavenDownloads() string { return filepath.Join(c.o.Cache, "maven") }

// settingsFile is Maven's settings of an installation.
func (p *place) settingsFile() string { return filepath.Join(p.dir, "settings.xml") }

// mavenSettings writes it. proxy is the port of ours, 0 for none: since 3.9 Maven asks neither the environment nor Java's properties.
func (p *place) mavenSettings(proxy int) error {
	if err := os.MkdirAll(p.c.mavenDownloads(), 0o755); err != nil {
		return err
	}
	var url strings.Builder
	if err := xml.EscapeText(&url, []byte("file://"+filepath.ToSlash(p.c.mavenDownloads()))); err != nil {
		return err
	}
	repository := "<id>jacquard-downloads</id><url>" + url.String() + "</url><snapshots><enabled>false</enabled></snapshots>"
	var proxies strings.Builder
	for _, scheme := range []string{"http", "https"} {
		if proxy != 0 {
			fmt.Fprintf(&proxies, "<proxy><id>jacquard-%[1]s</id><protocol>%[1]s</protocol><host>127.0.0.1</host><port>%[2]d</port></proxy>", scheme, proxy)
		}
	}
	text := "<settings><proxies>" + proxies.String() + "</proxies><profiles><profile><id>jacquard</id><repositories><repository>" + repository + "</repository></repositories>" +
		"<pluginRepositories><pluginRepository>" + repository + "</pluginRepository></pluginRepositories></profile></profiles>" +
		"<activeProfiles><activeProfile>jacquard</activeProfile></activeProfiles></settings>\n"
	return os.WriteFile(p.settingsFile(), []byte(text), 0o644)
}

// bookkeeping says of a file in Maven's repository that it only tells where others came from. Without it they are there for everybody, also
// for a run that reaches no registry.
func bookkeeping(name string) bool {
	return name == "_remote.repositories" || name == "resolver-status.properties" || strings.HasSuffix(name, ".lastUpdated")
}

// keepDownloads ends an installation of Maven: what it fetched is kept for others.
func (p *place) keepDownloads() error {
	if p.chain.Manager != "maven" {
		return nil
	}
	top := filepath.Join(p.deps.home(p), "repository")
	return walk(top, func(full, name string, e fs.DirEntry) error {
		if e.IsDir() {
			return nil
		}
		if bookkeeping(e.Name()) {
			return os.Remove(full)
		}
		if strings.HasPrefix(e.Name(), "maven-metadata-") { // which versions there are; it is old soon
			return nil
		}
		to := filepath.Join(p.c.mavenDownloads(), filepath.FromSlash(name))
		if _, err := os.Stat(to); err == nil {
			return nil
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		tmp := to + ".part-" + strconv.Itoa(os.Getpid()) + "-" + filepath.Base(p.dir) // other processes may fetch it, too
		return errors.Join(copyFile(full, tmp, 0o644), os.Rename(tmp, to))
	})
}

// reportDirs are the directories that Surefire and Gradle write their reports into.
func (p *place) reportDirs() []string {
	return p.builtDirs("target/surefire-reports", "build/test-results/*")
}

// builtDirs are the directories below each manifest into which Maven writes, and those into which Gradle does, by a pattern.
func (p *place) builtDirs(maven, gradle string) (out []string) {
	for name := range p.entries {
		dir, base := filepath.Split(p.full(name))
		switch {
		case base == "pom.xml":
			out = append(out, filepath.Join(dir, filepath.FromSlash(maven)))
		case strings.HasPrefix(base, "build.gradle"):
			list, _ := filepath.Glob(filepath.Join(dir, filepath.FromSlash(gradle))) // the pattern is right
			out = append(out, list...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// written are the reports that a command has written where the project says.
func (p *place) written(pattern string) []string {
	if pattern == "" || !filepath.IsLocal(filepath.FromSlash(pattern)) {
		return nil
	}
	list, _ := filepath.Glob(p.full(pattern)) // a pattern that is wrong finds nothing
	return slices.DeleteFunc(list, func(name string) bool {
		info, err := os.Lstat(name)
		return err != nil || !info.Mode().IsRegular()
	})
}

// oldReports takes away what an earlier run in the same place reported.
func (p *place) oldReports() error {
	return errors.Join(each(p.reportDirs(), os.RemoveAll)...)
}

// reports reads all reports of a run.
func (p *place) reports() [][]byte {
	var out [][]byte
	for _, d := range p.reportDirs() {
		list, _ := filepath.Glob(filepath.Join(d, "TEST-*.xml")) // the pattern is right
		for _, name := range list {
			if b, err := os.ReadFile(name); err == nil {
				out = append(out, b)
			}
		}
	}
	return out
}
