package cli_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// receiver starts a server that notes what it is sent: receiver FILE [N]. The first N requests are answered with 503.
// GET NAME is answered with the file NAME.json. Its address is in RECEIVER; each line of the file is the path, the key and token headers, and the body.
func receiver(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: receiver FILE [N]")
	}
	file := ts.MkAbs(args[0])
	refuse := 0
	if len(args) == 2 {
		var err error
		refuse, err = strconv.Atoi(args[1])
		ts.Check(err)
	}
	ts.Check(os.WriteFile(file, nil, 0o644))
	here := ts.MkAbs(".") // the script may go elsewhere while it is asked
	var mu sync.Mutex
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		body, err := io.ReadAll(r.Body)
		if refuse > 0 {
			refuse--
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		if !json.Valid(body) || err != nil {
			body = []byte("NO JSON " + string(body))
		}
		f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		defer func() { _ = f.Close() }()
		w.Header().Set("Content-Type", "application/json")
		raw, err := os.ReadFile(filepath.Join(here, path.Base(r.URL.Path)+".json")) // the archive has what a forge, Slack and Google answer
		if r.Method == http.MethodGet {
			if err != nil {
				w.WriteHeader(http.StatusNotFound)
			}
			fmt.Fprintf(f, "GET %s auth=%s\n", r.URL, r.Header.Get("Authorization"))
			_, _ = w.Write(raw)
			return
		}
		fmt.Fprintf(f, "%s key=%s api=%s auth=%s %s\n", r.URL.Path, r.Header.Get("Idempotency-Key"), r.Header.Get("X-Runner-Api-Key"), r.Header.Get("Authorization"), body)
		_, _ = w.Write(raw)
	}))
	ts.Defer(s.Close)
	ts.Setenv("RECEIVER", s.URL)
}
