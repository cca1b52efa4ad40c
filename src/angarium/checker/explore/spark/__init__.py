"""The search on Spark: each state has one owner, and one shuffle a round brings states to their owners."""
