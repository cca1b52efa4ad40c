"""The project file, its claims as one pipeline on Spark, and what is kept of every run."""
