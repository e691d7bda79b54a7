# make demo: the audit of the 20 real result files; make test: lint, types, tests. Both make .venv first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OUT := out
JOBS ?= auto

.PHONY: help demo test lint types tests format docs lock benchmarks dist clean

help:
	@echo "make demo        install into .venv and audit the 20 real result files in fixtures/real-results"
	@echo "make test        lint, types and tests"
	@echo "make docs        write again the generated pages (glossary, command line)"
	@echo "make benchmarks  run the simulations and timings, and write docs/validation.md and docs/performance.md"
	@echo "make dist        build the wheel and the sdist into dist/"
	@echo "make lock        solve the dependencies again into constraints.txt"

# A stamp per set of dependencies: the second run installs nothing.
$(VENV)/.demo: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "click-stats needs Python 3.11 or newer; found $$($(PYTHON) --version). Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[report]'
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(VENV)/.demo
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

demo: $(VENV)/.demo
	$(BIN)/click-stats report audit fixtures/real-results --models fixtures/models.csv \
	  -o $(OUT) --to html,pdf,docx --lang ko --force

test: lint types tests

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

tests: $(VENV)/.dev
	$(BIN)/pytest -n $(JOBS)

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(VENV)/.dev
	$(BIN)/python scripts/make_docs.py

# Not those over the questions themselves (tokens, hf_speed: they need the dataset and torch), mixed (R), and two that take
# half an hour and more (mixed_coverage, irt).
NOT_SCRIPTS := pages simulation mixed_data
NOT_HERE := tokens hf_speed mixed mixed_coverage irt
benchmarks: $(VENV)/.dev
	for script in $(filter-out $(patsubst %,benchmarks/%.py,$(NOT_SCRIPTS) $(NOT_HERE)),$(wildcard benchmarks/*.py)) \
	  "benchmarks/report.py items" "benchmarks/report.py replication"; do \
	  echo "== $$script"; env -u OPENBLAS_CORETYPE -u OPENBLAS_L2_SIZE $(BIN)/python $$script --write || exit 1; done

dist: $(VENV)/.dev
	rm -rf dist
	$(BIN)/python -m build --outdir dist

lock: $(VENV)/.demo
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --universal --python-version 3.11 --no-header --no-annotate --no-emit-index-url \
	  --no-emit-find-links --all-extras --quiet pyproject.toml -o constraints.txt

clean:
	rm -rf $(VENV) $(OUT) dist .pytest_cache .mypy_cache .ruff_cache
