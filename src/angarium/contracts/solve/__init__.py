"""Deciding obligations: for any size by a solver, and by small counterexamples that anybody can check."""
