package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

//go:embed npm/jacquard.js
var launcher []byte

// npmScope is where the packages are that carry the program for one platform each.
const npmScope = "jacquard-build"

func (p platform) npmName() string { return "@" + npmScope + "/" + p.os + "-" + p.cpu }

// manifest is a package.json.
type manifest struct {
	Name                 string            `json:"name"`
	Version              string            `json:"version"`
	Description          string            `json:"description"`
	License              string            `json:"license"`
	Homepage             string            `json:"homepage"`
	Repository           map[string]string `json:"repository"`
	Bin                  map[string]string `json:"bin,omitempty"`
	Engines              map[string]string `json:"engines,omitempty"`
	OS                   []string          `json:"os,omitempty"`
	CPU                  []string          `json:"cpu,omitempty"`
	PreferUnplugged      bool              `json:"preferUnplugged,omitempty"` // a program cannot be run inside of an archive
	OptionalDependencies map[string]string `json:"optionalDependencies,omitempty"`
}

// npm writes one package for each platform and the one that people install, which depends on all of them; npm takes the one that
// fits. Nothing is fetched or run while it is installed.
func (r *release) npm(dir string, there []platform) error {
	base := manifest{
		Version: r.version, Description: summary, License: license, Homepage: repository,
		Repository: map[string]string{"type": "git", "url": "git+" + repository + ".git"},
	}
	made := map[string]func() ([]byte, error){}
	for _, p := range there {
		m := base
		m.Name, m.OS, m.CPU, m.PreferUnplugged = p.npmName(), []string{p.os}, []string{p.cpu}, true
		m.Description += fmt.Sprintf(" (the program for %s on %s)", p.os, p.cpu)
		made[fmt.Sprintf("%s-%s-%s-%s.tgz", npmScope, p.os, p.cpu, r.version)] = func() ([]byte, error) {
			program, err := os.ReadFile(r.programs[p.goos+"/"+p.goarch])
			if err != nil {
				return nil, err
			}
			readme := fmt.Appendf(nil, "The program of [jacquard](%s) for %s on %s. Install the package `jacquard` instead.\n", repository, p.os, p.cpu)
			return tgz(m, file{"README.md", readme, false}, file{"LICENSE", r.license, false}, file{"bin/" + p.name(), program, true})
		}
	}
	m := base
	m.Name, m.Bin, m.Engines = "jacquard", map[string]string{"jacquard": "bin/jacquard.js"}, map[string]string{"node": ">=18"}
	m.OptionalDependencies = map[string]string{}
	for _, p := range platforms {
		m.OptionalDependencies[p.npmName()] = r.version
	}
	made[fmt.Sprintf("jacquard-%s.tgz", r.version)] = func() ([]byte, error) {
		return tgz(m, file{"README.md", r.readme, false}, file{"LICENSE", r.license, false}, file{"bin/jacquard.js", launcher, true})
	}
	var names []string
	for name := range made {
		names = append(names, name)
	}
	return fresh(dir, names, func(name string) ([]byte, error) { return made[name]() })
}

// tgz is a package as npm wants it. The same files give the same bytes.
func tgz(m manifest, files ...file) ([]byte, error) {
	described, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, f := range append([]file{{"package.json", append(described, '\n'), false}}, files...) {
		h := &tar.Header{Name: "package/" + f.path, Size: int64(len(f.data)), Mode: 0o644, ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR}
		if f.executable {
			h.Mode = 0o755
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
