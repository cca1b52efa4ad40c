"""Spring Boot's names for the settings of Kafka's clients, as application.properties has them.

`spring.kafka.consumer.auto-offset-reset` is the consumer's `auto.offset.reset`, and what stands behind
`spring.kafka.producer.properties.` is a name of Kafka's own. Names that Spring has for itself are nobody's
mistakes. Its listeners commit themselves, after the record is processed, unless they are told otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import replace

from angarium.settings.properties import Entry

_SPRING = re.compile(r"spring\.kafka\.(?P<client>producer|consumer)\.(?P<own>properties\.)?(?P<name>.+)")
_OTHERWISE = {"transaction.id.prefix": "transactional.id"}
_AUTO_COMMIT = "consumer.enable.auto.commit"


def from_spring(entry: Entry) -> Entry:
    """The entry as a client of Kafka gets it; unchanged if it is not Spring's."""
    name = _kafkas_name(entry.name)
    if name == "consumer.isolation.level":
        return replace(entry, name=name, value=entry.value.lower().replace("-", "_"))
    return replace(entry, name=name)


def is_springs(name: str) -> bool:
    """Whether Spring may have made the name, and not Kafka."""
    found = _SPRING.fullmatch(name)
    return bool(found and not found["own"])


def spring_remarks(file: str, names: Iterable[str], overridden: Collection[str]) -> list[str]:
    consumers = {_kafkas_name(name) for name in names if name.startswith("spring.kafka.consumer.")}
    if not consumers or _AUTO_COMMIT in consumers or "enable.auto.commit" in overridden:
        return []
    return [
        f"{file}: Spring's listeners have enable.auto.commit=false where nobody sets it, and commit by "
        "themselves (--set enable.auto.commit=false if yours are such)"
    ]


def _kafkas_name(name: str) -> str:
    found = _SPRING.fullmatch(name)
    if not found:
        return name
    dotted = found["name"] if found["own"] else found["name"].replace("-", ".")
    return f"{found['client']}.{_OTHERWISE.get(dotted, dotted)}"
