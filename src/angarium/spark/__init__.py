"""Spark: a Java that fits, a session, a cluster on one machine, and what can go wrong with them."""
