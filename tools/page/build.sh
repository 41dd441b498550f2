#!/usr/bin/env bash
# Takes Mermaid's one file out of its package (pinned by hash in package-lock.json) into internal/inspect/page.
# With --check it compares.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=bin/page
out=internal/inspect/page
mkdir -p $work
cp tools/page/package.json tools/page/package-lock.json $work/
(cd $work && npm ci --ignore-scripts --no-audit --no-fund --silent)
if [ "${1:-}" = --check ]; then
  zstd -dc $out/mermaid.min.js.zst | cmp - $work/node_modules/mermaid/dist/mermaid.min.js
  echo "the page draws with the Mermaid that is pinned"
  exit 0
fi
zstd -q -f --ultra -22 $work/node_modules/mermaid/dist/mermaid.min.js -o $out/mermaid.min.js.zst
cp $work/node_modules/mermaid/LICENSE $out/mermaid.LICENSE
