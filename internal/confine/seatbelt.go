package confine

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// ofMac is what every command may read of macOS.
var ofMac = []string{
	"/usr", "/bin", "/sbin", "/System", "/opt", "/Library/Developer", "/Library/Java", "/Library/Frameworks", "/Library/Apple",
	"/Applications/Xcode.app", "/private/etc/ssl", "/private/etc/hosts", "/private/etc/passwd", "/private/etc/group", "/private/etc/protocols",
	"/private/etc/services", "/private/etc/shells", "/private/etc/localtime", "/private/var/db/timezone", "/private/var/select", "/private/var/db/xcode_select_link",
}

// Seatbelt is a policy as a profile of macOS's sandbox, for sandbox-exec. Paths have to be real ones, as macOS means by them: below
// /private where the usual names are links. What macOS does not have is left out: namespaces, so processes and a loopback interface of
// its own, and overlays: see Policy.copies.
func Seatbelt(p Policy) string {
	var b strings.Builder
	b.WriteString(`(version 1)
(deny default)
(allow process-exec process-fork)
(allow signal process-info* (target same-sandbox))
(allow sysctl-read)
(allow ipc-posix-sem ipc-posix-shm)
(allow pseudo-tty)
(allow file-read-metadata)
(allow file-read* file-write-data file-ioctl (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/random") (literal "/dev/urandom"))
(allow file-read* (literal "/"))
`)
	read, write := slices.Concat(ofMac, p.Read), slices.Clone(p.Write)
	if p.Network {
		read = append(read, "/private/etc/resolv.conf", "/private/var/run/resolv.conf")
	}
	paths := func(operations string, list []string) {
		if len(list) == 0 {
			return
		}
		slices.Sort(list)
		fmt.Fprintf(&b, "(allow %s", operations)
		for _, at := range slices.Compact(list) {
			fmt.Fprintf(&b, "\n  (subpath %s)", quoted(at))
		}
		b.WriteString(")\n")
	}
	paths("file-read*", read)
	paths("file-read* file-write*", write)
	if p.Network {
		b.WriteString("(allow network*)\n(allow mach-lookup (global-name \"com.apple.SystemConfiguration.configd\") (global-name \"com.apple.trustd.agent\"))\n")
		return b.String()
	}
	ports := slices.Clone(p.Ports)
	if p.Door != 0 { // what an agent or an installation reaches; it serves nothing
		ports = append(ports, p.Door)
		for _, port := range ports {
			fmt.Fprintf(&b, "(allow network-outbound (remote ip \"localhost:%s\"))\n", strconv.Itoa(port))
		}
	} else { // the servers of tests: other services of this machine can be reached too, which macOS cannot tell from them
		b.WriteString("(allow network* (local ip \"localhost:*\"))\n(allow network-outbound (remote ip \"localhost:*\"))\n")
	}
	for _, at := range p.Sockets {
		fmt.Fprintf(&b, "(allow network-outbound (remote unix-socket (path-literal %s)))\n", quoted(at))
	}
	return b.String()
}

// quoted is a path as a text of the profile's language.
func quoted(at string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path.Clean(at)) + `"`
}
