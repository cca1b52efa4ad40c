"""Meshes whose brokers route: tables, walks through them, and what failures do to both."""
