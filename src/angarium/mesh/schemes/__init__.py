"""Schemes of recovery from a failure, and how they compare: recovery tables, resilient layers, alternates.

`compare.compared` puts them side by side on one mesh, and `results` on many, on Spark as well (`on_spark`).
`layers` and `alternates` are the schemes themselves, `lengths` how long their paths are, `graphs` random
meshes and how far it is in them.
"""
