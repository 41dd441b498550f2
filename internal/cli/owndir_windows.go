package cli

// ownDir is asked on other systems only.
func ownDir(string) bool { return false }
