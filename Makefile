# One command each; every one sets up what it needs first. `make help` lists them.
SHELL := /bin/bash
PORT ?= 5006
VENV := .venv
BIN := $(VENV)/bin
PROVE := .venv-prove
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Python compiles what is imported; pip would compile all, half a minute for nothing. Its word for --no-compile is 0.
export PIP_NO_COMPILE := 0
export PYTHONUNBUFFERED := 1
unexport PYTHONDONTWRITEBYTECODE # the tests start Python a hundred times: it may keep what it compiled

.DEFAULT_GOAL := help
.PHONY: help serve site container space wheel bundles models test check every browser lint lint-python lint-scripts bench firefox fuzz prove designs clean

help: ## this list
	@awk -F':.*## ' '/^[a-z]+:.*## /{printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

serve: bundles ## set up, build the site, and serve it with the live app on http://127.0.0.1:5006 (PORT=8000 for another)
	@$(BIN)/python build/site.py
	@echo "The site: http://127.0.0.1:$(PORT)/   the workbench: http://127.0.0.1:$(PORT)/app   (Ctrl-C stops)"
	@$(BIN)/panel serve app/ --address 127.0.0.1 --port $(PORT)

site: bundles ## write the static site to _site/ (BASE=https://host/prefix/ where it will be, ISSUES=https://... to report faults)
	@$(BIN)/python build/site.py $(if $(BASE),--base $(BASE)) $(if $(ISSUES),--issues $(ISSUES))

ENGINE ?= docker
container: ## build the container image cutaway (ENGINE=podman for another engine)
	@python3 build/hosting/image.py dist/image
	@$(ENGINE) build --tag cutaway dist/image

space: .make/app ## lay out a Hugging Face Space in dist/space, and upload it where SPACE=owner/name says
	@$(BIN)/python build/hosting/image.py dist/space $(if $(SPACE),--space $(SPACE))

wheel: .make/app ## write the wheel to dist/
	@$(BIN)/python -m pip wheel --no-deps --wheel-dir dist .

models: .make/app ## draw new models of the Hub, as machine-drawn and unreviewed (LIMIT=20; TEXT=file for what was refused and why)
	@$(BIN)/python build/new_models.py --limit $(or $(LIMIT),20) $(if $(TEXT),--text $(TEXT))

bundles: .make/app ## bundle the pages' scripts, where one has changed
	@$(BIN)/python build/bundles.py

test check every: export OPENBLAS_NUM_THREADS := 1 # workers share the cores; tiny matrices gain nothing by two

test: .make/test .make/types ## set up the tests and a browser, then run everything
	@$(MAKE) --no-print-directory -j3 browser lint-python lint-scripts
	@$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder --browser-reruns 1 --keep-counts --durations 40 -rfE

every: browser bundles ## over every page what make test does on a sample of them: eight minutes
	@$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder --browser-reruns 1 -m turns --every

browser: .make/test
	@$(BIN)/python tests/browsers.py --install

firefox: .make/test bundles ## every page, explainer and the workbench in Firefox: two minutes
	@$(BIN)/python tests/firefox.py --install
	@$(BIN)/python -m pytest --firefox tests/app/test_firefox.py tests/site/test_your_model_firefox.py

check: lint ## lint, and the quick tests: no browser, no built site, none of half a second or more
	@$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder -m "not browser and not whole"

lint: .make/test .make/types ## ruff and mypy for Python, Biome, TypeScript and the kit's own tests for JavaScript
	@$(MAKE) --no-print-directory -j2 lint-python lint-scripts # each takes as long as the other: both cores have work

lint-python: .make/test .make/types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy --no-error-summary

lint-scripts: .make/test bundles
	@$(BIN)/python build/data_types.py
	@$(BIN)/python build/bundles.py --run biome check
	@$(BIN)/python build/bundles.py --run tsc --project tsconfig.json
	@$(BIN)/python build/bundles.py --run test

bench: browser bundles ## print speed and size
	@$(BIN)/python tests/bench/bench.py

CASES ?= 200000
JOBS ?= 2
SEED ?= 1
fuzz: .make/test ## read and draw 200,000 broken configs, and count what became of them (CASES, JOBS, SEED)
	@$(BIN)/python tests/gallery/fuzz.py --cases $(CASES) --jobs $(JOBS) --seed $(SEED)

prove: ## hold 2,000 random configs against transformers' own classes: logits, tensors, cache, FLOPs (CASES, SEED, JOBS)
prove: CASES = 2000
prove: .make/prove
	@$(PROVE)/bin/python tests/oracle/prove.py --cases $(CASES) --seed $(SEED) --jobs $(JOBS)

designs: ## build random designs in transformers, and keep what its classes made of them (CASES, SEED)
designs: CASES = 232
designs: .make/prove
	@for step in "draw .make/designs.json --cases $(CASES) --seed $(SEED)" "build .make/designs.json" "keep .make/designs.json"; do \
	  $(PROVE)/bin/python tests/oracle/designs.py $$step || exit 1; done

clean: ## remove what the targets above made, but not the environment
	@rm -rf _site _site.* .make static/bundles node_modules tests/visual/.out .pytest_cache .ruff_cache .mypy_cache .hypothesis

# ---------------------------------------------------------------- set-up, once and again when pyproject.toml changes

$(BIN)/python:
	@echo "[1/2] a virtual environment in $(VENV)"
	@python=; for name in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	  if "$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then python=$$name; break; fi; done; \
	if [ -z "$$python" ]; then \
	  echo "Cutaway needs Python 3.11 or newer, and found none. On macOS: brew install python. On Debian or Ubuntu: sudo apt-get install -y python3.11-venv" >&2; exit 1; fi; \
	if ! "$$python" -c 'import ensurepip' 2>/dev/null; then \
	  version=$$("$$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])'); \
	  echo "This Python cannot make environments yet. One command helps: sudo apt-get install -y python$$version-venv" >&2; exit 1; fi; \
	"$$python" -m venv $(VENV)

.make/app: pyproject.toml | $(BIN)/python
	@echo "[2/2] Cutaway and what it stands on (a minute the first time)"
	@$(BIN)/python -m pip install --editable .
	@mkdir -p .make && touch $@

# mypy follows no mapping of an editable install, but it follows links.
.make/types: pyproject.toml
	@rm -rf $@ && mkdir -p $@/cutaway && cd $@/cutaway && ln -s ../../../cutaway/* ../../../{gallery,explainers,app} .
	@rm -f $@/cutaway/__pycache__ && touch $@

# torch and transformers have an environment of their own: nothing else needs them.
.make/prove: pyproject.toml | $(BIN)/python
	@echo "[2/2] torch and transformers in $(PROVE) (a few minutes the first time)"
	@$(BIN)/python -m venv $(PROVE)
	@$(PROVE)/bin/python -m pip install --editable '.[prove]'
	@mkdir -p .make && touch $@

.make/test: pyproject.toml | $(BIN)/python
	@echo "[2/2] Cutaway, what it stands on, and what the tests need (a minute or two the first time)"
	@$(BIN)/python -m pip install --editable '.[test]'
	@mkdir -p .make && touch .make/app $@
