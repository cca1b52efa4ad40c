"""Recovery tables as files that a broker process loads: `load(path)`, or `load_from(folder, broker)`."""

from angarium.mesh.recovery.files.binary import BrokerTables, fingerprint, tables_of
from angarium.mesh.recovery.files.folder import Written, load, load_from, write_tables

__all__ = ["BrokerTables", "Written", "fingerprint", "load", "load_from", "tables_of", "write_tables"]
