package step

// Each is what f makes of each element of a list, in its order; nil for an empty one.
func Each[T, U any](list []T, f func(T) U) []U {
	var out []U
	for _, x := range list {
		out = append(out, f(x))
	}
	return out
}
