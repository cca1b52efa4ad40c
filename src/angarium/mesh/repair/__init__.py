"""Repair: the smallest change of a mesh after which its guarantees hold.

`search.Search` tries what `candidates` proposes, the smallest first, and verifies the mesh with it.
"""
