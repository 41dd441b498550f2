//go:build !linux

package local_test

import "os"

func datasync(f *os.File) error { return f.Sync() }
