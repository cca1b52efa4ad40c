"""Guarantees over time, decided on Spark: for graphs that do not fit into one machine."""

from angarium.checker.logic.frames.frames import Frames, decide

__all__ = ["Frames", "decide"]
