"""Recovery tables as files that a broker process loads: `load(path)`, or `load_from(folder, broker)`."""

from angarium.mesh.recovery.files.broker_tables import BrokerTables, tables_of
from angarium.mesh.recovery.files.fingerprint import fingerprint
from angarium.mesh.recovery.files.load import load, load_from
from angarium.mesh.recovery.files.write import Written, write_tables

__all__ = ["BrokerTables", "Written", "fingerprint", "load", "load_from", "tables_of", "write_tables"]
