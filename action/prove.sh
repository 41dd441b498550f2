#!/bin/sh
# Judges what a pull request or a push has changed: annotations on stdout, the text on the summary page, the verdict as an output. The
# commits of runs that a push brings are proved again. What is checked out for a pull request is the merge of GITHUB_SHA, whose first parent is
# what it is merged into, unless the workflow checks out its head.
set -eu
base=${PROVE_BASE:-}
known() { [ -n "${PROVE_BEFORE:-}" ] && git cat-file -e "$PROVE_BEFORE^{commit}" 2>/dev/null; }
if [ -z "$base" ] && [ "${PROVE_EVENT:-}" = push ] && known; then base=$PROVE_BEFORE; fi
merged() { git rev-parse -q --verify 'HEAD^2^{commit}' >/dev/null && [ "$(git rev-parse HEAD)" = "${GITHUB_SHA:-$(git rev-parse HEAD)}" ]; }
if [ -z "$base" ] && merged; then base='HEAD^1'; fi
if [ -z "$base" ] && [ -n "${PROVE_PULL:-}" ]; then base=$(git merge-base "$PROVE_PULL" HEAD 2>/dev/null) || base=; fi
if [ -z "$base" ] && [ -z "${PROVE_PULL:-}" ] && known; then base=$PROVE_BEFORE; fi
if [ -z "$base" ]; then
	echo '::error title=jacquard prove::there is no commit to compare with: check out with fetch-depth: 2, or set base'
	echo verdict=unknown >>"$GITHUB_OUTPUT"
	exit 1
fi
text=$(mktemp "${RUNNER_TEMP:-/tmp}/prove.XXXXXX").txt
set -- "$base..HEAD" --format github -o "$text" --limit "${PROVE_LIMIT:-10m}"
if [ "${PROVE_FULL:-false}" = true ]; then set -- "$@" --full; fi
if [ -n "${PROVE_SARIF:-}" ]; then set -- "$@" -o "$PROVE_SARIF"; fi
page() { { printf '## jacquard %s\n\n```text\n' "$1"; head -c 400000 "$2" | sed "s/\`\`\`/'''/g"; printf '```\n'; } >>"$GITHUB_STEP_SUMMARY"; }
code=0
jacquard prove "$@" || code=$?
if [ -f "$text" ]; then
	page prove "$text"
	sed -n '1s/:.*//p' "$text" | sed 's/^/verdict=/' >>"$GITHUB_OUTPUT"
fi
if [ "${PROVE_EVENT:-}" = push ]; then
	jacquard verify "$base..HEAD" >"$text.verify" || code=$?
	token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n') # what tests print is no command of the workflow
	printf '::stop-commands::%s\n' "$token"
	cat "$text.verify"
	printf '::%s::\n' "$token"
	page verify "$text.verify"
fi
exit "$code"
