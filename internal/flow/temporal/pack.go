package temporal

import (
	"bytes"
	"compress/gzip"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"
)

// maxPacked is what a server takes of a record on its way into the next history,
// with room for what surrounds it.
const maxPacked = 2<<20 - 64<<10

// pack compresses a record. Bytes travel as they are: as a text they would be a
// third longer.
func pack(m *record) ([]byte, error) {
	raw, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(raw); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	if b.Len() > maxPacked {
		return nil, fmt.Errorf("the run has %d branches and %d outcomes, compressed %d bytes: a server takes %d. Split it", len(m.State.Folds), len(m.State.Recs), b.Len(), maxPacked)
	}
	return b.Bytes(), nil
}

func unpack(b []byte) (record, error) {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return record{}, err
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		return record{}, err
	}
	var m record
	return m, json.Unmarshal(raw, &m)
}

// Encrypted makes a converter that the server can read nothing of: AES-GCM
// with a key of 16, 24 or 32 bytes that all machines of a run share. What was
// sent in clear before is still read.
func Encrypted(inner converter.DataConverter, key []byte) (converter.DataConverter, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	seal, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	return converter.NewCodecDataConverter(inner, codec{seal}), nil
}

type codec struct{ seal cipher.AEAD }

// encoding names what a payload of ours is made with.
const encoding = "binary/jacquard-aes-gcm"

// Encode seals payloads.
func (c codec) Encode(ps []*commonpb.Payload) ([]*commonpb.Payload, error) {
	out := make([]*commonpb.Payload, len(ps))
	for i, p := range ps {
		raw, err := proto.Marshal(p)
		if err != nil {
			return nil, err
		}
		nonce := make([]byte, c.seal.NonceSize())
		if _, err := rand.Read(nonce); err != nil {
			return nil, err
		}
		out[i] = &commonpb.Payload{
			Metadata: map[string][]byte{converter.MetadataEncoding: []byte(encoding)}, Data: c.seal.Seal(nonce, nonce, raw, []byte(encoding)),
		}
	}
	return out, nil
}

// Decode opens payloads.
func (c codec) Decode(ps []*commonpb.Payload) ([]*commonpb.Payload, error) {
	out := make([]*commonpb.Payload, len(ps))
	for i, p := range ps {
		if string(p.GetMetadata()[converter.MetadataEncoding]) != encoding {
			out[i] = p
			continue
		}
		n := c.seal.NonceSize()
		if len(p.GetData()) < n {
			return nil, errors.New("an encrypted payload is cut short")
		}
		raw, err := c.seal.Open(nil, p.GetData()[:n], p.GetData()[n:], []byte(encoding))
		if err != nil {
			return nil, fmt.Errorf("open an encrypted payload (is it the same key?): %w", err)
		}
		out[i] = &commonpb.Payload{}
		if err := proto.Unmarshal(raw, out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}
