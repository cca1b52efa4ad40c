"""Histories: what brokers and clients really did, read, recorded and audited."""
