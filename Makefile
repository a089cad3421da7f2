# Everything a developer or a new user runs. Each target sets up .venv by itself.

PYTHON ?= python3
BIN := .venv/bin
QUICK := -m "not slow and not soak"
QUICKEST := -m "not slow and not soak and not thorough"

.PHONY: run test test-warm test-search test-rooms test-covered test-plain test-bounds test-portable test-coverage test-clocks \
	check check-search check-rooms soak bench bench-line docs lint clean

run: .venv/ready
	$(BIN)/teresa warmup
	$(BIN)/teresa

# Every test: compiled, and beside that without the JIT, with bounds checks, and on the portable path; what they cover;
# then games on the clock, with nothing beside them. Two at a time. Processes that compile the same kernels wait for each
# other: first one compiles those of all compiled tests, beside it the bounds checks use others. Then the longest first.
# All but the bounds checks wait for it: else make starts a short one before the longest.
VARIANTS := test-warm test-bounds test-rooms test-search test-plain test-covered test-portable
test: lint .venv/train
	$(BIN)/coverage erase
	$(MAKE) --no-print-directory --jobs=2 --output-sync=target $(VARIANTS)
	$(MAKE) --no-print-directory test-coverage
	$(MAKE) --no-print-directory test-clocks

test-warm: .venv/train
	$(BIN)/teresa warmup --time

# All compiled tests, in parts. Coverage slows processes down, so it is measured without the
# JIT, in small searches (the marker `jit` leaves out the large ones); lines that build and keep machine code, or share
# work among processes, are covered by compiled tests only.
ALL := -m "not clock and not soak"
SEARCH := tests/engine/test_*.py tests/engine/config tests/engine/mcts tests/engine/report tests/engine/search tests/engine/uci
COVERED := tests/movegen/compiler tests/perft/test_cli.py tests/engine/report/test_tree_file.py \
	$(addprefix tests/perft/runner/,test_cluster.py test_processes.py test_tls.py)
ROOMS := $(addprefix --ignore=,$(wildcard $(SEARCH)) $(COVERED))
test-search: test-warm
	$(BIN)/pytest $(ALL) $(SEARCH) $(addprefix --ignore=,$(COVERED))

test-rooms: test-warm
	$(BIN)/pytest $(ALL) $(ROOMS)

test-covered: test-warm
	$(BIN)/coverage run -m pytest $(ALL) $(COVERED)

KERNELS := tests/movegen tests/perft tests/engine/network
test-plain: test-warm
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest $(QUICK) $(KERNELS) tests/engine/mcts \
		tests/engine/test_plain_python.py tests/engine/report tests/engine/search tests/engine/uci

# What calls no kernels does not depend on how they are compiled.
BOUNDED := $(KERNELS) --ignore=tests/movegen/test_fen.py $(addprefix --ignore=tests/perft/, \
	runner test_comparison.py test_display.py test_engine_process.py test_processors.py test_suite.py)
test-bounds: .venv/train
	NUMBA_BOUNDSCHECK=1 $(BIN)/pytest $(QUICK) $(BOUNDED) tests/engine/mcts tests/engine/report \
		tests/engine/training/data/test_damage.py \
		tests/engine/lc0/test_planes.py $(addprefix tests/engine/training/teacher/,test_nnue.py test_nnue_file.py test_quiet.py)

# Only sliders (`movegen/sliders.py`) and the n-th square of a set (`movegen/bits.py`) have a portable path: the rules on it
# here; the search on it, which has the network, is compared by its signature in tests/engine/test_bench.py.
PORTABLE := $(addprefix tests/movegen/test_,bits.py position.py random_move.py rules.py sliders.py) \
	tests/perft/test_count.py tests/perft/test_counter.py
test-portable: test-warm
	TERESA_PORTABLE=1 $(BIN)/pytest $(QUICK) $(PORTABLE)

test-coverage: .venv/train
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report --fail-under=94
	$(BIN)/coverage report --fail-under=95 --include='movegen/*,engine/network/*'

test-clocks: .venv/train
	$(BIN)/pytest -m "clock and not soak"

# What one runs all the time, in two halves of about the same time.
HALF := $(SEARCH) tests/engine/training
check: lint
	$(MAKE) --no-print-directory --jobs=2 --output-sync=target check-search check-rooms

check-search: .venv/ready
	$(BIN)/pytest $(QUICKEST) $(HALF)

check-rooms: .venv/ready
	$(BIN)/pytest $(QUICKEST) $(addprefix --ignore=,$(wildcard $(HALF)))

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
	$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[dev,explore,train,cluster,lc0]"
	touch $@

clean:
	rm -rf .venv build dist *.egg-info .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
