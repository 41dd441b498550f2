package confine_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"

	"github.com/jacquard-build/jacquard/internal/confine"
)

// TestFreeDoor: the port of a door is still free when it is opened, while other processes are started: such a child has a copy of all
// that is open here until it is executed.
func TestFreeDoor(t *testing.T) {
	t.Parallel()
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					cmd := exec.CommandContext(t.Context(), "/bin/true")
					cmd.SysProcAttr = &syscall.SysProcAttr{
						Cloneflags:  syscall.CLONE_NEWUSER,
						UidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}},
					}
					_ = cmd.Run() // where there are no namespaces too
				}
			}
		})
	}
	for range 2000 {
		door := (&confine.Policy{Partial: true}).FreeDoor()
		l, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", door))
		if err != nil {
			t.Error(err)
			break
		}
		l.Close()
	}
	close(done)
	wg.Wait()
}
