"""Typed Python client for Avenue."""
