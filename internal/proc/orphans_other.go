//go:build !linux

package proc

// AdoptOrphans does nothing: only Linux lets a process become the parent of what loses its own.
func AdoptOrphans() {}

func begin(_ string, start func() (pid int, err error)) error {
	_, err := start()
	return err
}

func over(string, int) {}

func endOrphans() []int { return nil }
