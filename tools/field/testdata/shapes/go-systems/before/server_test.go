//go:build integration

package clock

import "testing"

func TestServer(t *testing.T) { t.Fatal("there is no server") }
