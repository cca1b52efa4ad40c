"""Packets on their way through a mesh, one by one, while links and brokers fail and tables change.

An `experiment` is what is simulated, with its traffic, and what came of it; `running.simulate` runs it in a
scheme of `timeline`. What the brokers do is worked out before the packets are sent: by the
nodes of `mesh.protocol` (`nodes`) or by routers (`routers`), on the `links` of the mesh. Packets themselves
move in native code (`packets_core`).
"""

__all__ = ["experiment", "links", "packets_core", "results", "running", "timeline"]
