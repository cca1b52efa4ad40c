"""What every room stands on: results, errors, control of what takes long, files, and words of others.

Nothing here knows a product. `result` is what every product answers with; `control` is how it is limited,
watched and stopped.
"""
