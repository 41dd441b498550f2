package git

import (
	"errors"
	"strings"

	"github.com/jacquard-build/jacquard/internal/re"
)

// All other calls name the repository with GIT_DIR, and git looks at the owner only of
// one that it finds by itself. So one that may be another user's is opened by git, once.

// ownersEnv is what git decides by whether another user's repository may be used: the
// user's own safe.directory, wherever it is set, and who has called sudo.
func ownersEnv(env []string) []string {
	var out []string
	for _, kv := range env {
		if strings.HasPrefix(kv, "GIT_CONFIG") || strings.HasPrefix(kv, "SUDO_UID=") {
			out = append(out, kv)
		}
	}
	return out
}

var dubious = re.New(`detected dubious ownership in repository at '(.*)'`)

// refused is the error of opening dir, told apart where git refuses its owner.
func refused(err error, dir string) error {
	f, ok := errors.AsType[*failure](err)
	if !ok || !strings.Contains(f.text, "dubious ownership") {
		return err
	}
	if m := dubious().FindStringSubmatch(f.text); m != nil {
		dir = m[1]
	}
	return &OwnerError{Dir: dir}
}
