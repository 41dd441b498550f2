package check

import "slices"

// each is what a function gives for the elements of a list.
func each[T, U any](list []T, of func(T) U) (out []U) {
	for _, x := range list {
		out = append(out, of(x))
	}
	return out
}

// those are the elements of a list that are such, without those that are not.
func those[T any](list []T, such func(T) bool) (out []T) {
	for _, x := range list {
		if such(x) {
			out = append(out, x)
		}
	}
	return out
}

func without[T any](list []T, such func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), such)
}

// setOf has the elements of a list as keys.
func setOf[T comparable](list []T) map[T]bool {
	out := map[T]bool{}
	for _, x := range list {
		out[x] = true
	}
	return out
}
