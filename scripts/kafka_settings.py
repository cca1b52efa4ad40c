"""The reference of Kafka's settings, made from their catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from angarium.settings.kafka.catalogue import ALIASES, CATALOGUE, KAFKA_VERSION, SHORT
from angarium.settings.kafka.translate import SENSIBLE
from angarium.settings.setting import Scope, Setting

_NOTES = {
    Scope.TOPIC: "A topic's value counts before its broker's.",
    Scope.SCENARIO: "In no file, only with `--set`: a feature of the cluster (`kafka-features`), what your "
    "application does, and how large the model is.",
}
_HEADER = ("setting", "what it can be", "default", "what it does for delivery", "what it becomes")


def kafka_settings() -> str:
    """Every setting that bears on delivery, by who reads it."""
    parts = [f"Types and defaults are those of Kafka {KAFKA_VERSION}."]
    for scope in Scope:
        rows = [_row(setting) for setting in CATALOGUE if scope in setting.scopes]
        parts += [f"## {scope.value.capitalize()}", _NOTES.get(scope, ""), _table(_HEADER, rows)]
    return "\n\n".join(part for part in parts if part)


def kafka_names() -> str:
    """The other names by which settings are understood."""
    rows = [(f"`{other}`", f"`{name}`", "files and `--set`: librdkafka's") for other, name in ALIASES.items()]
    rows += [(f"`{short}`", f"`{name}`", "`--set`") for short, name in SHORT.items()]
    return _table(("name", "stands for", "where"), rows)


def kafka_changes() -> str:
    """What is tried as a remedy."""
    rows = [(f"`{each.setting}={each.value}`", each.price) for each in SENSIBLE]
    return _table(("change", "what it costs"), rows)


def _row(setting: Setting) -> tuple[str, ...]:
    default = f"`{setting.default}`" if setting.default else "not set"
    if setting.inherits:
        default += f", or what `{setting.inherits}` is"
    becomes = setting.becomes or f"nothing; {setting.why_not}"
    return f"`{setting.name}`", setting.kind.possible, default, setting.what, becomes


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    def lines() -> Iterator[str]:
        yield f"| {' | '.join(header)} |"
        yield f"|{'---|' * len(header)}"
        for row in rows:
            yield f"| {' | '.join(cell.replace('|', '&#124;') for cell in row)} |"

    return "\n".join(lines())
