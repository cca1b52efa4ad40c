"""Deciding obligations: for any size by a solver, and by small counterexamples that anybody can check.

`decide` looks for proofs of any size and gives the verdict, `smallest` looks for counterexamples in small
`worlds`, and `asking` puts their questions to Z3 within limits. Others need `decide` alone.
"""
