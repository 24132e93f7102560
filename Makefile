# Two commands set everything up: `make run` and `make test`. `make help` lists the rest.
PYTHON ?= python3
BIN := .venv/bin
.DEFAULT_GOAL := help
.PHONY: help run test check cache docs bench cluster clean

help: ## Show what each target does
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-8s %s\n", $$1, $$2}'

run: $(BIN)/.run ## Install everything, start the service with sample data, serve until interrupted
	@$(BIN)/precedent setup
	@exec $(BIN)/precedent serve --sample docs/decisions

test: $(BIN)/.dev ## Run all checks: format, lint, types, tests, docs
	@$(MAKE) --no-print-directory -j2 check cache
	@$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder --durations=25 --durations-min=5

check: $(BIN)/.dev ## Run format, lint and types only
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy

cache: $(BIN)/.dev ## Fill the cache that all homes share: Neo4j, the embedding model
	@$(BIN)/precedent setup --cache-only

docs: $(BIN)/.dev ## Generate the reference pages
	@$(BIN)/python -m docs.generate

bench: $(BIN)/.dev cache ## Run the benchmarks: ratios against the bare driver, in one table
	@$(BIN)/python -m benchmarks

cluster: $(BIN)/.dev cache ## Kill a node of a Qdrant cluster and a replica of the service under load, on this machine
	@$(BIN)/python -m pytest -s tests/proofs/prove_cluster.py tests/proofs/prove_takeover.py

clean: ## Remove the environment and caches of this folder
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Precedent needs Python 3.11 or newer; set PYTHON=python3.11")'
	@$(PYTHON) -m venv .venv

# --no-compile: Python compiles only the modules that it uses, which is faster.
$(BIN)/.run: pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing Precedent into .venv (about a minute, once) …"
	@$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -c constraints.txt -e '.[fast,local]'
	@touch $@

$(BIN)/.dev: pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing Precedent and its test tools into .venv (once) …"
	@$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -c constraints.txt -e '.[fast,local,dev]'
	@touch $@ $(BIN)/.run
