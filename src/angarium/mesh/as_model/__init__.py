"""Meshes as models: what becomes of a message, explored state by state.

`angarium mesh verify` follows messages through tables and links directly. Here the same mesh becomes a model
in the language in which every system is written, and the same question is answered by exploring its states.
How a message is followed is written twice, so that each of the two checks the other; what is wanted by whom
is read from the mesh once, for both.

`subject` reads the files wherever a model may be named, and `source.model_source` writes the model, with
`routed` or `forwarded` for what is particular to a kind of mesh, and `parts` for what all have in common.
"""

__all__ = ["parts", "source", "subject"]
