package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"
)

// tests prints how long the last make test took beside what it may take, and how many stories it told.
func (b *bench) tests() error {
	var took time.Duration
	tests, stories := 0, 0
	for _, file := range strings.Fields(os.Getenv("JACQUARD_BENCH_TESTS")) {
		f, err := os.Open(file)
		if errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintf(b.out, "tests\tnot measured: make test writes %s\t\t\n", file)
			return nil
		}
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }() // it was only read
		var first, last time.Time
		for lines := bufio.NewReader(f); ; {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				break
			}
			var e struct {
				Time         time.Time
				Action, Test string
			}
			if err := json.Unmarshal(line, &e); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			if first.IsZero() {
				first = e.Time
			}
			last = e.Time
			if e.Action == "pass" && e.Test != "" {
				tests++
				if group, _, part := strings.Cut(e.Test, "/"); part && (strings.HasPrefix(group, "TestStories") || group == "TestLies" || group == "TestHonest") {
					stories++
				}
			}
		}
		took += last.Sub(first)
	}
	b.row(fmt.Sprintf("make test: %d tests, %d stories", tests, stories), took, 10*time.Minute, "goal")
	return nil
}
