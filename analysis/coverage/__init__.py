"""Operator coverage: what runs natively, what falls back, what fails, and what nobody knows."""
