"""Spark: a Java that fits, a session, and what can go wrong with them.

Others ask for a `place`, take its `session` and put `failures.translated` around what they do with it, or
give pieces of work to `jobs`, which run on Spark's workers or on this machine's cores. `java` and `machine`
find and start what a session talks to, `bridge` is all that we ask of PySpark beyond its public interface,
and `reasons` reads what Spark says. `scratch` is for files that are kept for a while.
"""
