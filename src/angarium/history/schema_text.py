"""The event schema as a page of the reference: one table, made from the contract itself."""

from __future__ import annotations

from angarium.history import schema

_HEAD = ("column", "type", "meaning", "OpenTelemetry")
_TYPES = {
    schema.LONG: "integer, 64 bit",
    schema.INT: "integer, 32 bit",
    schema.TEXT: "text",
    schema.TRUTH: "true or false",
    schema.TEXTS: "list of texts",
}


def schema_table() -> str:
    """The columns of the schema as Markdown, in groups; required ones are bold."""
    groups = dict.fromkeys(column.group for column in schema.COLUMNS)
    return "\n\n".join(_group(group) for group in groups) + "\n"


def _group(name: str) -> str:
    rows = [_HEAD, ("---",) * len(_HEAD), *(_row(each) for each in schema.COLUMNS if each.group == name)]
    return f"### {name.capitalize()}\n\n" + "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _row(column: schema.Column) -> tuple[str, ...]:
    name = f"**`{column.name}`**" if column.required else f"`{column.name}`"
    return (
        name,
        _TYPES[column.type],
        column.meaning.replace("|", "\\|"),
        f"`{column.otel}`" if column.otel else "",
    )
