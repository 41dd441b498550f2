package hub

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/jacquard-build/jacquard/internal/flow"
	"github.com/jacquard-build/jacquard/internal/private"
)

// bucket keeps objects in an S3-compatible store. It has no interface and no client: what can be reached by reflection, with all
// its methods, is linked, and that is a megabyte.
type bucket struct {
	name   string
	prefix string // "" or ending in a slash
	at     string // for messages
}

// tries is how often a request is made; who waits longer is whoever asked.
const tries = 2

func newBucket(address string, env map[string]string) (*objects, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "s3" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Port() != "" {
		return nil, flow.Failf(flow.Environment, "hub %q: must be the name of a git remote, s3://BUCKET/PREFIX or file:///FOLDER", address)
	}
	b := &bucket{name: u.Host, prefix: strings.Trim(path.Clean("/"+u.Path), "/")}
	if b.prefix != "" {
		b.prefix += "/"
	}
	endpoint, secure, err := endpointOf(env)
	if err != nil {
		return nil, err
	}
	region := cmp.Or(env["AWS_REGION"], env["AWS_DEFAULT_REGION"])
	if region == "" && endpoint != amazon {
		region = "us-east-1" // what stores of others call themselves
	}
	b.at = "s3://" + path.Join(b.name, b.prefix) + " at " + endpoint
	c, err := minio.New(endpoint, &minio.Options{Creds: login(env), Secure: secure, Region: region, MaxRetries: tries})
	if err != nil {
		return nil, flow.Failf(flow.Environment, "hub: %s: %v", b.at, err)
	}
	return &objects{
		list: func(ctx context.Context, folder string) ([]string, error) { return b.list(ctx, c, folder) },
		get:  func(ctx context.Context, name string, w io.Writer) error { return b.get(ctx, c, name, w) },
		put:  func(ctx context.Context, name string, body *os.File) error { return b.put(ctx, c, name, body) },
		drop: func(ctx context.Context, name string) error { return b.drop(ctx, c, name) },
	}, nil
}

const amazon = "s3.amazonaws.com"

// endpointOf is the server that programs of AWS would ask. What is not encrypted does not leave this machine.
func endpointOf(env map[string]string) (host string, secure bool, err error) {
	text := cmp.Or(env["AWS_ENDPOINT_URL_S3"], env["AWS_ENDPOINT_URL"])
	if text == "" {
		return amazon, true, nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		return "", false, flow.Failf(flow.Environment, "AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL must have the form https://HOST:PORT")
	}
	if !private.Address(u) {
		return "", false, flow.Failf(flow.Environment, "the store at %s is not asked: http:// is for this machine only, others need https://", u.Host)
	}
	return u.Host, u.Scheme == "https", nil
}

// login is the user's at the store: that of the environment, else that of his profile. Without one, nobody's.
func login(env map[string]string) *credentials.Credentials {
	id, secret, token := env["AWS_ACCESS_KEY_ID"], env["AWS_SECRET_ACCESS_KEY"], env["AWS_SESSION_TOKEN"]
	if id == "" {
		file := cmp.Or(env["AWS_SHARED_CREDENTIALS_FILE"], filepath.Join(cmp.Or(env["HOME"], env["USERPROFILE"]), ".aws", "credentials"))
		p := profile(file, cmp.Or(env["AWS_PROFILE"], "default"))
		id, secret, token = p["aws_access_key_id"], p["aws_secret_access_key"], p["aws_session_token"]
	}
	return credentials.NewStaticV4(id, secret, token)
}

// profile reads the lines of one section of a file of credentials. The client could do it, with a megabyte's tenth of code for
// programs and services that credentials may come from instead.
func profile(file, name string) map[string]string {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil // the store says who may not
	}
	out, in := map[string]string{}, false
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			in = strings.TrimSpace(strings.Trim(line, "[]")) == name
		}
		if key, value, ok := strings.Cut(line, "="); ok && in && !strings.HasPrefix(line, "#") {
			out[strings.ToLower(strings.TrimSpace(key))] = strings.TrimSpace(value)
		}
	}
	return out
}

// trouble gives what the store answered its class.
func (b *bucket) trouble(err error) error {
	r, _ := errors.AsType[minio.ErrorResponse](err)
	r.Message = strings.TrimRight(r.Message, ".")
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case r.StatusCode == 0:
		return flow.Failf(flow.Environment, "the hub cannot be reached: %s: %v", b.at, err)
	case r.StatusCode == http.StatusPreconditionFailed:
		return errExists
	case r.Code == "NoSuchKey":
		return errNone
	case r.StatusCode == http.StatusNotImplemented:
		return flow.Failf(flow.Environment, "the store %s does not support conditional writes (If-None-Match: *), so it cannot be a hub: %s", b.at, r.Message)
	case r.StatusCode >= 500, r.StatusCode == http.StatusConflict, r.StatusCode == http.StatusTooManyRequests:
		return flow.Failf(flow.Environment, "the hub cannot be reached: %s: %s: %s", b.at, r.Code, r.Message)
	case r.Code == "NoSuchBucket":
		return flow.Failf(flow.Auth, "the hub refuses: %s does not exist or is not visible. Create the bucket", b.at)
	}
	return flow.Failf(flow.Auth, "the hub refuses: %s: %s: %s. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, for an account that may list, read, write and delete there", b.at, r.Code, r.Message)
}

func (b *bucket) list(ctx context.Context, c *minio.Client, folder string) ([]string, error) {
	var names []string
	dir := b.prefix + folder + "/"
	for o := range c.ListObjectsIter(ctx, b.name, minio.ListObjectsOptions{Prefix: dir, Recursive: true}) {
		if o.Err != nil {
			return nil, b.trouble(o.Err)
		}
		names = append(names, strings.TrimPrefix(o.Key, dir))
	}
	return names, nil
}

func (b *bucket) get(ctx context.Context, c *minio.Client, name string, w io.Writer) error {
	o, info, _, err := (minio.Core{Client: c}).GetObject(ctx, b.name, b.prefix+name, minio.GetObjectOptions{})
	if err != nil {
		return b.trouble(err)
	}
	defer func() { _ = o.Close() }()
	if info.Size > maxBundle {
		return errTooLarge
	}
	if _, err := io.Copy(w, o); errors.Is(err, errTooLarge) {
		return err
	} else if err != nil {
		return b.trouble(err)
	}
	return nil
}

// put makes an object in one request, so that it is there whole or not at all. The store compares the digest.
func (b *bucket) put(ctx context.Context, c *minio.Client, name string, body *os.File) error {
	h := sha256.New()
	_, err := body.Seek(0, io.SeekStart)
	size, cerr := io.Copy(h, body)
	if err == nil && cerr == nil {
		_, err = body.Seek(0, io.SeekStart)
	}
	if err = errors.Join(err, cerr); err != nil {
		return flow.Failf(flow.Environment, "read a temporary file: %v", err)
	}
	o := minio.PutObjectOptions{ContentType: "application/octet-stream"}
	o.SetMatchETagExcept("*")
	digest := hex.EncodeToString(h.Sum(nil))
	for wait := firstWait; ; wait *= 2 {
		_, err := (minio.Core{Client: c}).PutObject(ctx, b.name, b.prefix+name, body, size, "", digest, o)
		if err == nil {
			return nil
		}
		r, ok := errors.AsType[minio.ErrorResponse](err)
		if !ok || r.StatusCode != http.StatusConflict || wait > lastWait {
			return b.trouble(err)
		}
		t := time.NewTimer(wait)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return context.Cause(ctx)
		}
		if _, err := body.Seek(0, io.SeekStart); err != nil {
			return flow.Failf(flow.Environment, "read a temporary file: %v", err)
		}
	}
}

// How long a put waits that met another one: the store has decided for neither then, and wants to be asked again.
const (
	firstWait = 20 * time.Millisecond
	lastWait  = 640 * time.Millisecond
)

func (b *bucket) drop(ctx context.Context, c *minio.Client, name string) error {
	if err := c.RemoveObject(ctx, b.name, b.prefix+name, minio.RemoveObjectOptions{}); err != nil {
		if err = b.trouble(err); !errors.Is(err, errNone) {
			return err
		}
	}
	return nil
}
