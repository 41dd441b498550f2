// Package private says where a secret can be sent without anybody else reading it.
package private

import (
	"net"
	"net/url"
)

// Loopback reports whether a host, a name or an IP address without a port, is this machine itself.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Address reports whether what is sent to an address is encrypted, or does not leave this machine: https, or http on the
// loopback interface.
func Address(u *url.URL) bool {
	return u.Scheme == "https" || u.Scheme == "http" && Loopback(u.Hostname())
}
