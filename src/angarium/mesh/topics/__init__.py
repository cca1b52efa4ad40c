"""Topics: how brokers write them, which patterns match them, and which of them no filter distinguishes.

A `topic` is a sequence of symbols. `dialects` reads what brokers write (Java's regular expressions by
`regular`), and says whether one topic passes a link, and under which name. `classes` answers it for all
topics of a mesh at once: what no filter and no publisher distinguishes is one class. It stands on
`automaton`, many patterns as one; `labels`, the filters of all links and the names that topics come to have;
and `states`, the published topics symbol by symbol.
"""

__all__ = ["classes", "dialects", "labels", "topic"]
