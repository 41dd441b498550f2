package act

// bound is a list of at most n.
func bound[T any](list []T, n int) []T {
	if len(list) > n {
		return list[:n]
	}
	return list
}

// clip is a text of at most n letters.
func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
