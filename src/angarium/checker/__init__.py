"""The model checker: a model is read, compiled, explored to the last state, and judged.

From bottom to top: `ir` (the transition system), `language` (the words of models, and how their files are
read), `frontend` (a model to its transition system), `backend` (the transition system to native code),
`explore` (the searches), `logic` (what is judged on what was explored), `walks` (random walks and their
statistics), `export` (to other checkers).
"""
