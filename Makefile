# Everything runs on a fresh machine: the first target that needs it makes .venv and installs the tested set of versions.
PYTHON ?= python3
VENV := .venv
INSTALLED := $(VENV)/.installed
PYTEST := $(VENV)/bin/python -m pytest -n auto --dist loadfile --no-loadscope-reorder
SINCE = $(shell git rev-list -1 --before='1 day ago' HEAD 2>/dev/null)  # the newest commit of which a night has tested everything

.PHONY: demo test test-all test-fast check docs verify bench clean

demo: $(INSTALLED)  ## grade wrong and right submissions, and see what a learner reads
	$(VENV)/bin/normgrade demo

test: $(INSTALLED)  ## the grader's own tests; of the slow ones, those that guard what changed within a day
	$(PYTEST) --since=$(SINCE)

test-all: $(INSTALLED)  ## all of them
	$(PYTEST)

test-fast: $(INSTALLED)  ## those that tell most while you edit
	$(PYTEST) -m "not (attacks or browser or faults or kernel or slow)"

check: $(INSTALLED)  ## lint, format and types
	$(VENV)/bin/ruff check
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/mypy

docs: $(INSTALLED)  ## the pages of docs/ as a site, in build/docs; a dead link is an error
	$(VENV)/bin/python tests/pages.py
	$(VENV)/bin/mkdocs build --quiet --strict

verify: $(INSTALLED)  ## prove the course: right answers pass, wrong ones fail and are named, mutants and habits are killed
	$(VENV)/bin/normgrade verify --mutants --habits

bench: $(INSTALLED)  ## the measurements: tolerance, speed, false accepts and rejects, diagnoses, points; all of them, also after a broken promise
	@status=0; for script in tests/benchmarks/*.py; do echo "== $$script"; $(VENV)/bin/python "$$script" || status=1; done; exit $$status

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo 'normgrade needs Python 3.11 or newer, and "$(PYTHON)" is not. Name one that is: make PYTHON=/path/to/python3.11'; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --editable '.[dev,docs]' -c constraints.txt
	touch $@
