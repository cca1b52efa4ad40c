"""What proves a violation, and how it is told."""
