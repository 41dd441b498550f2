package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"
)

// The name on PyPI; "jacquard" is somebody else's there. In names of files a dash becomes an underscore.
const (
	wheelName = "jacquard-build"
	wheelFile = "jacquard_build"
)

// wheels writes a wheel for each platform. It holds no Python: the program is among the scripts, which installers put where
// commands are.
func (r *release) wheels(dir string, there []platform) error {
	version, err := pythonVersion(r.version)
	if err != nil {
		return err
	}
	byName := map[string]platform{}
	var names []string
	for _, p := range there {
		name := fmt.Sprintf("%s-%s-py3-none-%s.whl", wheelFile, version, p.wheel)
		byName[name], names = p, append(names, name)
	}
	return fresh(dir, names, func(name string) ([]byte, error) { return r.wheel(version, byName[name]) })
}

func (r *release) wheel(version string, p platform) ([]byte, error) {
	program, err := os.ReadFile(r.programs[p.goos+"/"+p.goarch])
	if err != nil {
		return nil, err
	}
	base := wheelFile + "-" + version
	about := &strings.Builder{}
	fmt.Fprintf(about, "Wheel-Version: 1.0\nGenerator: jacquard\nRoot-Is-Purelib: false\n")
	for _, tag := range strings.Split(p.wheel, ".") {
		fmt.Fprintf(about, "Tag: py3-none-%s\n", tag)
	}
	metadata := fmt.Sprintf("Metadata-Version: 2.4\nName: %s\nVersion: %s\nSummary: %s\nLicense-Expression: %s\nLicense-File: LICENSE\n"+
		"Project-URL: Source, %s\nRequires-Python: >=3.8\nDescription-Content-Type: text/markdown\n\n%s",
		wheelName, version, summary, license, repository, r.readme)
	files := []file{
		{base + ".data/scripts/" + p.name(), program, true},
		{base + ".dist-info/METADATA", []byte(metadata), false},
		{base + ".dist-info/WHEEL", []byte(about.String()), false},
		{base + ".dist-info/licenses/LICENSE", r.license, false},
	}
	record := &strings.Builder{}
	for _, f := range files {
		sum := sha256.Sum256(f.data)
		fmt.Fprintf(record, "%s,sha256=%s,%d\n", f.path, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.data))
	}
	fmt.Fprintf(record, "%s.dist-info/RECORD,,\n", base)
	return zipped(append(files, file{base + ".dist-info/RECORD", []byte(record.String()), false}))
}

// zipped is an archive of files. The same files give the same bytes.
func zipped(files []file) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		// The format knows no earlier day.
		h := &zip.FileHeader{Name: f.path, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
		h.SetMode(0o644)
		if f.executable {
			h.SetMode(0o755)
		}
		w, err := z.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

var released = regexp.MustCompile(`^(\d+\.\d+\.\d+)(?:-(alpha|beta|rc)\.?(\d+))?$`)

// pythonVersion is a version of ours as Python writes it: 1.2.3-rc1 is 1.2.3rc1. Versions with other words have no order there
// and are refused.
func pythonVersion(v string) (string, error) {
	m := released.FindStringSubmatch(v)
	if m == nil {
		return "", fmt.Errorf("Python has no version like %q: use 1.2.3, 1.2.3-alpha1, 1.2.3-beta1 or 1.2.3-rc1", v)
	}
	return m[1] + map[string]string{"": "", "alpha": "a", "beta": "b", "rc": "rc"}[m[2]] + m[3], nil
}
