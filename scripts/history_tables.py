"""What histories and audits are made of, for the reference: the schema, the guarantees, the tables."""

from __future__ import annotations

from angarium.history import guarantees, schema, tables
from angarium.history.schema_text import schema_table


def event_schema() -> str:
    """The columns of the event table, and what control operations mean."""
    meanings = {
        "a consumer begins": schema.SUBSCRIBES,
        "a consumer or client ends": schema.ENDS,
        "a broker dies, comes back or leads": schema.BROKER_CHANGES,
        "partitions are assigned": schema.ASSIGNS,
        "partitions are taken away": schema.REVOKES,
        "a replica stores": schema.STORES,
        "a recorder attached to a running system": (schema.RECORDING_BEGINS,),
    }
    rows = [f"| {meaning} | {_codes(names)} |" for meaning, names in meanings.items()]
    operations = "\n".join(["| meaning | `op_name` |", "|---|---|", *rows])
    lists = "\n".join(
        f"- `{name}`: {_codes(values)}"
        for name, values in (
            ("op_type", schema.OP_TYPES),
            ("phase", schema.PHASES),
            ("settle", schema.SETTLES),
            ("vantage", schema.VANTAGES),
        )
    )
    values = f"## Values\n\n{lists}\n\n## Operations\n\n{operations}"
    return f"Version {schema.VERSION}.\n\n{schema_table()}\n{values}"


def history_guarantees() -> str:
    """Each guarantee of a history."""
    rows = [
        f"| `{each.name}` | {each.promise} | {_codes(each.kinds)} | {each.needs} |"
        for each in guarantees.GUARANTEES
    ]
    head = ["| guarantee | promise | kinds of violation | needs |", "|---|---|---|---|"]
    return "\n".join([*head, *rows])


def audit_tables() -> str:
    """The tables that an audit writes, by their columns."""
    named = {
        "violations": tables.EXPLAINED,
        "summary": tables.SUMMARY,
        "messages": tables.MESSAGES,
        "quarantine": tables.QUARANTINE,
        "latency": tables.LATENCY,
    }
    return "\n".join(f"- **{name}**: {_columns(columns)}" for name, columns in named.items())


def _columns(ddl: str) -> str:
    pairs = (column.split() for column in ddl.split(","))
    return ", ".join(f"`{name}` {type_}" for name, type_ in pairs)


def _codes(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)
