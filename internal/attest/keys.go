package attest

import (
	"bytes"
	"cmp"
	"context"
	b64 "encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	"github.com/jacquard-build/jacquard/internal/proc"
	"github.com/jacquard-build/jacquard/internal/re"
)

// namespace keeps a signature of a statement from being one of anything else that the key signs.
const namespace = "jacquard-proof"

// patience is for one call of a program that signs. It has no terminal, so a key with a passphrase needs its agent.
const patience = 30 * time.Second

// Keys are the user's settings of git for signing.
type Keys struct {
	Format  string   // gpg.format: openpgp, ssh or x509
	Key     string   // user.signingkey; "" = nothing is signed
	Program string   // gpg.program, gpg.ssh.program or gpg.x509.program; "" = the usual one
	Allowed string   // gpg.ssh.allowedSignersFile
	Env     []string // the user's
	Home    string
}

func base64(b []byte) string { return b64.StdEncoding.EncodeToString(b) }

// Signer signs as git signs commits. It is nil where the user has set up no key.
func (k Keys) Signer() dsse.Signer {
	if k.Key == "" {
		return nil
	}
	return k
}

// KeyID names the kind of signature; who made it is in the signature.
func (k Keys) KeyID() (string, error) { return cmp.Or(k.Format, "openpgp"), nil }

// Sign makes an armoured signature of data.
func (k Keys) Sign(ctx context.Context, data []byte) ([]byte, error) {
	argv := []string{cmp.Or(k.Program, "gpg"), "--batch", "--armor", "--detach-sign", "--local-user", k.Key}
	switch k.Format {
	case "x509": // as git calls it: programs that sign without a key of the user's, such as gitsign, know no other arguments
		argv = []string{cmp.Or(k.Program, "gpgsm"), "--status-fd=2", "-bsau", k.Key}
	case "ssh":
		file, agent, err := k.file()
		if err != nil {
			return nil, err
		}
		argv = []string{cmp.Or(k.Program, "ssh-keygen"), "-Y", "sign", "-n", namespace, "-f", file}
		if agent {
			defer func() { _ = os.Remove(file) }()
			argv = append(argv, "-U")
		}
	}
	out, err := k.run(ctx, argv, data)
	return []byte(out), err
}

// file is the key as a file. git takes the text of a public key as well, whose private part an agent has.
func (k Keys) file() (path string, agent bool, err error) {
	text, literal := strings.CutPrefix(k.Key, "key::")
	if !literal && !strings.HasPrefix(text, "ssh-") {
		return k.path(k.Key), false, nil
	}
	f, err := os.CreateTemp("", "jacquard-key-")
	if err != nil {
		return "", false, err
	}
	_, err = f.WriteString(text)
	return f.Name(), true, errors.Join(err, f.Close())
}

func (k Keys) path(p string) string {
	if rest, ok := strings.CutPrefix(p, "~/"); ok {
		return filepath.Join(k.Home, rest)
	}
	return p
}

var (
	goodSSH = re.New(`(?m)^Good "[^"]*" signature (?:for (\S+) )?with \S+ key (\S+)`)
	goodGPG = re.New(`(?m)^\[GNUPG:\] GOODSIG \S+ (.*)$`)
)

// check says who has made a signature of data. One that does not hold is ErrTampered.
func (k Keys) check(ctx context.Context, sig dsse.Signature, data []byte) (by string, err error) {
	raw, err := b64.StdEncoding.DecodeString(sig.Sig)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrTampered, err)
	}
	f, err := os.CreateTemp("", "jacquard-signature-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	if _, err = f.Write(raw); errors.Join(err, f.Close()) != nil {
		return "", err
	}
	switch sig.KeyID {
	case "ssh":
		return k.checkSSH(ctx, f.Name(), data)
	case "x509":
		return k.checkGPG(ctx, []string{k.verifier("x509", "gpgsm"), "--status-fd=1", "--verify", f.Name(), "-"}, data)
	}
	return k.checkGPG(ctx, []string{k.verifier("openpgp", "gpg"), "--batch", "--status-fd", "1", "--verify", f.Name(), "-"}, data)
}

func (k Keys) checkGPG(ctx context.Context, argv []string, data []byte) (string, error) {
	out, err := k.run(ctx, argv, data)
	if m := goodGPG().FindStringSubmatch(out); err == nil && m != nil {
		return m[1], nil
	}
	if strings.Contains(out, "NO_PUBKEY") {
		return "", fmt.Errorf("the signing key is missing here: import it with %s --import", filepath.Base(argv[0]))
	}
	return "", held(err)
}

// checkSSH looks for who has signed in the file of allowed signers. Without one, the signature only shows that nothing was changed since.
func (k Keys) checkSSH(ctx context.Context, file string, data []byte) (string, error) {
	program := k.verifier("ssh", "ssh-keygen")
	out, err := k.run(ctx, []string{program, "-Y", "check-novalidate", "-n", namespace, "-s", file}, data)
	m := goodSSH().FindStringSubmatch(out)
	if err != nil || m == nil {
		return "", held(err)
	}
	key := m[2]
	if k.Allowed == "" {
		return key, nil
	}
	allowed := k.path(k.Allowed)
	if _, err := os.Stat(allowed); err != nil {
		return "", fmt.Errorf("cannot read %s (gpg.ssh.allowedSignersFile): %w", allowed, errors.Unwrap(err))
	}
	who, err := k.run(ctx, []string{program, "-Y", "find-principals", "-f", allowed, "-s", file}, nil)
	name, _, _ := strings.Cut(strings.TrimSpace(who), "\n")
	if err != nil || name == "" {
		return "", fmt.Errorf("%s is not one of the allowed signers (%s)", key, k.Allowed)
	}
	if _, err := k.run(ctx, []string{program, "-Y", "verify", "-f", allowed, "-I", name, "-n", namespace, "-s", file}, data); err != nil {
		return "", held(err)
	}
	return name, nil
}

// verifier is the program for a kind of signature.
func (k Keys) verifier(format, usual string) string {
	if cmp.Or(k.Format, "openpgp") == format {
		return cmp.Or(k.Program, usual)
	}
	return usual
}

// held is the error of a signature that does not hold; a program that is missing says nothing about it.
func held(err error) error {
	if errors.Is(err, proc.ErrNotFound) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return ErrTampered
}

// run runs a program with data as its input, and returns what it prints, also when it fails.
func (k Keys) run(ctx context.Context, argv []string, data []byte) (string, error) {
	res, err := proc.Run(ctx, proc.Command{Argv: argv, Dir: os.TempDir(), Env: k.Env, Stdin: bytes.NewReader(data), Total: patience})
	if err != nil {
		return "", err
	}
	if res.Ended != proc.Exited || res.Exit != 0 {
		return res.Stdout.Text, fmt.Errorf("%s exited with %d: %s", filepath.Base(argv[0]), res.Exit, strings.TrimSpace(res.Stderr.Text+res.Stdout.Text))
	}
	return res.Stdout.Text, nil
}
