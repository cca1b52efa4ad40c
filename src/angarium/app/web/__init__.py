"""The page: models to step through, meshes to draw, reports to read; and the JSON behind it."""
