"""Schemes of recovery from a failure, and how they compare: recovery tables, resilient layers, alternates.

`compare.compare` puts them side by side on one mesh, with the lengths of their paths, and `many` on many,
on Spark as well. `layers` and `alternates` are the schemes themselves, and `graphs` says how far
it is in a mesh, and draws random ones.
"""

__all__ = ["alternates", "compare", "graphs", "layers", "many", "results"]
