package check_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/jacquard-build/jacquard/internal/check"
	"github.com/jacquard-build/jacquard/internal/commands"
	"github.com/jacquard-build/jacquard/internal/toolchain"
)

// TestCompiled: what is compiled before checks is what they compile, and no flag has it run something.
func TestCompiled(t *testing.T) {
	t.Parallel()
	for own, want := range map[string][]string{
		"":                       {""},
		"go test ./...":          {""},
		"go test -v -race ./...": {"", "-race"},
		"go test -tags=integration,db -race -count=1 -timeout 5m ./...": {"", "-tags=integration,db -race"},
		"go test -tags db ./... -run X":                                 {"", "-tags db"},
		"go test -exec=sh -toolexec ./evil -ldflags=-extld=evil ./...":  {""},
		"gotestsum -- -race ./...":                                      {"", "-race"},
	} {
		chain := toolchain.Found{Ecosystem: toolchain.Go, Runner: "go", Root: "."}
		if own != "" {
			chain.Own.Test = []commands.Command{{Purpose: "test", Argv: strings.Fields(own), Dir: "."}}
		}
		var got []string
		for _, flags := range check.Compiled(chain) {
			got = append(got, strings.Join(flags, " "))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", own, got, want)
		}
	}
}

// TestUnreached: who could not reach a service is told of the sandbox, in the words of each language's clients.
func TestUnreached(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"dial tcp 127.0.0.1:5432: connect: connection refused":                                          "5432",
		"dial tcp [::1]:5432: connect: connection refused":                                              "5432",
		"Error: connect ECONNREFUSED 127.0.0.1:6379":                                                    "6379",
		"AggregateError\n  Error: connect ECONNREFUSED ::1:6379":                                        "6379",
		`connection to server at "127.0.0.1", port 5433 failed: Connection refused`:                     "5433",
		`connection to server at "localhost" (::1), port 5434 failed: Connection refused`:               "5434",
		"org.postgresql.util.PSQLException: Connection to localhost:5432 refused. Check that":           "5432",
		"redis.exceptions.ConnectionError: Error 111 connecting to localhost:6379. Connection refused.": "6379",
		"ERROR 2003 (HY000): Can't connect to MySQL server on '127.0.0.1:3306' (111)":                   "3306",
		"dial tcp 127.0.0.1:7777: connect: connection refused":                                          "", // it is allowed: nobody is there
		"dial tcp 10.0.0.1:5432: connect: connection refused":                                           "",
		"want 127.0.0.1:5432, got 127.0.0.1:5433":                                                       "",
		"permission refused\n at 127.0.0.1:5432":                                                        "",
	} {
		got := check.Unreached(text, 7777)
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
