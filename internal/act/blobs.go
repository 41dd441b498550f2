package act

import (
	"github.com/jacquard-build/jacquard/internal/blob"
	"github.com/jacquard-build/jacquard/internal/flow"
)

type blobs struct{ store *blob.Store }

// OpenBlobs opens the store of a project's blobs in a folder.
func OpenBlobs(dir string) (flow.Blobs, error) {
	s, err := blob.Open(dir)
	if err != nil {
		return nil, err
	}
	return blobs{s}, nil
}

func (b blobs) Put(data []byte, typ string) (flow.Blob, error) {
	r, err := b.store.Put(data, typ)
	return flow.Blob{SHA256: r.SHA256, Size: r.Size, Type: r.Type}, err
}

func (b blobs) Get(ref flow.Blob) ([]byte, error) {
	return b.store.Read(blob.Ref{SHA256: ref.SHA256, Size: ref.Size, Type: ref.Type})
}
