"""Worked cases, run against the engine by `python -m tests.cases FILE...`; `case.py` describes their form."""
