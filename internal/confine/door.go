//go:build !darwin

package confine

// firstDoor is the port to begin with: where a command has a loopback interface of its own, nobody else uses it.
func firstDoor() int { return usualDoor }
