"""Random walks over a transition system, and what they show.

`plan` says what is asked; `native_walks` makes the walks here and `spark_walks` on Spark, both the same as
`reference` makes in plain Python; `figures` evaluates what is observed, `statistics` and `summary` make the
answer of it (`results`), and `sweep` does so for many scenarios. `datagrams` is a network of endpoints
without sockets or clocks of their own.
"""
