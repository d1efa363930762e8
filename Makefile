# Every target is a command of the checkout: `python3 -m scripts NAME`. Name another Python with PYTHON=python3.12,
# and hand on arguments with ARGS="...".
PYTHON ?= python3
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: setup serve test check fix bench chaos sim lock clean help

# `make chaos N=100 SEED=7 DATABASE=postgres`: how many kills, whose dice, on what.
chaos: override ARGS += $(if $(N),--kills $(N)) $(if $(SEED),--seed $(SEED)) $(if $(DATABASE),--database $(DATABASE))

# `make sim SEED=7 HANDS=500 WORLDS=1`: which world, and for how long.
sim: override ARGS += $(if $(SEED),--seed $(SEED)) $(if $(HANDS),--hands $(HANDS)) $(if $(WORLDS),--worlds $(WORLDS))

setup serve test check fix bench chaos sim lock clean help:
	@exec "$(PYTHON)" -m scripts $@ $(ARGS)
