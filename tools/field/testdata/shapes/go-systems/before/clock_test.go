package clock

import "testing"

func TestMinutes(t *testing.T) {
	if got := Minutes(1, 5); got != 65 {
		t.Errorf("Minutes = %d", got)
	}
}
