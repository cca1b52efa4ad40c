"""Brokers that tell each other what has failed, and switch to the tables that were calculated for it."""
