package confine

import "golang.org/x/sys/windows"

// FreeAt is how many bytes the user may still write to the volume of a folder. ok is false where that is not known.
func FreeAt(dir string) (n int64, ok bool) {
	at, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, false
	}
	var free uint64
	if err := windows.GetDiskFreeSpaceEx(at, &free, nil, nil); err != nil {
		return 0, false
	}
	return int64(free), true //nolint:gosec // of a volume
}
