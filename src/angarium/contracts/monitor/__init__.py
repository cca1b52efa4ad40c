"""The contracts of a specification on real objects: watched in production, and driven in tests.

`watched` stands in front of an object in production. `drive` tests one with many `sequences` of calls, which
a `state_machine` chooses; each rule that was broken is shown by the `shortest` one. Both follow with a
`monitor` what ought to be in the object, by `rules` that `concrete` has made Python of. `real_values` and
`signals` serve them.
"""
