package temporal_test

import (
	"bytes"
	"strings"
	"testing"

	"go.temporal.io/sdk/converter"

	"github.com/jacquard-build/jacquard/internal/flow/temporal"
)

type parcel struct{ Run, Key string }

// TestEncrypted: a server sees nothing of a payload, another key opens nothing, and clear payloads are still read.
func TestEncrypted(t *testing.T) {
	t.Parallel()
	plain := converter.GetDefaultDataConverter()
	mine, err := temporal.Encrypted(plain, bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	const secret = "the source of the shop"
	p, err := mine.ToPayloads(parcel{Key: secret})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(p.String(), secret) {
		t.Errorf("the payload shows %q", secret)
	}
	var got parcel
	if err := mine.FromPayloads(p, &got); err != nil || got.Key != secret {
		t.Errorf("opened: %+v, %v", got, err)
	}
	other, err := temporal.Encrypted(plain, bytes.Repeat([]byte{8}, 32))
	if err != nil {
		t.Fatal(err)
	}
	if err := other.FromPayloads(p, &got); err == nil || !strings.Contains(err.Error(), "the same key") {
		t.Errorf("another key: %v", err)
	}
	open, err := plain.ToPayloads(parcel{Key: "k"})
	if err != nil {
		t.Fatal(err)
	}
	if err := mine.FromPayloads(open, &got); err != nil || got.Key != "k" {
		t.Errorf("clear: %+v, %v", got, err)
	}
	if _, err := temporal.Encrypted(plain, []byte("short")); err == nil {
		t.Error("a key of 5 bytes was taken")
	}
}
