"""Meshes: links between brokers, from their own files, verified under every failure, repaired, recovered.

From bottom to top: `mesh` (what a mesh is), `topics` (names and patterns), `delivery` and `routing` (how
messages go, by topic or by destination), `verify` (every guarantee, under every failure), `files` and
`importers` (meshes from brokers' own files). On these stand `repair`, `recovery` (tables for every failure),
`protocol` (the daemon that switches to them), `schemes` and `packets` (how schemes of recovery compare),
`probability` (how likely a message is late), `as_model` and `smv` (meshes for model checkers), and `draw`.
What a product answers is in its `results`, and in `answers`: plain data, which `app.report` shows.
"""
