"""A second meaning of models: Python's own.

A model is Python. So the surest reference is to run it: its file is executed, with run-time classes in
place of the words of the language (`values`, `words`, `load`), its actions are called on copies of the state,
and its processes are walked from await to await (`walk`). What is found this way (`search`) shares nothing
with the front end, whose transition system must have the same states, steps, failures and hits (`compare`).

"""
