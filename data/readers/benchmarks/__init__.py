"""Readers of benchmark files, one module a format."""
