package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

const loopback = "127.0.0.1"

// Ports are taken from below the range that systems use for outgoing connections. A client that
// dials a server which is down could otherwise get its port, or even connect to itself, and the
// server could not come back.
const (
	firstPort = 15000
	lastPort  = 32000
)

// ports hands out free ports. Temporal wants numbers and listens later, so each number is held
// by a UDP socket meanwhile: servers that start side by side never get the same one.
type ports struct {
	held []net.PacketConn
}

func (p *ports) free() (int, error) {
	for range 1000 {
		port := firstPort + rand.IntN(lastPort-firstPort)
		if p.hold(port) == nil {
			return port, nil
		}
	}
	return 0, fmt.Errorf("no free port between %d and %d", firstPort, lastPort)
}

func (p *ports) hold(port int) error {
	c, err := net.ListenPacket("udp4", hostPort(port))
	if err != nil {
		return err
	}
	if err := available(port); err != nil {
		return errors.Join(err, c.Close())
	}
	p.held = append(p.held, c)
	return nil
}

func (p *ports) close() {
	for _, c := range p.held {
		_ = c.Close()
	}
}

func available(port int) error {
	l, err := net.Listen("tcp4", hostPort(port))
	if err != nil {
		return err
	}
	return l.Close()
}

func hostPort(port int) string { return net.JoinHostPort(loopback, strconv.Itoa(port)) }
