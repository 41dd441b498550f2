//go:build linux && (amd64 || arm64)

package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Default is the level where nobody has said one.
const Default = Full

// maxPorts is how many sockets are passed at once.
const maxPorts = 16

// system is what every command may read of the machine. Of /etc it is a list: for uid 0 everything in it can be read.
var system = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store",
	"/etc/alternatives", "/etc/bash.bashrc", "/etc/ca-certificates", "/etc/ca-certificates.conf", "/etc/crypto-policies", "/etc/debian_version",
	"/etc/fonts", "/etc/gai.conf", "/etc/group", "/etc/host.conf", "/etc/hostname", "/etc/hosts", "/etc/inputrc",
	"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/locale.alias", "/etc/locale.conf", "/etc/localtime",
	"/etc/lsb-release", "/etc/magic", "/etc/mime.types", "/etc/networks", "/etc/nsswitch.conf", "/etc/os-release",
	"/etc/php", "/etc/pki/ca-trust", "/etc/pki/java", "/etc/pki/tls/certs", "/etc/profile", "/etc/protocols",
	"/etc/python3", "/etc/python3.11", "/etc/services", "/etc/shells", "/etc/skel", "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/terminfo",
	"/etc/timezone", "/etc/java", "/etc/java-17-openjdk", "/etc/java-21-openjdk", "/etc/maven", "/etc/ruby", "/etc/perl", "/etc/erlang",
	"/sys/devices/system/cpu", "/sys/devices/system/node", "/sys/kernel/mm/transparent_hugepage",
}

// bind is one place of the file system that the command sees.
type bind struct {
	Path  string
	Write bool
}

// order works a policy out: real paths, and the links that lead to them.
func (p Policy) order() (order, error) {
	o := order{Partial: p.Partial, Links: map[string]string{}, Network: p.Network, Ports: p.Ports, Limits: p.Limits}
	if p.Door != 0 {
		o.Ports = append(slices.Clone(p.Ports), p.Door)
	}
	if p.Partial && len(p.Sockets) > 0 {
		return o, &StepError{"connect to " + p.Sockets[0], errors.New("at the level partial there are no Unix sockets")}
	}
	if p.Partial && p.Door == 0 {
		o.Ports = nil // all can be reached
	}
	if len(o.Ports) > maxPorts && !p.Network {
		return o, &StepError{"pass ports", fmt.Errorf("there are more than %d", maxPorts)}
	}
	read := append(slices.Clone(system), p.Read...)
	if p.Network { // where everything can be reached
		o.Ports = nil
	}
	if p.Network || p.Partial {
		read = append(read, "/etc/resolv.conf")
	}
	for _, path := range read {
		real, err := o.resolve(path)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			continue
		}
		if err != nil {
			return o, err
		}
		o.add(bind{Path: real})
	}
	for _, path := range p.Sockets {
		real, err := o.resolve(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // who serves there is not running
		}
		if err != nil {
			return o, &StepError{"connect to " + path, err}
		}
		if info, err := os.Lstat(real); err != nil || info.Mode()&fs.ModeSocket == 0 {
			return o, &StepError{"connect to " + path, errors.New("it is not a Unix socket")}
		}
		o.add(bind{Path: real})
	}
	for _, path := range p.Write {
		real, err := o.resolve(path)
		if err != nil {
			return o, &StepError{"make " + path + " writable", err}
		}
		o.add(bind{Path: real, Write: true})
	}
	for _, l := range p.Overlays {
		real, err := o.resolve(l.Path)
		if err != nil {
			return o, &StepError{"lay over " + l.Path, err}
		}
		l.Path = real
		if l.Upper != "" {
			if l.Upper, err = filepath.EvalSymlinks(l.Upper); err != nil {
				return o, &StepError{"lay over " + l.Path, err}
			}
		}
		o.Overlays = append(o.Overlays, l)
	}
	// What lies in another folder is mounted after it.
	slices.SortStableFunc(o.Binds, func(a, b bind) int { return strings.Compare(a.Path, b.Path) })
	return o, nil
}

func (o *order) add(b bind) {
	for i, other := range o.Binds {
		if other.Path == b.Path {
			o.Binds[i].Write = other.Write || b.Write
			return
		}
	}
	if !b.Write && o.sees(b.Path) && !o.writes(b.Path) {
		return
	}
	o.Binds = append(o.Binds, b)
}

func (o *order) sees(path string) bool {
	return slices.ContainsFunc(o.Binds, func(b bind) bool { return within(b.Path, path) })
}

func (o *order) writes(path string) bool {
	return slices.ContainsFunc(o.Binds, func(b bind) bool { return b.Write && within(b.Path, path) })
}

// resolve follows the links of a path one by one and notes each, so that the path can be used inside as it is written.
func (o *order) resolve(path string) (string, error) {
	if !filepath.IsAbs(path) || filepath.Clean(path) == "/" {
		return "", &StepError{"read the policy", fmt.Errorf("%q is not a path of a file or folder", path)}
	}
	rest := strings.Split(strings.Trim(filepath.Clean(path), "/"), "/")
	at := "/"
	for links := 0; len(rest) > 0; {
		next := filepath.Join(at, rest[0])
		info, err := os.Lstat(next)
		if err != nil {
			return "", err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			at, rest = next, rest[1:]
			continue
		}
		if links++; links > 40 {
			return "", fmt.Errorf("%s: too many links", path)
		}
		target, err := os.Readlink(next)
		if err != nil {
			return "", err
		}
		o.Links[next] = target
		to := target
		if !filepath.IsAbs(to) {
			to = filepath.Join(at, to)
		}
		to = strings.Trim(filepath.Clean(to), "/")
		if to == "" {
			return "", &StepError{"read the policy", fmt.Errorf("%q leads to the whole file system", path)}
		}
		at, rest = "/", append(strings.Split(to, "/"), rest[1:]...)
	}
	return at, nil
}
