# Every target is a command of the checkout: `python3 -m scripts NAME`. Name another Python with PYTHON=python3.12,
# and hand on arguments with ARGS="...".
PYTHON ?= python3
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: setup serve test check fix bench chaos lock clean help

# `make chaos N=100 SEED=7 DATABASE=postgres`: how many kills, whose dice, on what.
chaos: override ARGS += $(if $(N),--kills $(N)) $(if $(SEED),--seed $(SEED)) $(if $(DATABASE),--database $(DATABASE))

setup serve test check fix bench chaos lock clean help:
	@exec "$(PYTHON)" -m scripts $@ $(ARGS)
