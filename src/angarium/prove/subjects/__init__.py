"""Queues that come with Angarium, to be put to the test."""
