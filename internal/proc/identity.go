package proc

// ID identifies one process for as long as the machine runs: process ids are used
// again, a process id together with its start time is not.
type ID struct {
	Pid int `json:"pid"`
	// Start is opaque: the start of the process, and of the machine where it is known.
	Start string `json:"start"`
}

// Alive reports whether this very process still runs. A process that has ended and
// was not yet collected by its parent does not.
func (id ID) Alive() bool {
	now, err := Identify(id.Pid)
	return err == nil && id.Start != "" && now == id
}

// End kills this very process, its process group and what descends from it, and
// returns the process ids that were ended. It does nothing when id is not alive.
func (id ID) End() []int {
	if !id.Alive() {
		return nil
	}
	return endTree(id)
}
