"""The recovery protocol: brokers notice what has failed, tell each other, and switch to the tables for it.

All of it but `daemon` is without sockets, clock or threads. A `node` is one broker's part; what it knows is
`link_state`, what it does with each neighbour `interface`, how letters are written `messages`, and which
colour follows `colouring`. `forwarding` carries packets. `daemon` puts a node behind a UDP socket, and
`network` runs many in a simulation.
"""

__all__ = [
    "colouring",
    "daemon",
    "forwarding",
    "interface",
    "link_state",
    "messages",
    "network",
    "node",
    "results",
]
