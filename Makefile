# Every target is a command of the checkout: `python3 -m scripts NAME`. Name another Python with PYTHON=python3.12,
# and hand on arguments with ARGS="...".
PYTHON ?= python3
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: setup serve test check fix bench lock clean help

setup serve test check fix bench lock clean help:
	@exec "$(PYTHON)" -m scripts $@ $(ARGS)
