"""The recovery protocol: brokers notice what has failed, tell each other, and switch to the tables for it."""
