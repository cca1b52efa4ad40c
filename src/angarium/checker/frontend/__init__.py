"""From a model to its transition system: passes in order, put together in `build`.

    parameters      settings are filled in, and `elaborate` gives every type its size and start value
    processes       each process is cut at its awaits (`control`), and each await gives steps (`steps`);
                    `liveness` leaves out what is not needed between them, `starts` refuses what order decides
    build           the setup, the state and the declared actions
    faults          what channels, processes and an intruder may do beside
    build           guarantees on states, and names for all steps (`step_names`)
    claims          guarantees on runs: `temporal` from Python, `formula_text` from text
    walks           what random walks look at

Statements and expressions are compiled by one recursive compiler, which all passes call: `statements` and
`expressions`, with `choices`, `domains`, `collections`, `calls`, `functions`, `alternatives` and
`intruder` for their kinds, and `values`, `fit` and `evaluation` for what these have in common. `mutants`
breaks models on purpose.
"""
