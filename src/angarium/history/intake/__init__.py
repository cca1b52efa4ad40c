"""Files to columns of numbers: what the kernel is given, without Spark."""
