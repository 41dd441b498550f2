// Jacquard turns specifications into verified code by driving coding agents.
package main

import (
	"os"

	"github.com/jacquard-build/jacquard/internal/cli"
	"github.com/jacquard-build/jacquard/internal/proc"
)

func main() {
	proc.AdoptOrphans()
	os.Exit(cli.Main(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.Environ()}))
}
