"""Readers of histories: files of many formats in, events and a quarantine out. See `reading.read`."""
