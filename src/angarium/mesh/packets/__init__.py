"""Packets on their way through a mesh, one by one, while links and brokers fail and tables change."""
