"""Angarium checks that every message arrives."""

__version__ = "0.1.0"
