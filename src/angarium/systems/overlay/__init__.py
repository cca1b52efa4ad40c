"""Brokers that route messages for each other: the overlay of a message-oriented middleware."""
