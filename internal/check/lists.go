package check

import "slices"

// each is what a function gives for the elements of a list.
func each[T, U any](list []T, of func(T) U) (out []U) {
	for _, x := range list {
		out = append(out, of(x))
	}
	return out
}

// those are the elements of a list that are such.
func those[T any](list []T, such func(T) bool) (out []T) {
	for _, x := range list {
		if such(x) {
			out = append(out, x)
		}
	}
	return out
}

// without are the elements of a list that are not such.
func without[T any](list []T, such func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), such)
}

// spare leaves out the elements of a list that are such, where others are left.
func spare[T any](list []T, such func(T) bool) []T {
	if rest := without(list, such); len(rest) > 0 {
		return rest
	}
	return list
}

// setOf has the elements of a list as keys.
func setOf[T comparable](list []T) map[T]bool {
	out := map[T]bool{}
	for _, x := range list {
		out[x] = true
	}
	return out
}

// mapOf has what a function gives for the elements of a list, by the key that it gives for each.
func mapOf[T any, K comparable, V any](list []T, of func(T) (K, V)) map[K]V {
	out := make(map[K]V, len(list))
	for _, x := range list {
		k, v := of(x)
		out[k] = v
	}
	return out
}

// groups are the elements of a list by a key, in their order.
func groups[T any, K comparable](list []T, key func(T) K) map[K][]T {
	out := map[K][]T{}
	for _, x := range list {
		out[key(x)] = append(out[key(x)], x)
	}
	return out
}

// addNew adds what a list does not have yet.
func addNew[T comparable](list []T, more ...T) []T {
	for _, x := range more {
		if !slices.Contains(list, x) {
			list = append(list, x)
		}
	}
	return list
}

// oneFor tells of elements, one after the other, whether a list has one for each.
func oneFor[T comparable](list []T) func(T) bool {
	left := map[T]int{}
	for _, x := range list {
		left[x]++
	}
	return func(x T) bool {
		left[x]--
		return left[x] >= 0
	}
}

func atoi(s string) int {
	n := 0
	for _, c := range s {
		n = n*10 + int(c-'0')
	}
	return n
}
