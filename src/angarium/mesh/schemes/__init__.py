"""Schemes of recovery from a failure, and how they compare: recovery tables, resilient layers, alternates."""
