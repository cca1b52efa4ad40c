"""The plain-Python oracle of the audit: every rule once more, as simply as it can be said.

It is written from the page of rules (docs/explanation/audit.md) and from nothing else, so that it and the
product's engines are independent readings of one text. What they disagree on is a mistake in one of them,
or in the text. It is made to be read, not to be fast: it holds a whole history in memory.
"""
