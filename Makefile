# Everything a developer or a new user runs. Each target sets up .venv by itself.

PYTHON ?= python3
BIN := .venv/bin
QUICK := -m "not slow and not soak"

.PHONY: run test test-search test-rooms test-plain test-bounds test-portable test-coverage test-clocks check soak bench \
	bench-line docs lint clean

run: .venv/ready
	$(BIN)/teresa warmup
	$(BIN)/teresa

# Every test: compiled, and beside that without the JIT, with bounds checks, and on the portable path; what they cover;
# then games on the clock, with nothing beside them.
test: lint .venv/train
	$(BIN)/coverage erase
	$(MAKE) --no-print-directory --jobs=2 --output-sync=target test-search test-rooms test-plain test-bounds test-portable
	$(MAKE) --no-print-directory test-coverage
	$(MAKE) --no-print-directory test-clocks

# All compiled tests, in two halves of about the same length: the search and the protocol, and the rest. Lines of kernels
# are covered only without the JIT; those that build and keep machine code only with it. The search, its reports and the
# protocol are covered in both ways (without the JIT in small searches: the marker `jit` leaves out the large ones).
ALL := -m "not clock and not soak"
SEARCH := tests/engine/test_*.py tests/engine/config tests/engine/mcts tests/engine/report tests/engine/search tests/engine/uci
COMPILED := tests/movegen/compiler/test_cache.py tests/perft/test_cli.py \
	$(addprefix tests/perft/runner/,test_cluster.py test_processes.py test_tls.py)
test-search: .venv/train
	$(BIN)/coverage run -m pytest $(ALL) $(SEARCH) $(COMPILED)

test-rooms: .venv/train
	$(BIN)/pytest $(ALL) $(addprefix --ignore=,$(wildcard $(SEARCH)) $(COMPILED))

KERNELS := tests/movegen tests/perft tests/engine/network
test-plain: .venv/train
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest $(QUICK) $(KERNELS) tests/engine/mcts \
		tests/engine/test_plain_python.py tests/engine/report tests/engine/search tests/engine/uci

test-bounds: .venv/train
	NUMBA_BOUNDSCHECK=1 $(BIN)/pytest $(QUICK) $(KERNELS) tests/engine/mcts tests/engine/report \
		tests/engine/training/data/test_damage.py

test-portable: .venv/train
	TERESA_PORTABLE=1 $(BIN)/pytest $(QUICK) $(KERNELS)

test-coverage: .venv/train
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report --fail-under=94
	$(BIN)/coverage report --fail-under=95 --include='movegen/*,engine/network/*'

test-clocks: .venv/train
	$(BIN)/pytest -m "clock and not soak"

# What one runs all the time.
check: lint
	$(BIN)/pytest $(QUICK)

# The long forms of the tests.
soak: .venv/train
	$(BIN)/pytest -m soak
	HYPOTHESIS_PROFILE=searching $(BIN)/pytest -m hypothesis

bench: .venv/ready
	$(BIN)/python -m perft --bench --peers
	$(BIN)/teresa bench --speeds

# The last line of the message of a commit that touches the search: see CONTRIBUTING.md.
bench-line: .venv/ready
	@$(BIN)/teresa bench | sed -n 's/^signature /Bench: /p'

# What is generated in the documents.
docs: .venv/ready
	$(BIN)/python -m tests.update_documents

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[dev,explore]"
	touch $@

# What training and clusters need besides; large, so not for everybody.
.venv/train: .venv/ready
	$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[dev,explore,train,cluster]"
	touch $@

clean:
	rm -rf .venv build dist *.egg-info .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
