"""Mesh files: what a file is, what it says, and writing and editing it.

`find.load` is the entrance: it finds out what each file is, also inside containers, charts and streams, and
has it read by `yaml_file`, `gml`, `thesis_tables` and the like, or by the importer of its broker. `nodes` are
YAML with the place of everything, `edit` changes a file and nothing else in it, and `write` writes one anew.
"""
