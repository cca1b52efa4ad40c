"""The language in which models are written: its words, and the reading of files that use them.

`vocabulary` has the words that `import angarium` offers (`time_words`, `walk_words` and `intruder_words`
those of formulas, walks and intruders). `source` reads a file as a syntax tree and says what each name in it
stands for (with `bindings`), and `declarations` sorts the parts of a model's class. Nothing here runs a
model.
"""
