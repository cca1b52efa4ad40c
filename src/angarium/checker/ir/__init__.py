"""The intermediate representation: what a model means, for all who compile, explore, judge or export it.

`syntax` has expressions and statements, `transition` the whole system, `types` what becomes of structured
types, `formula` claims on runs and fairness, `fair_classes` the steps that fairness is about, and `labels`
what people call values and cells.

What is done to expressions is here once: `traversal` goes through them, `fold` builds them and computes what
is known, `normal_form` brings them to one form, and `intervals` says between which numbers their values lie.
"""
