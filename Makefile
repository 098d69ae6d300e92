# Each target makes what it needs in .venv, pinned by constraints.txt, and does so once.
# Another Python than python3: make demo PYTHON=python3.12

PYTHON ?= python3
PY := .venv/bin/python
PIP := $(PY) -m pip install -qq --disable-pip-version-check
TORCH := torch==2.13.0

# A virtual environment belongs to the folder it was made in: a moved or copied one is made anew.
ifneq ($(shell [ -x $(PY) ] && cat .venv/.made-in 2>/dev/null),$(CURDIR))
.PHONY: .venv/.made-in
endif

.PHONY: help demo test test-all lint bench paper paper-quick paper-grid lock clean
.NOTPARALLEL:

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' Makefile

demo: .venv/.has-plot ## the paper's Breast Cancer experiment: a table, and a figure in demo/
	@echo "demo: running examples/breast_cancer.py"
	@$(PY) examples/breast_cancer.py

test: lint ## lint, then all tests and doctests
	@echo "test: pytest"
	@$(PY) -m pytest --numprocesses auto --maxprocesses 4

# Tests of an extra skip where it is missing; here none is.
test-all: .venv/.has-all lint ## the same with every extra, PyTorch among them (hundreds of MB)
	@echo "test-all: pytest"
	@$(PY) -m pytest --numprocesses auto --maxprocesses 4

lint: .venv/.has-dev ## ruff and mypy
	@echo "lint: ruff check"
	@$(PY) -m ruff check --quiet .
	@echo "lint: ruff format --check"
	@$(PY) -m ruff format --check --quiet --diff .
	@echo "lint: mypy"
	@$(PY) -m mypy --no-error-summary

bench: .venv/.has-bench ## speed and memory beside LightGBM, XGBoost and scikit-learn
	@echo "bench: running benchmarks/speed.py"
	@$(PY) benchmarks/speed.py

# What the paper's experiments run on: make paper JOBS=1, make paper-grid DEVICE=cuda JOBS=8.
JOBS ?= 2
DEVICE ?= cpu
EXPERIMENTS = OMP_NUM_THREADS=1 $(PY) -m experiments.run --jobs $(JOBS) --device $(DEVICE)
REPORT = $(PY) -m experiments.report

paper: .venv/.has-paper ## the paper's tables and figures, in paper/: under an hour on two cores
	@echo "paper: running experiments/run.py; stop it when you like, it goes on where it was"
	@$(EXPERIMENTS)
	@$(REPORT)

paper-quick: .venv/.has-paper ## the same from Breast Cancer and UNSW-NB15 alone, in five minutes
	@echo "paper-quick: running experiments/run.py"
	@$(EXPERIMENTS) --preset quick
	@$(REPORT)

paper-grid: .venv/.has-paper ## the paper's whole grid of tabular networks: hours, or DEVICE=cuda
	@echo "paper-grid: running experiments/run.py"
	@$(EXPERIMENTS) --preset grid
	@$(REPORT)

# The pins must suit every Python we support, and the oldest one has the fewest versions to offer.
# PyTorch is pinned by hand and not installed for this, for its GPU builds are gigabytes; what it
# needs is.
lock: ## renew constraints.txt with today's versions; run it with PYTHON=python3.11
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || { \
	    echo "lock: needs Python 3.11, the oldest we support: make lock PYTHON=python3.11" >&2; exit 1; }
	@echo "lock: installing the newest versions into .venv-lock"
	@"$(PYTHON)" -m venv --clear .venv-lock
	@.venv-lock/bin/python -m pip install -qq --disable-pip-version-check --upgrade \
	    setuptools filelock fsspec jinja2 networkx sympy '.[bench,data,dev,plot]'
	@{ echo "# Every version that the Makefile installs, for Python 3.11 to 3.13. Renew: make lock"; \
	   { .venv-lock/bin/python -m pip list --disable-pip-version-check --format=freeze \
	         --exclude pip --exclude adapu; echo '$(TORCH)'; } | LC_ALL=C sort -f; } > .venv-lock/constraints.txt
	@mv .venv-lock/constraints.txt constraints.txt
	@rm -rf .venv-lock build
	@echo "lock: wrote constraints.txt"

clean: ## remove .venv, caches, the demo's figure and what was packed; paper/ stays
	@echo "clean: removing .venv, caches, builds, demo/ and experiments/cache/"
	@rm -rf .venv .venv-lock build dist demo experiments/cache src/*.egg-info
	@rm -rf .hypothesis .mypy_cache .pytest_cache .ruff_cache
	@find src tests benchmarks examples experiments -name __pycache__ -exec rm -rf {} +

# Stamps. Each is written by the last line of its recipe, so an interrupted install leaves none.

.venv/.made-in:
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	    echo "adapu needs Python 3.11 or newer, but PYTHON=$(PYTHON) is" \
	        "$$("$(PYTHON)" --version 2>/dev/null || echo "no working Python")." \
	        "Name another one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@"$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null || { \
	    echo "PYTHON=$(PYTHON) lacks the venv module. On Debian or Ubuntu: sudo apt install python3-venv." \
	        "Or name another Python: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@echo "setup: making .venv with $$("$(PYTHON)" --version)"
	@"$(PYTHON)" -m venv --clear .venv
	@echo "$(CURDIR)" > $@

.venv/.has-plot: extras := plot
.venv/.has-dev: extras := data,dev,plot
.venv/.has-bench: extras := bench
.venv/.has-all: extras := bench,data,dev,neural,plot
.venv/.has-all: first := $(TORCH)
.venv/.has-paper: extras := bench,data,neural,plot
.venv/.has-paper: first := $(TORCH)

.venv/.has-%: .venv/.made-in pyproject.toml constraints.txt
	@echo "setup: installing adapu[$(extras)] into .venv, with the versions of constraints.txt"
	@$(PIP) -c constraints.txt setuptools $(first)
	@$(PIP) --no-build-isolation -c constraints.txt -e '.[$(extras)]'
	@touch $@
