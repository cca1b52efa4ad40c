"""Benchmarks: everything that is promised about speed and memory, as ratios measured in one run."""
