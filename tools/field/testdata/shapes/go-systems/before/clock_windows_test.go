package clock

import "testing"

func TestMinutes(t *testing.T) { t.Fatal("another clock") }

func TestZone(t *testing.T) {}
