#!/bin/sh
# Judges what a pull request or a push has changed: annotations on stdout, the text on the summary page, the verdict as an output. The
# commits of runs that a push brings are proved again. What is checked out for a pull request is the merge of GITHUB_SHA, whose first parent is
# what it is merged into, unless the workflow checks out its head.
set -eu
refuse() { # CODE WHY
	echo "::error title=jacquard prove::$2"
	echo verdict=unknown >>"$GITHUB_OUTPUT"
	exit "$1"
}
command -v jacquard >/dev/null || refuse 4 'jacquard is not on PATH: set the input version, or build it in an earlier step and add its folder to GITHUB_PATH'
if [ "${PROVE_EVENT:-}" = pull_request_target ]; then
	refuse 1 'pull_request_target runs the code of a pull request with the secrets of this repository: use on: pull_request'
fi
base=${PROVE_BASE:-}
PROVE_BEFORE=${PROVE_BEFORE:-}
push=$([ "${PROVE_EVENT:-}" = push ] && echo yes) || push=
known() { [ -n "$PROVE_BEFORE" ] && git cat-file -e "$PROVE_BEFORE^{commit}" 2>/dev/null; }
if [ -z "$base" ] && [ -n "$push" ] && known; then base=$PROVE_BEFORE; fi
if [ -z "$base" ] && [ -n "$push" ]; then # a new branch, or one that was forced, begins where it has left the default one
	base=$(git merge-base "origin/${PROVE_DEFAULT:-}" HEAD 2>/dev/null) || base=
	if [ -n "${PROVE_BEFORE#"${PROVE_BEFORE%%[!0]*}"}" ] && [ "$base" = "$(git rev-parse HEAD)" ]; then base=; fi
fi
merged() { git rev-parse -q --verify 'HEAD^2^{commit}' >/dev/null && [ "$(git rev-parse HEAD)" = "${GITHUB_SHA:-$(git rev-parse HEAD)}" ]; }
if [ -z "$base" ] && [ -z "$push" ] && merged; then base='HEAD^1'; fi
if [ -z "$base" ] && [ -n "${PROVE_PULL:-}" ]; then base=$(git merge-base "$PROVE_PULL" HEAD 2>/dev/null) || base=; fi
if [ -z "$base" ] && [ -z "${PROVE_PULL:-}" ] && known; then base=$PROVE_BEFORE; fi
if [ -z "$base" ]; then refuse 1 'there is no commit to compare with: check out with fetch-depth: 0, or set base'; fi
# In a container, which rarely allows namespaces, and on a machine of GitHub, which ends with the job, that is the sandbox.
ends() { [ "${RUNNER_ENVIRONMENT:-}" = github-hosted ] || [ -e /.dockerenv ] || [ -e /run/.containerenv ] || [ -n "${KUBERNETES_SERVICE_HOST:-}" ]; }
none() { ! said=$(jacquard prove HEAD..HEAD --lang en 2>&1) && case $said in *'no sandbox is available here'*) ;; *) false ;; esac; }
if [ -z "${JACQUARD_SANDBOX:-}" ] && ends && none; then
	export JACQUARD_SANDBOX=outside
	echo 'jacquard: no sandbox is available here, so the container or virtual machine of this job is it (JACQUARD_SANDBOX=outside)'
fi
text=$(mktemp "${RUNNER_TEMP:-/tmp}/prove.XXXXXX").txt
set -- "$base..HEAD" --format github -o "$text" --limit "${PROVE_LIMIT:-10m}"
if [ "${PROVE_FULL:-false}" = true ]; then set -- "$@" --full; fi
if [ -n "${PROVE_SARIF:-}" ]; then set -- "$@" -o "$PROVE_SARIF"; fi
page() { { printf '## jacquard %s\n\n```text\n' "$1"; head -c 400000 "$2" | sed "s/\`\`\`/'''/g"; printf '```\n'; } >>"$GITHUB_STEP_SUMMARY"; }
code=0
jacquard prove "$@" 2>"$text.err" || code=$?
cat "$text.err" >&2
if [ -f "$text" ]; then
	page prove "$text"
	sed -n '1s/:.*//p' "$text" | sed 's/^/verdict=/' >>"$GITHUB_OUTPUT"
else
	sed -n 's/%/%25/g; s/^jacquard: /::error title=jacquard prove::/p' "$text.err" | head -n 1
	echo verdict=unknown >>"$GITHUB_OUTPUT"
fi
if [ "${PROVE_EVENT:-}" = push ]; then
	git fetch -q origin refs/notes/jacquard:refs/notes/jacquard 2>/dev/null || echo 'no evidence notes could be fetched to compare with'
	jacquard verify "$base..HEAD" >"$text.verify" || code=$?
	token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n') # what tests print is no command of the workflow
	printf '::stop-commands::%s\n' "$token"
	cat "$text.verify"
	printf '::%s::\n' "$token"
	page verify "$text.verify"
fi
exit "$code"
