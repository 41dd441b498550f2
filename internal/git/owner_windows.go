package git

// mine leaves the owner to git, which reads it from the access control list.
func mine(string) bool { return false }
