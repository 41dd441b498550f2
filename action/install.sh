#!/bin/sh
# Installs a release of Jacquard by its version and its checksum, and puts it on PATH.
set -eu
version=${JACQUARD_VERSION#v}
from=${JACQUARD_RELEASES:-https://github.com/jacquard-build/jacquard/releases/download}
case $version in *[!0-9A-Za-z.-]*) echo "::error title=jacquard::$version is not a version"; exit 1 ;; esac
case $(uname -s) in Linux) os=linux ;; Darwin) os=darwin ;; *) echo "::error title=jacquard::the action supports Linux and macOS"; exit 1 ;; esac
case $(uname -m) in x86_64 | amd64) arch=amd64 ;; aarch64 | arm64) arch=arm64 ;; *) echo "::error title=jacquard::the action does not support $(uname -m)"; exit 1 ;; esac
dir=$(mktemp -d "${RUNNER_TEMP:-/tmp}/jacquard.XXXXXX")
file=jacquard_${version}_${os}_${arch}.tar.gz
cd "$dir"
curl -fsSL --retry 3 -o "$file" "$from/v$version/$file"
curl -fsSL --retry 3 -o checksums.txt "$from/v$version/checksums.txt"
grep " $file\$" checksums.txt >one.txt || { echo "::error title=jacquard::checksums.txt does not list $file"; exit 1; }
if command -v sha256sum >/dev/null; then sha256sum -c one.txt; else shasum -a 256 -c one.txt; fi
tar -xzf "$file" jacquard
echo "$dir" >>"$GITHUB_PATH"
