"""Chances: how likely a message misses its bound, and a heartbeat its dead interval."""
