"""Meshes: brokers and links, read from brokers' own files, verified under every failure, repaired and recovered."""
