"""Topics: how brokers write them, which patterns match them, and which of them no filter tells apart.

A `topic` is a sequence of symbols. `dialects` reads what brokers write (`java` regular expressions, by
`regular`), and `matching` asks whether one topic passes a link, and under which name. `classes` answers it
for all topics of a mesh at once: what no filter and no publisher tells apart is one class. It stands on
`automaton`, many patterns as one; `filters`, those of all links; `labels`, the names that topics come to
have; and `states` and `meeting`, the published topics symbol by symbol.
"""

__all__ = ["classes", "dialects", "labels", "topic"]
