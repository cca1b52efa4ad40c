"""Meshes in the languages of other tools."""
