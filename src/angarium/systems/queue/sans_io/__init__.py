"""The transport as real code: a host without I/O, and what runs it over networks and beside its model."""
