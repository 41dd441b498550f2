#!/bin/sh
# Runs a command with its temporary files in memory, where there is room for them: the tests make and delete thousands of checkouts,
# and on a disk that takes a third of their time. Only root may mount; for others the command runs as it is. It is no folder of
# /dev/shm, which the sandbox of codex hides, and is not called a test, which code under test may look for.
least=6000000 # KiB of memory that have to be free
if [ "$(id -u)" = 0 ] && [ "$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo 2>/dev/null)" -gt "$least" ] 2>/dev/null && unshare -m true 2>/dev/null; then
	folder=$(mktemp -d "${TMPDIR:-/tmp}/jacquard-memory.XXXXXX")
	trap 'rmdir "$folder"' EXIT
	trap 'exit 130' INT TERM
	# The mount ends with the command.
	unshare -m sh -c 'mount -t tmpfs -o mode=755 jacquard-memory "$0" && export TMPDIR="$0" && exec "$@"' "$folder" "$@"
	exit
fi
"$@"
