"""Worked cases, run against the engine: `python -m tests.cases FILE...`; the form is described in `tests/cases/case.py`."""
