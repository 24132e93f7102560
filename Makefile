# Two commands set everything up: `make run` and `make test`. `make help` lists the rest.
PYTHON ?= python3
BIN := .venv/bin
.DEFAULT_GOAL := help
.PHONY: help run test check cache docs bench scale chaos cluster damage proofs histories fuzz audit clean

help: ## Show what each target does
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-8s %s\n", $$1, $$2}'

run: $(BIN)/.run ## Install everything, start the service with sample data, serve until interrupted
	@$(BIN)/precedent setup
	@exec $(BIN)/precedent serve --sample docs/decisions

test: $(BIN)/.dev ## Run all checks: format, lint, types, tests, docs
	@$(MAKE) --no-print-directory -j2 check cache
	@$(BIN)/python -m pytest -m 'not long' -n 2 --dist loadfile --no-loadscope-reorder --durations=25 --durations-min=5

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

scale: $(BIN)/.dev cache ## Build a graph of a million entities with a million passages, and measure what agents do in it; two hours
	@$(BIN)/python -m benchmarks.million

cluster: $(BIN)/.dev cache ## Kill a node of a Qdrant cluster and a replica of the service under load, on this machine
	@$(BIN)/python -m pytest -s -m long tests/vectors/test_cluster.py tests/interaction/test_replicas.py

chaos: $(BIN)/.dev cache ## Break a running service in many ways under load: what is lost, and how soon it is back
	@$(BIN)/python -m benchmarks.chaos

damage: $(BIN)/.dev cache ## Damage every kind of file of the vectors, and start on what is left
	@$(BIN)/python -m benchmarks.chaos --damage

proofs: $(BIN)/.dev cache ## Run the tests that take long: processes killed in the middle, every character of Unicode
	@$(BIN)/python -m pytest -m long -n 2 --dist loadfile --durations=10

histories: $(BIN)/.dev cache ## Try undo and questions about the past with thousands of random histories
	@TEST_HISTORIES=1000 $(BIN)/python -m pytest -n 2 --timeout 7200 tests/curation/test_undo.py \
		tests/entities/test_as_of.py tests/decisions/test_replay.py

fuzz: $(BIN)/.dev cache ## Send thousands of generated arguments to every tool and every route, which takes long
	@TEST_FUZZ_CALLS=15000 TEST_FUZZ_EXAMPLES=200 $(BIN)/python -m pytest -n 2 --dist loadfile \
		tests/interaction/test_fuzzing.py tests/interaction/test_fuzzing_tools.py

# The licences that are allowed; a package with a choice is allowed by one of them. py_rust_stemmers is MIT, but its metadata has none.
LICENSES := MIT;BSD;Apache;ISC;MPL;Mozilla;PSF;Python;Unlicense;Zlib;CC0
audit: $(BIN)/python ## Check known vulnerabilities and licences of the image's packages, and write their SBOM to .audit/
	@$(PYTHON) -m venv .audit/image && .audit/image/bin/pip install -q --no-compile -c constraints.txt '.[fast]'
	@$(PYTHON) -m venv .audit/tools && .audit/tools/bin/pip install -q --no-compile -c constraints.txt \
		pip-audit pip-licenses cyclonedx-bom
	@.audit/tools/bin/pip-licenses --python .audit/image/bin/python --from=mixed --partial-match --allow-only='$(LICENSES)' \
		--ignore-packages py_rust_stemmers --format=csv --output-file .audit/licenses.csv
	@.audit/tools/bin/cyclonedx-py environment --pyproject pyproject.toml --output-file .audit/sbom.json .audit/image/bin/python
	@echo "Licences: .audit/licenses.csv; SBOM (CycloneDX): .audit/sbom.json. Vulnerabilities that PyPI knows:"
	@.audit/tools/bin/pip-audit -r constraints.txt --no-deps --disable-pip --progress-spinner off

clean: ## Remove the environment and caches of this folder
	rm -rf .venv .audit .pytest_cache .mypy_cache .ruff_cache .hypothesis

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
