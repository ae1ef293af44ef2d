# The commands of the project; `make help` lists them.

CARGO ?= cargo
TARGET := $(if $(CARGO_TARGET_DIR),$(CARGO_TARGET_DIR),target)
TESTWRIGHT := $(TARGET)/release/testwright

.DEFAULT_GOAL := help
.PHONY: help setup build demo test lint fmt bench

help: ## list the commands
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

setup: ## install what is missing (clang, Z3; nothing if they are there)
	@scripts/setup

build: setup ## build the release binaries
	@$(CARGO) build --release --workspace --bins

demo: build ## run an example function and generate tests for it
	@echo
	@echo "1. One case: triangle(3, 4, 5) in a worker process. Shown are its result, which outcomes of which"
	@echo "   sites the run hit, and how far it was from those it missed."
	$(TESTWRIGHT) run examples/triangle.c --function triangle --case '[3, 4, 5]'
	@echo
	@echo "2. Another one, with a self-check: the sum overflows, which C leaves undefined."
	$(TESTWRIGHT) run examples/triangle.c --function triangle --case '["INT_MAX", 1, 1]' --self-check
	@echo
	@echo "3. Tests for all of triangle.c: generated, compiled, run twice."
	$(TESTWRIGHT) generate examples/triangle.c --out build/demo
	@echo
	@echo "4. The same tests as a user runs them, against the code under test."
	$(MAKE) --no-print-directory -C build/demo check
	@echo
	@echo "The tests lie in build/demo/triangle_test.c, what went wrong in build/demo/findings.c."
	@echo "The program is $(TESTWRIGHT); more examples lie in examples/, the manual in book/."

test: ## run all tests
	@scripts/setup --tests
	$(CARGO) build --workspace --bins
	@if $(CARGO) nextest --version >/dev/null 2>&1; then \
	    echo "$(CARGO) nextest run --workspace --no-fail-fast" && $(CARGO) nextest run --workspace --no-fail-fast && \
	    echo "$(CARGO) test --workspace --doc" && $(CARGO) test --quiet --workspace --doc; \
	else \
	    echo "$(CARGO) test --workspace --no-fail-fast" && $(CARGO) test --workspace --no-fail-fast; \
	fi

lint: ## check format, lints and the rules of `cargo xtask tidy`
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	$(CARGO) xtask tidy

fmt: ## format the code
	$(CARGO) fmt --all

bench: build ## measure the execution core against native code
	$(TESTWRIGHT) bench core
