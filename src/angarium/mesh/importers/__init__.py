"""Brokers' own configuration files, read as their brokers read them: a family of modules a broker.

What all have in common is in `common`. What cannot be read, or is left out, is a remark of the mesh: it says
what it may do to messages, so that verdicts which depend on it are `unknown`.
"""
