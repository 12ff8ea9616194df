# Tidemark. Which cache policy to ship, and whether a change made it worse.
#
#   make setup      install what is missing: Swift is checked, system libraries are installed
#   make build      build everything, for debugging
#   make core       build `tidemark` alone, optimised: all that simulates, compares and gates; 4 minutes on two cores
#   make lab        build what measures in real time: tidemark-lab and tidemark-memory; 3 minutes after `core`
#   make import     build what makes recordings of HAR files: tidemark-import; half a minute after `core`
#   make release    build these three: .build/release/tidemark
#   make all        build every executable, also tidemark-check and tidemark-trace
#   make test       run all tests, or those that ONLY=name filters; about 10 minutes to build them, 5 to run them, on two cores
#   make check      search for faults of the cache: 2,000 random programs against an oracle
#   make check-long the same with 100,000 programs of 500 steps, and all trials of tests that try a part in `make test`
#   make mutants    plant mistakes and see that tests notice; an hour or two; one: make mutants ONLY=name
#   make lint       check the format, and that every mutant still applies
#   make bench      compare the policies on all scenarios, measure the cache: Reports/latest; a first table after `core`
#   make smoke      the same in seconds, on two scenarios, into a temporary folder
#   make bench-replay requests per second of a replay, per policy and capacity; a minute
#   make measure-designs the other cache designs over real files, SQLite and HTTP; some minutes
#   make gate       compare with Reports/baseline; fails where anything changed; times too: AGAINST=main
#   make baseline   renew Reports/baseline, after an intended change
#   make tune       try cache settings: make tune SCENARIO=photo-albums VARY=time-to-live=1s..1h
#   make findings   ask the questions of Documentation/Findings.md again; some minutes
#   make clients    compare the JavaScript clients that are installed with their presets; some minutes
#   make docs       build the documentation of the libraries: .build/documentation/NormalizedCache.doccarchive
#   make dist       pack a binary that needs no Swift, with the scenarios: .build/tidemark-SYSTEM-MACHINE.tar.gz
#   make install    install all of it with scenarios, completions for shells and a manual: PREFIX=/usr/local
#   make clean      remove what was built
#
# A machine without Swift, or where nothing can be installed, is told in one line what to do.

.PHONY: help core lab import all setup build test check check-long mutants lint bench smoke bench-replay measure-designs gate baseline tune findings clients docs dist install clean swift libraries release
.DEFAULT_GOAL := help
SHELL := bash

SWIFT ?= swift
# Added to every release build. SwiftPM's release already optimises across modules by default. Line tables are
# all of its debug information that a backtrace or a profile needs, and a cold build is 6 % faster with them alone.
RELEASE_FLAGS ?= -Xswiftc -gline-tables-only -Xcc -g1
SCENARIO ?= file-browser
# The revision that `make gate` compares with besides the baseline.
AGAINST ?=
# Instructions are counted by valgrind.
UNCOUNTED = $(if $(shell command -v valgrind),,--skip instructions)
# Where a search leaves the case that it found.
CASES ?= .build
VARY ?= capacity-entities=1000..10000
# The mutants to try, or the tests to run, by name; empty: all.
ONLY ?=

# System libraries, by the names of Debian's packages and Homebrew's.
APT_PACKAGES := libsqlite3-dev libjemalloc-dev
BREW_PACKAGES := sqlite jemalloc
INCLUDES := /usr/include /usr/local/include /opt/homebrew/include
has_header = $(firstword $(wildcard $(addsuffix /$(1),$(INCLUDES))))

# Everything but the cache itself, so that an app downloads nothing for it. Without jemalloc all but the
# count of memory works, so the build leaves it out. Looked at when a recipe runs, since `libraries` may
# just have installed it.
TRAITS = --traits Harness$(if $(shell ls $(addsuffix /jemalloc/jemalloc.h,$(INCLUDES)) 2>/dev/null),,WithoutJemalloc)
# Colours are part of what SwiftPM compares: built once in a terminal and once not, all would be compiled twice.
RELEASE = $(SWIFT) build -c release --no-color-diagnostics $(TRAITS) $(RELEASE_FLAGS)
TIDEMARK = .build/release/tidemark
# What tests spend their time in is optimised under them (Package.swift says which modules). In a folder of its own:
# what `swift build` and `swift test` compile by hand is not optimised, and each would compile all of the other's anew.
TESTED = --scratch-path .build/tests $(TRAITS)
test check-long docs: export TIDEMARK_OPTIMISED = 1

help:
	@sed -n '/^#  /s/^# *//p' Makefile

setup: swift libraries

build: setup
	$(SWIFT) build $(TRAITS)

# What failed is said again at the end, below some thousand lines of what passed: each line of a failure with
# the lines that belong to it, up to the next line of another test.
test: setup
	@set -o pipefail; log=$$(mktemp) && trap 'rm -f "$$log"' EXIT && \
	{ $(SWIFT) test $(TESTED) $(if $(ONLY),--filter $(ONLY)) 2>&1 | tee "$$log" || \
	{ printf '\nWhat failed:\n'; \
	awk '/^(◇|✔|➜|↻|✘)/ { own = /^✘/ } own || /error: /' "$$log"; exit 1; }; }

check: all
	@$(TIDEMARK) check --output $(CASES)

check-long: all
	@$(TIDEMARK) check --seeds 100000 --first-seed 10000 --steps 500 --output $(CASES)
	TIDEMARK_TRIALS=all $(SWIFT) test $(TESTED) --filter "(AppFit|Bounds|Crash|RandomWorkload|RecordedName|RecordedRounds|Replication|RepositorySearch|ResponseSearch|ScenarioFiles|StoreSearch)Tests"

mutants: setup
	@SWIFT_FLAGS="$(TRAITS)" Tests/Mutants/run $(ONLY)

lint: swift
	$(SWIFT) format lint --strict --recursive Sources Tests Examples Adapters/lru.swift Package.swift
	@stale=; for patch in Tests/Mutants/*.patch; do \
	git apply --check "$$patch" || { stale=yes; \
	echo "lint: $$patch no longer applies: plant its mistake where the code is now (CONTRIBUTING.md, Mutants)" >&2; }; \
	tests=$$(sed -n 's/^Tests: *//p;/^---/q' "$$patch"); suite=$${tests#*.}; \
	test "$$suite" = "$$tests" || grep -rqwE "(struct|class|actor|enum) $$suite" "Tests/$${tests%%.*}" || { stale=yes; \
	echo "lint: $$patch names the suite $$tests, which is not there" >&2; }; \
	done; test -z "$$stale"

# The first table comes as soon as the core is built; the lab is built beside the simulations, with the
# processor that they leave. (Not by the variable of make: a line that has it is run even if make only shows
# what it would do.)
bench: core
	@end=$$(mktemp -u); trap 'rm -f "$$end"' EXIT; \
	{ nice make --no-print-directory lab >.build/lab.log 2>&1; echo $$? >"$$end"; } & \
	$(TIDEMARK) bench --product --measure-after "$$end"

smoke: release
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && \
	$(TIDEMARK) bench file-browser flaky-network --quick --output "$$folder/report" && \
	for file in index.html policies.csv results.csv latency.csv memory.csv verdicts.json timeline.csv \
	  manifest.json report.txt; do \
	  test -s "$$folder/report/$$file" || { echo "smoke: $$file is missing or empty" >&2; exit 1; }; \
	done && \
	{ grep -q '^file-browser,refcount,' "$$folder/report/memory.csv" || \
	  { echo "smoke: memory.csv has no policy of the scenario" >&2; exit 1; }; } && echo "smoke: passed"

bench-replay: all
	@$(TIDEMARK) trace bench

measure-designs: release
	@$(TIDEMARK) measure designs

gate: release
	@$(TIDEMARK) gate --strict $(UNCOUNTED) $(if $(AGAINST),--against $(AGAINST))

baseline: release
	@$(TIDEMARK) bench --baseline --counts --output Reports/baseline

tune: release
	@$(TIDEMARK) tune $(SCENARIO) --vary $(VARY)

findings: release
	@Documentation/findings $(TIDEMARK)

clients: release
	@node Adapters/javascript/compare.mjs file-browser $(TIDEMARK)

docs: setup
	@$(SWIFT) build $(TESTED) --target CachePersistence
	@$(SWIFT) build $(TESTED) --target NormalizedCacheFoundation
	@$(SWIFT) build $(TESTED) --target ShadowCache
	@$(SWIFT) build $(TESTED) --target SessionRecorder
	@$(SWIFT) build $(TESTED) --target CacheMetrics
	@$(SWIFT) build $(TESTED) --target TwoTierCache
	@$(SWIFT) build $(TESTED) --target TidemarkTestSupport
	@$(SWIFT) build $(TESTED) --target StreamingRepository
	@$(SWIFT) build $(TESTED) --target ResponseCache
	@Documentation/build $(TESTED)

# Its own folder, since everything is linked another way. What measures memory is left out: it needs
# jemalloc where it runs. SQLite and libcurl are the system's; only tidemark-lab needs them. Scenarios lie where
# `tidemark` finds them from any folder.
DIST = tidemark-$(shell uname -s | tr A-Z a-z)-$(shell uname -m)
has_curl = $(wildcard $(addsuffix /curl/curl.h,$(INCLUDES) /usr/include/$(shell uname -m)-linux-gnu))
dist: setup
	@test -n "$(has_curl)" || test "$$(uname -s)" != Linux || \
	{ echo "dist: libcurl is needed to link tidemark-lab: sudo apt-get install libcurl4-openssl-dev" >&2; exit 1; }
	@for product in tidemark tidemark-lab tidemark-import tidemark-check tidemark-trace; do \
	$(SWIFT) build -c release $(TRAITS) --static-swift-stdlib --scratch-path .build/dist --product $$product || exit 1; \
	done
	@rm -rf .build/$(DIST) && mkdir -p .build/$(DIST)/share/tidemark
	@bin="$$($(SWIFT) build -c release $(TRAITS) --scratch-path .build/dist --show-bin-path)" && \
	cp -R "$$bin"/tidemark "$$bin"/tidemark-lab "$$bin"/tidemark-import "$$bin"/tidemark-check "$$bin"/tidemark-trace \
	  Documentation README.md .build/$(DIST)
	@cp -R Scenarios .build/$(DIST)/share/tidemark && ln -s share/tidemark/Scenarios .build/$(DIST)/Scenarios
	@strip .build/$(DIST)/tidemark .build/$(DIST)/tidemark-*
	@for tool in .build/$(DIST)/tidemark-*; do $$tool --version >/dev/null || exit 1; done
	@cd / && "$(CURDIR)/.build/$(DIST)/tidemark" simulate flaky-network --policies lru --no-robustness >/dev/null
	@tar -C .build -czf .build/$(DIST).tar.gz $(DIST) && ls -lh .build/$(DIST).tar.gz

# Scenarios are found below `share` of the folder that `bin` lies in. What completes a name asks the command for it.
PREFIX ?= /usr/local
install: all
	@to="$(DESTDIR)$(PREFIX)" && share="$$to/share" && \
	install -d "$$to/bin" "$$share/tidemark" "$$share/man/man1" "$$share/bash-completion/completions" \
	  "$$share/zsh/site-functions" "$$share/fish/vendor_completions.d" && \
	install .build/release/tidemark .build/release/tidemark-lab .build/release/tidemark-import \
	  .build/release/tidemark-memory .build/release/tidemark-check .build/release/tidemark-trace "$$to/bin" && \
	cp -R Scenarios "$$share/tidemark/" && \
	Documentation/manual $(TIDEMARK) >"$$share/man/man1/tidemark.1" && \
	$(TIDEMARK) --generate-completion-script bash >"$$share/bash-completion/completions/tidemark" && \
	$(TIDEMARK) --generate-completion-script zsh >"$$share/zsh/site-functions/_tidemark" && \
	$(TIDEMARK) --generate-completion-script fish >"$$share/fish/vendor_completions.d/tidemark.fish" && \
	echo "tidemark is in $$to/bin"

clean:
	rm -rf .build Reports/latest Reports/verdict.json

# Each executable by itself, so that the first does not wait for a database and a network library.
core: setup
	@$(RELEASE) --product tidemark

lab: setup
	@$(RELEASE) --product tidemark-lab
	@$(RELEASE) --product tidemark-memory

import: setup
	@$(RELEASE) --product tidemark-import

release: core lab import

all: release
	@$(RELEASE) --product tidemark-check
	@$(RELEASE) --product tidemark-trace

swift:
	@command -v $(SWIFT) >/dev/null || { \
	  echo "Swift 6.2 or later is needed: see https://www.swift.org/install" >&2; exit 1; }

libraries:
ifneq ($(and $(call has_header,sqlite3.h),$(call has_header,jemalloc/jemalloc.h)),)
	@:
else ifeq ($(shell uname -s),Darwin)
	@brew install $(BREW_PACKAGES) || \
	  echo "not installed: $(BREW_PACKAGES); without jemalloc memory is not counted" >&2
else
	@as_root=; test "$$(id -u)" = 0 || as_root="sudo -n"; \
	export DEBIAN_FRONTEND=noninteractive; \
	{ command -v apt-get && $$as_root true && $$as_root apt-get update -q && \
	  $$as_root apt-get install -qy $(APT_PACKAGES); } >/dev/null 2>&1 || \
	  echo "not installed, so memory is not counted: sudo apt-get install $(APT_PACKAGES)" >&2
endif
