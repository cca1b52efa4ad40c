"""Recorders: they write down, in the event schema, what a broker or a client does."""
