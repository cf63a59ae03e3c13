# Everything runs in .venv, which is created from pyproject.toml. `make help` lists the targets.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
PIP := $(RUN) -m pip --disable-pip-version-check --quiet install
# Twice the cores that most have: tests of the client, of kills and of other machines wait now and then.
WORKERS ?= 4
BUILT = $(patsubst plugin_src/plugins/%,--plugin-dir dist/%,$(wildcard plugin_src/plugins/*))

# What the tests of a file share is made once, by the worker that gets the file; the longest files come first.
BY_FILE = --dist loadfile --no-loadscope-reorder

# What `make mutants` tries: how many faults in each room (0 is all), which rooms (all), and the seed of the sample.
SAMPLE ?= 5
ROOMS ?=
SEED ?= 1

.PHONY: help plugin install test all-tests slowest check dev eval bench mutants soak screenshots recording tutorial seeds attest release clean
.DEFAULT_GOAL := help

help:
	@echo "make plugin   build every plugin and package into dist/"
	@echo "make install  install the built plugins into your Claude Code; ARGS='--help' lists the options"
	@echo "make test     check, and run all tests, including those with the real client"
	@echo "make slowest  run all tests and list the slowest forty"
	@echo "make check    ruff, mypy and the generator's own check"
	@echo "make dev      rebuild on change and start the client with the built plugin"
	@echo "make eval     run the plugin's evals with a real model, on your account; shows the cost and asks first"
	@echo "make bench    print the speed of the build and the runtime as ratios, also to the last release"
	@echo "make mutants  put small faults into copies of the sources and list those that no test notices"
	@echo "make soak     run the long tests: oldest supported client, more random cases, other surroundings"
	@echo "make screenshots   open the status page in Chromium, check it, and take the pictures for the README"
	@echo "make recording   record a session in the client as the animated picture of the README"
	@echo "make tutorial   run a whole project in the client, record it for the tutorial, build"
	@echo "make seeds    write the page about the seed documents from tests/seeds.yaml, build"
	@echo "make attest [SIGN=KEY]   build all packages; write parts list, provenance and checksums, signed with an SSH key"
	@echo "make release VERSION=x.y.z [SIGN=KEY]   set the version, build, verify, commit, sign with an SSH key and tag"
	@echo "make clean    remove the virtual environment and tool caches; dist/ stays"

$(VENV)/bin/python:
	@"$(PYTHON)" -c 'import sys; sys.exit("make: Python 3.10 or newer is needed, this is " + sys.version.split()[0] + "; name one with PYTHON=...") if sys.version_info < (3, 10) else None'
	@echo "making $(VENV)" >&2
	@"$(PYTHON)" -m venv "$(VENV)"

$(VENV)/.plugin: pyproject.toml | $(VENV)/bin/python
	@$(PIP) --editable ".[package]"
	@touch "$@"

$(VENV)/.dev: pyproject.toml | $(VENV)/.plugin
	@$(PIP) --editable ".[dev]"
	@touch "$@"

$(VENV)/.mutants: pyproject.toml | $(VENV)/.dev
	@$(PIP) --editable ".[mutants]"
	@touch "$@"

plugin: $(VENV)/.plugin
	@$(RUN) -m ultra_plugin build --wheel

# Needs no virtual environment: the installer is standard library only and dist/ is in the repository.
install:
	@PYTHONPATH=generator PYTHONDONTWRITEBYTECODE=1 "$(PYTHON)" -m ultra_plugin.install.main $(ARGS)

check: $(VENV)/.dev
	@$(RUN) -m ruff check --quiet .
	@$(RUN) -m ruff format --quiet --check . || { echo "make: run $(RUN) -m ruff format ." >&2; exit 1; }
	@$(RUN) -m mypy
	@$(RUN) -m ultra_plugin check

# The checks run beside the tests: mypy alone would keep the other cores idle.
test: $(VENV)/.dev
	@$(RUN) tests/client/binary.py fetch
	@$(RUN) tests/kit/programs.py
	@$(MAKE) --no-print-directory --jobs=2 check all-tests

all-tests: $(VENV)/.dev
	@$(RUN) -m pytest -n $(WORKERS) $(BY_FILE)

slowest: $(VENV)/.dev
	@$(RUN) -m pytest -n $(WORKERS) $(BY_FILE) --quiet --durations=40

dev: $(VENV)/.plugin
	@$(RUN) -m ultra_plugin build
	@$(RUN) -m ultra_plugin watch > dist/.dev.log 2>&1 & watch=$$!; trap 'kill $$watch' EXIT; \
	echo "rebuilding on change, see dist/.dev.log; type /reload-plugins in the client to load a change" >&2; \
	client=$$(command -v claude || $(RUN) tests/client/binary.py path) && "$$client" $(BUILT)

eval: $(VENV)/.dev
	@$(RUN) -m ultra_plugin build > /dev/null
	@$(RUN) -m tests.evals.run $(ARGS)

bench: $(VENV)/.dev
	@$(RUN) -m tests.bench

mutants: $(VENV)/.mutants
	@$(RUN) -m tests.mutants --sample "$(SAMPLE)" --rooms "$(ROOMS)" --seed "$(SEED)" --workers "$(WORKERS)"

soak: $(VENV)/.dev
	@$(RUN) tests/client/binary.py fetch
	@$(RUN) tests/client/binary.py fetch oldest
	@$(RUN) tests/kit/programs.py
	@ULTRA_SOAK=1 $(RUN) -m pytest -n $(WORKERS) --timeout 0
	@$(RUN) -m tests.anywhere --workers "$(WORKERS)"
	@$(MAKE) mutants SAMPLE=0

screenshots: $(VENV)/.dev
	@$(RUN) -m tests.screenshots

recording: $(VENV)/.dev
	@$(RUN) tests/client/binary.py fetch
	@$(RUN) -m tests.recording

seeds: $(VENV)/.dev
	@$(RUN) -m tests.seeds_page
	@$(RUN) -m ultra_plugin build

tutorial: $(VENV)/.dev
	@$(RUN) tests/client/binary.py fetch
	@ULTRA_RECORD=1 $(RUN) -m pytest -q tests/flagship/test_whole_way.py tests/waves/test_recording.py
	@$(RUN) -m ultra_plugin build

attest: $(VENV)/.plugin
	@$(RUN) -m ultra_plugin attest --wheel $(if $(SIGN),--sign "$(SIGN)")

release: $(VENV)/.dev
	@$(RUN) generator/release.py "$(VERSION)" "$(SIGN)"

clean:
	@rm -rf "$(VENV)" .mypy_cache .ruff_cache .bench .evals .hypothesis
