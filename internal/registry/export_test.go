package registry

import "net"

// Find says whether an address is on a list, and whether a person has named it.
func Find(l *List, at string) (listed, user bool) {
	host, port, err := net.SplitHostPort(at)
	if err != nil {
		return false, false
	}
	return l.find(host, port)
}
