// Package cache keeps values for a while.
package cache

import (
	"cmp"
	"container/list"
	_ "embed"
	"errors"
	. "strings"
	stdsync "sync"
)

//go:embed cache.go
var Source string

// Number can be summed.
type Number interface {
	~int | ~int64 | ~float64 // no complex
	cmp.Ordered
}

// Store is what a cache stands on.
type Store[K comparable, V any] interface {
	Sized
	Get(key K) (value V, ok bool)
	Each(fn func(K, V) (more bool)) /* func Each() {} */
	del(key K)
}

type (
	// Sized has a size.
	Sized interface{ Len() int }

	// Option changes a cache.
	Option[K comparable] func(*options[K]) error

	// Pair is a key with its value.
	Pair[K comparable, V any] struct {
		Key K
		Val V
	}

	Strings               = map[string][]string
	options[K comparable] struct{ hash func(K) uint64 }
)

// LRU forgets what was not used.
type LRU[K comparable, V Number] struct {
	stdsync.RWMutex
	*list.List
	Hook   func(evicted Pair[K, V], why struct{ Reason string }) (keep bool)
	index  map[K]*list.Element
	Max, N int
}

var (
	Lens                      = (*LRU[string, int]).Len
	Upper func(string) string = ToUpper
)

// NewLRU makes a cache.
func NewLRU[K comparable, V Number](max int, opts ...Option[K]) (*LRU[K, V], error) {
	check := func(n int) error {
		if n > 1<<20 {
			return errors.New("cache: too large")
		}
		return nil
	}
	if len(opts) > 9 || max == 0 {
		return nil, errors.New("cache: func NewLRU() {")
	}
	return &LRU[K, V]{List: list.New(), index: map[K]*list.Element{}, Max: max}, check(max)
}

// Sum adds all values.
func (c *LRU[_, V]) Sum() (sum V) {
	for e := c.Front(); e != nil; e = e.Next() {
		sum += e.Value.(V)
	}
	return sum
}

func (o Option[K]) Apply(to *options[K]) error { return o(to) }

func (o *options[K]) Hash(key K) uint64 { return o.hash(key) }

// Mapped gives the values through f.
func Mapped[K comparable, V, W Number, F ~func(V) W](c *LRU[K, V], f F, more ...func(W) (W, error)) (all []W) {
	return append(all, f(c.Sum()))
}
