"""Meshes: links between brokers, from their own files, verified under every failure, repaired, recovered."""
