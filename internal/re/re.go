// Package re makes regular expressions that are compiled when they are first used, so
// that a short command does not pay for the hundred that it never needs.
package re

import (
	"regexp"
	"sync"
)

// Regexp gives the compiled expression, always the same one.
type Regexp = func() *regexp.Regexp

// all are the expressions of the program; packages make them before anything runs.
var all []Regexp

// New returns the expression of text, whose syntax is that of regexp. Text that is no
// expression panics at the first use; CompileAll finds it before that. It is for
// variables of packages only.
func New(text string) Regexp {
	get := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
	all = append(all, get)
	return get
}

// CompileAll compiles every expression that was made, and panics at one that is wrong.
// It returns how many there are.
func CompileAll() int {
	for _, get := range all {
		get()
	}
	return len(all)
}
