"""The contracts of a specification on real objects: watched in production, and driven in tests."""
