package private_test

import (
	"net/url"
	"testing"

	"github.com/jacquard-build/jacquard/internal/private"
)

func TestAddress(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"https://host": true, "http://localhost:1/x": true, "http://127.0.0.9": true, "http://[::1]:80": true,
		"http://host": false, "http://localhost.host": false, "http://127.0.0.1.host": false, "http://10.0.0.1": false, "http://0.0.0.0": false,
		"ftp://localhost": false, "localhost:80": false, "": false,
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := private.Address(u); got != want {
			t.Errorf("Address(%q) = %v", text, got)
		}
	}
}
