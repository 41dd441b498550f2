package clock

import "testing"

func TestMinutes(t *testing.T) {
	if got := Minutes(1, 5); got != 65 {
		t.Errorf("Minutes = %d", got)
	}
}

func TestAdd(t *testing.T) {
	if got := Add(5, 10); got != 15 {
		t.Errorf("Add = %d", got)
	}
	if got := Add(24*60-1, 10); got != 9 {
		t.Errorf("Add over midnight = %d", got)
	}
}
