"""Routing by destination: shortest paths in a mesh, healthy and under every failure.

`graph.graph_of` is the mesh as arrays, and says who takes the place of a dead broker; `tables` has the next
hops of all brokers, and `sweep` those under many sets of failures in native code (`sweep_core`), on Spark as
well. `walk` follows messages through tables.
"""

__all__ = ["graph", "sweep", "sweep_core", "tables", "walk"]
