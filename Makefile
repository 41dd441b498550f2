# Everything a fresh machine with Go, git and Node needs is set up by these targets.
GO      ?= go
BIN     := bin/jacquard
TOOLS   := bin/tools
CLAUDE  := bin/npm/node_modules/.bin/claude
CODEX   := bin/codex/node_modules/.bin/codex
OPENCODE := bin/opencode/node_modules/.bin/opencode
TEMPORAL := $(TOOLS)/temporal-test-server
S3      := $(TOOLS)/s3-test-server
# The race detector needs a C compiler.
CC_FOUND := $(shell command -v cc 2>/dev/null || command -v gcc 2>/dev/null || command -v clang 2>/dev/null)
RACE    := $(if $(CC_FOUND),-race,)
TEST_TIMEOUT ?= 60m
GOTESTSUM := $(TOOLS)/gotestsum
# Packages with goroutines of ours. The race detector finds nothing in the others, and makes them seven times as slow; of check it
# runs the two tests that have some.
RACED   := $(addprefix ./internal/,flow/temporal agent act blob flow/local forge gateway git hub inbox proc registry submit target)
PLAIN    = $(filter-out $(patsubst ./internal/%,github.com/jacquard-build/jacquard/internal/%,$(RACED)),$(shell $(GO) list ./...))
# The longest is begun first.
ORDERED  = ./internal/cli $(filter-out %/internal/cli,$(PLAIN))
# Which part of the conformance suite is run with the tests: all, or 2/8 for the second of eight; none if it is empty.
CONFORMANCE ?=

# Plain flags: without symbols the program has 58 MB, and it may have 64.
RELEASE := -trimpath -ldflags='-s -w'

.PHONY: all release files snapshot publish packages-test build demo test check conformance lies field shapes slow tests lint bench fuzz site clean cross claude codex opencode temporal s3 python before

all: build

build:
	$(GO) build -trimpath -o $(BIN) ./cmd/jacquard

# The program as it is released, for this machine.
release:
	CGO_ENABLED=0 $(GO) build $(RELEASE) -o bin/release/jacquard ./cmd/jacquard

demo: build
	./$(BIN) demo

# The pictures in the documentation: what the program prints for a story, and the screen that a story compares with.
picture: build
	cd tools/picture && $(GO) run . -jacquard $(abspath $(BIN)) -story $(abspath internal/cli/testdata/script/bug.txtar) -o $(abspath docs/demo.svg) bug "Max of negative numbers is 0" --expected "the largest of them"
	cd tools/picture && $(GO) run . -story $(abspath internal/cli/testdata/script/prove_screen.txtar) -screen screen.want -label "A terminal: the Stop hook sends work without a test back, and proves it once it has one" -o $(abspath docs/hook.svg)

# The real agent CLIs for the end-to-end tests, pinned in tools/npm, tools/codex and tools/opencode.
claude: $(CLAUDE)
$(CLAUDE): tools/npm/package.json tools/npm/package-lock.json
	mkdir -p bin/npm
	cp tools/npm/package.json tools/npm/package-lock.json bin/npm/
	cd bin/npm && npm ci --no-audit --no-fund --ignore-scripts
	cd bin/npm && node node_modules/@anthropic-ai/claude-code/install.cjs
	touch $(CLAUDE)

codex: $(CODEX)
$(CODEX): tools/codex/package.json tools/codex/package-lock.json
	mkdir -p bin/codex
	cp tools/codex/package.json tools/codex/package-lock.json bin/codex/
	cd bin/codex && npm ci --no-audit --no-fund --ignore-scripts
	touch $(CODEX)

opencode: $(OPENCODE)
$(OPENCODE): tools/opencode/package.json tools/opencode/package-lock.json
	mkdir -p bin/opencode
	cp tools/opencode/package.json tools/opencode/package-lock.json bin/opencode/
	cd bin/opencode && npm ci --no-audit --no-fund --ignore-scripts
	cd bin/opencode/node_modules/opencode-ai && node postinstall.mjs
	touch $(OPENCODE)

# A Temporal service for the tests of the Temporal runtime; a module of its own, so that nothing of it gets into the product.
temporal: $(TEMPORAL)
$(TEMPORAL): tools/temporal/go.mod tools/temporal/go.sum $(filter-out %_test.go,$(wildcard tools/temporal/*.go))
	mkdir -p $(TOOLS)
	cd tools/temporal && CGO_ENABLED=0 $(GO) build -trimpath -ldflags='-s -w' -o $(abspath $(TEMPORAL)) .
	touch $(TEMPORAL)

# An S3-compatible store for the tests of the hub, a module of its own for the same reason.
s3: $(S3)
$(S3): tools/s3/go.mod tools/s3/go.sum $(wildcard tools/s3/*.go)
	mkdir -p $(TOOLS)
	cd tools/s3 && CGO_ENABLED=0 $(GO) build -trimpath -ldflags='-s -w' -o $(abspath $(S3)) .
	touch $(S3)

# pytest for the Python tests, where Python is.
python:
	@if command -v python3 >/dev/null && ! python3 -c 'import pytest' 2>/dev/null; then \
	  python3 -m venv bin/python && bin/python/bin/pip install --quiet -r tools/python/requirements.txt; fi

# What the tests need, and where they find it. What the stories share takes long to make, so it lasts, as Go's caches do.
tests: build claude codex opencode temporal s3 python $(GOTESTSUM)
WITH_TOOLS = JACQUARD_TEST_CLAUDE=$(abspath $(CLAUDE)) JACQUARD_TEST_CODEX=$(abspath $(CODEX)) JACQUARD_TEST_OPENCODE=$(abspath $(OPENCODE)) JACQUARD_TEST_TEMPORAL=$(abspath $(TEMPORAL)) JACQUARD_TEST_S3=$(abspath $(S3)) \
	PATH="$(if $(wildcard bin/python/bin),$(abspath bin/python/bin):,)$$PATH"
SUMMED = $(GOTESTSUM) --format pkgname-and-test-fails --format-hide-empty-pkg --hide-summary skipped
# They make and delete thousands of checkouts.
TESTS = $(WITH_TOOLS) tools/in-memory.sh $(SUMMED)

# The linter has vet. Without paths what was compiled serves the program too, and every other clone.
GOTEST  = -trimpath -shuffle=on -vet=off -timeout $(TEST_TIMEOUT)

# All that is proved at each change.
test: tests
	rm -f bin/tests.*.json
	JACQUARD_CONFORMANCE=$(CONFORMANCE) $(TESTS) --jsonfile bin/tests.plain.json -- $(GOTEST) -parallel 4 $(ORDERED)
	JACQUARD_CONFORMANCE=$(CONFORMANCE) $(TESTS) --jsonfile bin/tests.race.json -- $(RACE) $(GOTEST) -parallel 4 $(RACED)
	$(TESTS) --jsonfile bin/tests.check.json -- $(RACE) $(GOTEST) -run '^Test(CopyTree|Screen)$$' ./internal/check
	cd tools/temporal && CGO_ENABLED=0 JACQUARD_TEST_TEMPORAL=$(abspath $(TEMPORAL)) $(GO) test -trimpath -vet=off ./...

# While one works on a change: the linter, what is pure, the rules of the audit, and a story of each process.
CHECKED := compile_link work_gates auto_resume develop_pr_person
check: lint tests
	$(TESTS) -- -trimpath -vet=off $(filter-out %/internal/cli %/internal/check %/internal/lies,$(PLAIN))
	$(TESTS) -- -trimpath -vet=off -run '^Test(.*Differences|Verdicts|Reach)$$' ./internal/check
	$(TESTS) -- -trimpath -vet=off -run 'TestStories$$/^($(subst $() ,|,$(CHECKED)))$$' ./internal/cli

# All that is long by nature: each agent program, each tool chain, each point of the kill matrices, 20,000 random runs.
conformance:
	$(MAKE) test CONFORMANCE=all TEST_TIMEOUT=4h

# All lies and all honest work that are made of small modules, or those whose names hold LIES, with a table of what became of
# them. LIES_FLAGS=-update rewrites the list of what is known to go wrong.
lies: tests
	PATH="$(if $(wildcard bin/python/bin),$(abspath bin/python/bin):,)$$PATH" JACQUARD_LIES=$(or $(LIES),all) $(GO) test -vet=off -count=1 -timeout 4h ./internal/lies
	PATH="$(if $(wildcard bin/python/bin),$(abspath bin/python/bin):,)$$PATH" JACQUARD_LIES=$(or $(LIES),all) $(GO) test -vet=off -count=1 -timeout 4h -v -run '^Test(Lies|Honest)Generated$$' ./internal/cli $(LIES_FLAGS)

# The trial field: real commits of public repositories, whose clones are in DIR, played back to the program. FIELD passes flags.
field: build
	cd tools/field && $(GO) build -trimpath -o $(abspath $(TOOLS))/field .
	$(TOOLS)/field -jacquard $(abspath $(BIN)) -dir $(DIR) $(FIELD)
	$(TOOLS)/field -table docs/internals/field.md

# The same with small projects of our own, which copy the shapes that were found there.
shapes: build python
	cd tools/field && FIELD_JACQUARD=$(abspath $(BIN)) $(GO) test -trimpath -vet=off -count=1 ./...

# The slowest tests of the last run of make test.
slow: $(GOTESTSUM)
	cat bin/tests.*.json | $(GOTESTSUM) tool slowest --threshold 1s --num 20

$(TOOLS)/golangci-lint: tools/go.mod
	mkdir -p $(TOOLS)
	cd tools && GOBIN=$(abspath $(TOOLS)) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint

$(GOTESTSUM): tools/go.mod
	mkdir -p $(TOOLS)
	cd tools && GOBIN=$(abspath $(TOOLS)) $(GO) install gotest.tools/gotestsum

lint: $(TOOLS)/golangci-lint
	$(GO) mod tidy -diff
	$(TOOLS)/golangci-lint config verify
	$(TOOLS)/golangci-lint run ./...

# The systems and architectures that are released.
CROSS   := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
cross: $(addprefix cross/,$(CROSS))
cross/%:
	CGO_ENABLED=0 GOOS=$(*D) GOARCH=$(*F) $(GO) build $(RELEASE) -o /dev/null ./cmd/jacquard

# Releases: GoReleaser builds them as .goreleaser.yaml says, and tools/packages adds what it makes nothing of. GoReleaser is a module
# of its own, because hundreds of others come with it.
GORELEASER := $(TOOLS)/goreleaser
PACKAGES   := $(TOOLS)/packages
$(GORELEASER): tools/goreleaser/go.mod tools/goreleaser/go.sum
	mkdir -p $(TOOLS)
	cd tools/goreleaser && CGO_ENABLED=0 GOBIN=$(abspath $(TOOLS)) $(GO) install -trimpath -ldflags='-s -w' github.com/goreleaser/goreleaser/v2
	touch $(GORELEASER)

$(PACKAGES): tools/packages/go.mod tools/packages/go.sum $(filter-out %_test.go,$(wildcard tools/packages/*.go)) tools/packages/npm/jacquard.js
	mkdir -p $(TOOLS)
	cd tools/packages && CGO_ENABLED=0 $(GO) build -trimpath -o $(abspath $(PACKAGES)) .
	touch $(PACKAGES)

# Completions and manual pages, which packages carry. GoReleaser says of which VERSION, COMMIT and DATE.
CLI := github.com/jacquard-build/jacquard/internal/cli
files:
	rm -rf bin/files && mkdir -p bin/files/completions
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags='-s -w -X $(CLI).version=$(VERSION) -X $(CLI).commit=$(COMMIT) -X $(CLI).date=$(DATE)' -o bin/files/jacquard ./cmd/jacquard
	for s in bash zsh fish; do bin/files/jacquard completion $$s > bin/files/completions/jacquard.$$s || exit 1; done
	bin/files/jacquard completion powershell > bin/files/completions/jacquard.ps1
	bin/files/jacquard man bin/files/man

# All that a release has, in bin/dist, without publishing anything; images only where Docker runs.
snapshot: $(GORELEASER) $(PACKAGES)
	$(GORELEASER) release --snapshot --clean $(if $(shell docker info >/dev/null 2>&1 && echo yes),,--skip=docker)
	$(PACKAGES) pack bin/dist

# The same of a tag, to be published by .github/workflows/release.yml alone.
publish: $(GORELEASER) $(PACKAGES)
	$(GORELEASER) release --clean
	$(PACKAGES) pack bin/dist

# The packages for Linux on amd64 are built and installed, each into an empty place.
UV := bin/uv/bin/uv
$(UV): tools/packages/requirements.txt
	python3 -m venv bin/uv && bin/uv/bin/pip install --quiet -r tools/packages/requirements.txt
	touch $(UV)
packages-test: $(GORELEASER) $(PACKAGES) $(UV)
	mkdir -p bin/one
	sed -e 's|^dist: .*|dist: bin/one/dist|' -e 's|^    goos: .*|    goos: [linux]|' -e 's|^    goarch: .*|    goarch: [amd64]|' -e 's|\.\./tools/packages|$(abspath $(PACKAGES))|' .goreleaser.yaml > bin/one/goreleaser.yaml
	$(GORELEASER) check --quiet .goreleaser.yaml
	$(GORELEASER) release --snapshot --clean --config bin/one/goreleaser.yaml --skip=homebrew,scoop,docker
	$(PACKAGES) pack -partial bin/one/dist
	cd tools/packages && PACKAGES_DIST=$(abspath bin/one/dist) PACKAGES_UV=$(abspath $(UV)) $(GO) test -trimpath -vet=off -count=1 -timeout 30m ./...

BENCHTIME ?= 1x
BENCH_BEFORE := $(if $(findstring -short,$(BENCH_FLAGS)),,bin/before/jacquard)
bench: build release temporal s3 $(BENCH_BEFORE)
	JACQUARD_BENCH_TESTS="$(abspath $(addprefix bin/tests.,$(addsuffix .json,plain race check)))" JACQUARD_BENCH_BEFORE=$(abspath $(BENCH_BEFORE)) JACQUARD_TEST_TEMPORAL=$(abspath $(TEMPORAL)) JACQUARD_TEST_S3=$(abspath $(S3)) JACQUARD_BENCH_BIN=$(abspath $(BIN)) JACQUARD_BENCH_RELEASE=$(abspath bin/release/jacquard) $(GO) run ./internal/bench $(BENCH_FLAGS)

# The program as it was before it could use a cluster, where the history has it.
BEFORE := f1f7b2cb05f74d8d197d11de70c4984152c6aa13
before: bin/before/jacquard
bin/before/jacquard:
	rm -rf bin/before && mkdir -p bin/before
	if git cat-file -e $(BEFORE) 2>/dev/null; then git archive -o bin/before/tar $(BEFORE) && tar -x -f bin/before/tar -C bin/before && cd bin/before && CGO_ENABLED=0 $(GO) build -trimpath -ldflags='-s -w' -o jacquard ./cmd/jacquard; fi

# Each fuzz test for FUZZTIME; FUZZ picks packages. A case that fails is kept under testdata/fuzz and belongs into the change that mends it.
FUZZTIME ?= 30s
FUZZ     ?= ./internal/checkpoint ./internal/works ./internal/spec ./internal/inspect ./internal/source ./internal/target ./internal/scenario ./internal/gateway
fuzz:
	@set -e; for p in $(FUZZ); do for f in $$($(GO) test -list '^Fuzz' $$p | grep '^Fuzz'); do \
	  echo "$$p $$f"; $(GO) test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) $$p; done; done

# The documentation as a site that can be searched, in bin/site, from README.md and docs. A link that leads nowhere fails it.
SPHINX := bin/sphinx/bin/sphinx-build
$(SPHINX): tools/site/requirements.txt
	python3 -m venv bin/sphinx && bin/sphinx/bin/pip install --quiet -r tools/site/requirements.txt
	touch $(SPHINX)
site: $(SPHINX)
	rm -rf bin/site
	$(SPHINX) --quiet --fresh-env --fail-on-warning --keep-going --nitpicky -c tools/site -d bin/sphinx/cache . bin/site
	cp bin/site/README.html bin/site/index.html

clean:
	rm -rf bin
