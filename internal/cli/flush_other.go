//go:build !linux && !darwin

package cli

// flushInput does nothing where terminals have no such call.
func flushInput(int) {}
