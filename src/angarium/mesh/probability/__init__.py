"""Probability: how likely a message misses its bound, and a heartbeat its dead interval.

`latency` answers the first question exactly and `sampling` by drawing, on Spark as well;
`heartbeats` answers the second. `paths` says over which paths a message can go, and `limits` how certain a
figure is. How long things take and how often they are down is in `mesh.distributions`.
"""

__all__ = ["adaptive", "heartbeats", "latency", "limits", "results", "sampling"]
