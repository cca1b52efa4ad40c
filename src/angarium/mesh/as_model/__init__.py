"""Meshes as models: what becomes of a message, explored state by state.

`angarium mesh verify` follows messages through tables and links directly. Here the same mesh becomes a model
in the language in which every system is written, and the same question is answered by exploring its states.
How a message is followed is written twice, so that each of the two checks the other; what is wanted by whom
is read from the mesh once, for both.
"""
