"""The model checker: a model is read, compiled, explored to the last state, and judged.

From bottom to top: `model` (the language and the transition system), `frontend` (the model's text to the
transition system), `backend` (the transition system to native code), `explore` (the searches), `logic` (what
is judged on what was explored), `walks` (random walks and their statistics), `export` (to other checkers).
"""
