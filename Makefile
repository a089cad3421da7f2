# Everything a developer or a new user runs. Each target sets up .venv by itself.

PYTHON ?= python3
BIN := .venv/bin
QUICK := -m "not slow and not soak"

.PHONY: run test check soak bench lint clean

run: .venv/ready
	$(BIN)/teresa warmup
	$(BIN)/teresa

# Every test: compiled, without the JIT (for honest coverage), with bounds checks, and on the portable path.
test: lint
	$(BIN)/pytest -m "not soak"
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest $(QUICK) tests/movegen tests/perft
	$(BIN)/coverage report --fail-under=95
	NUMBA_BOUNDSCHECK=1 $(BIN)/pytest $(QUICK) tests/movegen tests/perft
	TERESA_PORTABLE=1 $(BIN)/pytest $(QUICK) tests/movegen tests/perft

# What one runs all the time.
check: lint
	$(BIN)/pytest $(QUICK)

# The long forms of the tests.
soak: .venv/ready
	$(BIN)/pytest -m soak

bench: .venv/ready
	$(BIN)/python -m perft --bench --peers

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[dev]"
	touch $@

clean:
	rm -rf .venv build dist *.egg-info .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
