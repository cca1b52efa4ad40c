"""How messages go where links hand them on: federation, bridges and mirrors.

`forward.Forwarding` makes an `angarium.mesh.outcome.Outcome` of each message, and `legs.Network` is the mesh
as the numbers that it works on. `choices` says what may become of copies where links compete for them, and
`hop_limits` which limits of hops are too low.
"""
