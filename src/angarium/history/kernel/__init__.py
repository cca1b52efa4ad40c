"""The audit's kernel: guarantees as folds over events of a fixed size, in the low-level language."""
