// Packages makes of released programs what GoReleaser does not: packages for npm and wheels for PyPI, which carry the program,
// and bills of materials.
//
//	packages sbom VERSION PROGRAM FILE   the modules that are in a program, as CycloneDX
//	packages pack [-partial] DIST        DIST/npm and DIST/wheels, of the programs that GoReleaser has left in DIST
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "packages:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	usage := errors.New("usage: packages sbom VERSION PROGRAM FILE, or packages pack [-partial] DIST")
	if len(args) == 0 {
		return usage
	}
	f := flag.NewFlagSet("packages", flag.ContinueOnError)
	partial := f.Bool("partial", false, "pack what is there, though platforms are missing")
	if err := f.Parse(args[1:]); err != nil {
		return err
	}
	switch {
	case args[0] == "sbom" && f.NArg() == 3:
		return writeBill(f.Arg(0), f.Arg(1), f.Arg(2))
	case args[0] == "pack" && f.NArg() == 1:
		return pack(f.Arg(0), *partial)
	}
	return usage
}

// What packages say of the program.
const (
	summary    = "Turns specifications into verified code by driving coding agents"
	repository = "https://github.com/jacquard-build/jacquard"
	license    = "Apache-2.0"
)

// platform is a system and an architecture in the words of those who install programs there.
type platform struct {
	goos, goarch string
	os, cpu      string // of Node.js
	wheel        string // the platform tag of a wheel
}

// platforms are those that are released. The program is static, so one for Linux does for every C library. The version of macOS is
// the oldest that Go 1.26 supports.
var platforms = []platform{
	{"linux", "amd64", "linux", "x64", "manylinux2014_x86_64.manylinux_2_17_x86_64.musllinux_1_1_x86_64"},
	{"linux", "arm64", "linux", "arm64", "manylinux2014_aarch64.manylinux_2_17_aarch64.musllinux_1_1_aarch64"},
	{"darwin", "amd64", "darwin", "x64", "macosx_12_0_x86_64"},
	{"darwin", "arm64", "darwin", "arm64", "macosx_12_0_arm64"},
	{"windows", "amd64", "win32", "x64", "win_amd64"},
	{"windows", "arm64", "win32", "arm64", "win_arm64"},
}

// name is the program's file name.
func (p platform) name() string {
	if p.goos == "windows" {
		return "jacquard.exe"
	}
	return "jacquard"
}

// release is what GoReleaser has built.
type release struct {
	version  string
	programs map[string]string // GOOS/GOARCH -> path
	readme   []byte
	license  []byte
}

func pack(dist string, partial bool) error {
	r, err := readRelease(dist)
	if err != nil {
		return err
	}
	var there []platform
	for _, p := range platforms {
		switch _, ok := r.programs[p.goos+"/"+p.goarch]; {
		case ok:
			there = append(there, p)
		case !partial:
			return fmt.Errorf("%s has no program for %s/%s", dist, p.goos, p.goarch)
		}
	}
	if err := r.npm(filepath.Join(dist, "npm"), there); err != nil {
		return fmt.Errorf("make the npm packages: %w", err)
	}
	if err := r.wheels(filepath.Join(dist, "wheels"), there); err != nil {
		return fmt.Errorf("make the wheels: %w", err)
	}
	return nil
}

// readRelease reads the two files in which GoReleaser says what it has made. Paths in them, like README.md and LICENSE, are
// relative to the root of the repository, where it ran.
func readRelease(dist string) (*release, error) {
	var meta struct{ Version string }
	var artifacts []struct{ Path, Goos, Goarch, Type string }
	for file, into := range map[string]any{"metadata.json": &meta, "artifacts.json": &artifacts} {
		raw, err := os.ReadFile(filepath.Join(dist, file))
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(raw, into); err != nil {
			return nil, fmt.Errorf("read %s: %w", file, err)
		}
	}
	r := &release{version: meta.Version, programs: map[string]string{}}
	for _, a := range artifacts {
		if a.Type == "Binary" {
			r.programs[a.Goos+"/"+a.Goarch] = a.Path
		}
	}
	var err error
	if r.readme, err = os.ReadFile("README.md"); err != nil {
		return nil, err
	}
	if r.license, err = os.ReadFile("LICENSE"); err != nil {
		return nil, err
	}
	return r, nil
}

// file is one of an archive.
type file struct {
	path       string
	data       []byte
	executable bool
}

// fresh makes dir anew and writes files with make into it.
func fresh(dir string, names []string, make func(name string) ([]byte, error)) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, name := range slices.Sorted(slices.Values(names)) {
		data, err := make(name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
