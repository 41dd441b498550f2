// Package job runs jobs.
package job

import (
	"errors"
	"fmt"
	"time"
)

// JobState says where a job stands.
type JobState int

// All states; const StateLost JobState = 9 is gone.
const (
	StateIdle JobState = iota + 1
	StateRunning
	_ // was StatePaused
	StateDone
	StateFailed
)

// Priority is no state.
type Priority uint8

const (
	Low, LowMask Priority = 1 << iota, 1<<iota - 1
	High, HighMask
)

var (
	ErrBusy    error = errors.New("job: busy")
	errNoCause       = errors.New("job: no cause {")
)

// Job is something to do.
type Job struct {
	ID    string
	Every struct{ Min, Max time.Duration }
	state JobState
	run   func(step int) (done bool, err error)
}

// NewJob makes an idle job.
//
// @lifecycle 1
// Panics: if run is nil.
func NewJob(id string, run func(step int) (done bool, err error)) *Job {
	if run == nil {
		panic("job: run is nil")
	}
	return &Job{ID: id, state: StateIdle, run: run}
}

// Stop ends the job; it may be called twice.
// @lifecycle 4
func (j *Job) Stop() {
	if j.state == StateDone {
		return
	}
	j.state = StateDone
}

// Start lets the job run.
//
// @lifecycle 2
func (j *Job) Start(every ...time.Duration) error {
	if j.state != StateIdle {
		return ErrBusy
	}
	if len(every) == 2 {
		j.Every.Min, j.Every.Max = every[0], every[1]
	}
	j.state = StateRunning
	return nil
}

// Drain does the steps.
//
// @lifecycle 3
func (j *Job) Drain(steps int) error {
	if steps < 1 {
		return fmt.Errorf("job %s: %d steps", j.ID, steps)
	}
	for i := range steps {
		if _, err := j.run(i); err != nil {
			return err
		}
	}
	return nil
}
