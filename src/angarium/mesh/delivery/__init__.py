"""What becomes of messages, and how they go where links hand them on: federation, bridges and mirrors.

An `outcome.Spread` is what becomes of one message, by whatever means it was found. `forward.Forwarding`
finds it where links forward, on the mesh as numbers (`legs.Network`); `choices` says what may become of
copies where links compete for them, and `copy_states` has all paths of copies, as a graph.
"""

__all__ = ["choices", "forward", "legs", "outcome"]
