"""From a model to its transition system: one pass a file, put together in `build`."""
