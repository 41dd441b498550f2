package main

import (
	"debug/buildinfo"
	"fmt"
	"net/url"
	"os"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// writeBill writes which modules are in a program, as Go itself has recorded it there. So nothing is listed that the linker took
// nothing of, and nothing is left out.
func writeBill(version, program, out string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return fmt.Errorf("read what %s is made of: %w", program, err)
	}
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	err = cdx.NewBOMEncoder(f, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bill(version, info), cdx.SpecVersion1_6)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

func bill(version string, info *buildinfo.BuildInfo) *cdx.BOM {
	main := component(cdx.ComponentTypeApplication, info.Main.Path, "v"+version, "")
	settings := []cdx.Property{{Name: "go:version", Value: info.GoVersion}}
	for _, s := range info.Settings {
		switch s.Key {
		case "GOOS", "GOARCH", "CGO_ENABLED", "vcs.revision", "vcs.time":
			settings = append(settings, cdx.Property{Name: "go:" + s.Key, Value: s.Value})
		}
	}
	main.Properties = &settings
	parts := []cdx.Component{component(cdx.ComponentTypeLibrary, "std", strings.TrimPrefix(info.GoVersion, "go"), "")}
	for _, d := range info.Deps {
		if d.Replace != nil {
			d = d.Replace
		}
		parts = append(parts, component(cdx.ComponentTypeLibrary, d.Path, d.Version, d.Sum))
	}
	uses := make([]string, len(parts))
	for i, p := range parts {
		uses[i] = p.BOMRef
	}
	b := cdx.NewBOM()
	b.Metadata = &cdx.Metadata{Component: &main}
	b.Components = &parts
	b.Dependencies = &[]cdx.Dependency{{Ref: main.BOMRef, Dependencies: &uses}}
	return b
}

// component is a module. Its sum is that of go.sum, which is of a list of files and so none of the hashes that the format knows.
func component(kind cdx.ComponentType, path, version, sum string) cdx.Component {
	purl := "pkg:golang/" + path + "@" + url.QueryEscape(version)
	c := cdx.Component{Type: kind, BOMRef: purl, Name: path, Version: version, PackageURL: purl}
	if sum != "" {
		c.Properties = &[]cdx.Property{{Name: "go:sum", Value: sum}}
	}
	return c
}
