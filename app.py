"""Crossover: when does testing AWS Trainium instead of NVIDIA GPUs pay off? The door to all pages; no logic here."""

from pages.components.door import open_app

open_app()
