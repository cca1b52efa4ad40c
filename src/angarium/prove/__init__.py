"""Proofs of any size by an SMT solver, and the same contracts as monitors of real queues."""
