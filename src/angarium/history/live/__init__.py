"""Histories while they are being written: the same checks, batch after batch. See `follow.follow`."""
