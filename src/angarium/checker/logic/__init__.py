"""What is judged on explored graphs: guarantees over time, refinement, mutants, what would have helped.

`check` searches once and gives every guarantee its verdict. `over_time` decides what is claimed of runs:
`ltl` (by way of `normal`, `buchi`, `product` and `lasso`), `ctl` and `determinism`; `spark` does so on
tables. `semantics` judges every run before it is shown, `sentences` puts it into words, and `vacuity` finds
what claims nothing. `refinement` compares systems by their `events`, in `normalise`'s form; `replay` follows
addresses. What asks for many checks is beside them: `estimation`, `mutate`, `remedies`.
"""
