"""A transition system or a story in others' words: Promela, TLA+, SMV, Mermaid, ITF.

Systems: `promela`, `tla` and `smv` write what `unroll` has left: no loops, no comprehensions. For that they
share when an expression has a value (`defined`), bodies with checks (`checked`), a step in terms of the
state before it (`symbolic`, `before`), what is claimed of runs (`temporal`) and how text is made (`render`).

Stories: `mermaid`, `itf` and `pytest_replay`; `step_text` says what happens in a step, in words.
"""
