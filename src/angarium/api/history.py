"""Audits from Python: what really happened, judged from recorded histories."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from angarium.api.spark import OnSpark
from angarium.core.errors import AddressError, UsageError, shortened
from angarium.core.result import Replay

if TYPE_CHECKING:
    from angarium.core.control import Tell
    from angarium.history.result import AuditResult


class AuditParameters(TypedDict, total=False):
    """What an audit is told of a broker, with the names of its options; times are texts such as "60s"."""

    message_timeout: str | None
    grace: str | None
    clock_skew: str | None
    in_flight_tail: str | None
    ack_doubt: str | None
    redelivery_within: str | None
    balance_within: str | None
    retry_limit: int | None
    single_active: Sequence[str]


_SAYABLE = {
    f"--{name.replace('_', '-')}": name
    for name in ("format", "mapping", "run", "table", *AuditParameters.__annotations__)
}
"""What an address may say beside the paths, by option."""
_NUMBER = re.compile(r"\d{1,18}", re.ASCII)


def audit(
    paths: str | Path | Sequence[str | Path] = (),
    *,
    only: Sequence[str] = (),
    format: str | None = None,  # noqa: A002 (as the option is called)
    mapping: str | Path | None = None,
    run: str | None = None,
    model: str | None = None,
    out: str | Path | None = None,
    engine: str | None = None,
    table: str | Sequence[str] = (),
    spark: OnSpark | None = None,
    observe: Tell | None = None,
    **parameters: Unpack[AuditParameters],
) -> AuditResult:
    """Audit recorded histories: was every message delivered, once, in order, in time?

    `paths` are files or folders of events, or URIs that Spark opens, and `table` names tables that it knows.
    `format` is theirs, if their names do not tell it; `mapping` is a
    file that says which columns of other tables are ours; `run` is the name of the run where events do not
    name it. With a `model`, each message's life is compared with that system's; `out` is a folder for
    tables. The parameters are message_timeout, grace, clock_skew, in_flight_tail, ack_doubt,
    redelivery_within, balance_within (texts such as "60s"), retry_limit and single_active. `observe` is
    called with a line of progress.

    `engine` is `local`, in the process, or `spark`, or `auto`: in the process if that has all that is asked,
    and room for it. Nothing said is `auto`, or `spark` where it is said where that is.
    """
    from angarium.history.asked import Asked
    from angarium.history.auditing import conduct
    from angarium.history.intake.paths import is_uri
    from angarium.history.result import Source, result_of
    from angarium.history.said import in_record, parameters_of

    named = [paths] if isinstance(paths, str | Path) else list(paths)
    tables = [table] if isinstance(table, str) else list(table)
    _refuse_nothing([*named, *tables])
    asked = Asked(
        paths=[Path(each) for each in named if not is_uri(str(each))],
        uris=[str(each) for each in named if is_uri(str(each))],
        tables=tables,
        parameters=parameters_of({**parameters, "single_active": tuple(parameters.get("single_active", ()))}),
        only=tuple(only),
        kind=format,
        mapping=_path(mapping),
        run_id=run,
        model=model,
        out=_path(out),
        engine=engine or ("spark" if spark else "auto"),
    )
    said = {"format": format, "mapping": mapping, "run": run, "table": tables, **parameters}
    source = Source([str(each) for each in named], list(_words(said)))
    found = conduct(asked, (spark or OnSpark()).place, observe)
    return result_of(found, source, in_record(asked.parameters))


def _path(name: str | Path | None) -> Path | None:
    return None if name is None else Path(name)


def _refuse_nothing(paths: Sequence[object]) -> None:
    if not paths:
        raise UsageError(
            "ANG013",
            "there is nothing to audit",
            possible="possible: files or folders of events",
            remedy="for example angarium audit recordings/",
        )


def _words(said: Mapping[str, Any]) -> Iterator[str]:
    """What was said beside the paths, as options of a command line."""
    for name, value in said.items():
        for each in value if isinstance(value, list | tuple) else [value]:
            if each is not None:
                yield from (f"--{name.replace('_', '-')}", str(each))


def replayed(address: str) -> Replay:
    """The story of a violation: its guarantee is judged again."""
    from angarium.history.result import parse_address

    asked = parse_address(address)
    if (now := asked.source.version) != asked.version:
        raise AddressError(
            "ANG031",
            "the address is of other histories, or they have grown since",
            possible=f"the address says {asked.version}, the files are now {now}",
            remedy="audit them again to get the address of the present story",
        )
    result = audit(asked.source.paths, only=[asked.guarantee], **_said(asked.source.words))
    for each in result.verdicts:
        if each.story and each.story.address == address.strip():
            return Replay(subject=asked.run_id, engine=result.engine, story=each.story)
    raise AddressError(
        "ANG032",
        f"no story of {asked.guarantee} in {asked.run_id} begins there",
        remedy="copy the address from what angarium audit finds",
    )


def _said(words: Sequence[str]) -> dict[str, Any]:
    """What options of a command line say, by the names of `audit`'s arguments.

    An address comes from somebody else: it says how files are read and judged, and nothing that is done.
    """
    said: dict[str, Any] = {}
    for flag, value in zip_longest(words[::2], words[1::2], fillvalue=""):
        name = _SAYABLE.get(flag, "")
        if not name or (name == "retry_limit" and not _NUMBER.fullmatch(value)):
            raise AddressError(
                "ANG030",
                f"the address of a history's story does not say {shortened(f'{flag} {value}')!r}",
                possible=f"possible: {', '.join(_SAYABLE)}, each with a value",
                remedy="copy it from what angarium audit finds",
            )
        if name in ("single_active", "table"):
            said.setdefault(name, []).append(value)
        else:
            said[name] = int(value) if name == "retry_limit" else value
    return said
