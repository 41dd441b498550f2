package proc

import "os"

// Unread reports whether nobody can read any more what is written to a file. Here that is not known.
func Unread(*os.File) bool { return false }
