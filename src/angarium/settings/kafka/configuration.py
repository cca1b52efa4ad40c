"""The settings that count, each with where it comes from.

What `--set` says counts before what files say, a topic's value before its broker's, a later file before an
earlier one. What nobody sets is Kafka's default; a few of these depend on other settings, and are worked out
here as Kafka's clients work them out: idempotence, for example, is on by default but off when acks=1 is set.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from angarium.core.errors import SettingsError
from angarium.settings.kafka.catalogue import CATALOGUE, SETTINGS, SHORT, named, plain
from angarium.settings.kafka.contradictions import contradictions, remarks
from angarium.settings.kafka.known_names import is_known
from angarium.settings.kafka.operator_files import given, read_files
from angarium.settings.setting import OVERRIDE, Given, Resolved, Scope, Setting, together

Values = Mapping[str, Resolved]

CHANGE = "changed"


@dataclass(frozen=True, slots=True)
class Configuration:
    """Every setting of the catalogue with its value, and what there is to say about them."""

    values: Values
    ignored: tuple[str, ...]
    """Names that Kafka does not know, with their places: plug-ins have their own."""
    remarks: tuple[str, ...]
    """What an operator should know: what has no effect, and what is assumed."""
    given: tuple[Given, ...]
    found: tuple[str, ...]
    """The remarks on the files alone."""

    def with_changes(self, changes: Mapping[str, str]) -> Configuration:
        """The same with some settings changed; an error, if Kafka would not start with that."""
        changed = tuple(_override(name, value, CHANGE) for name, value in changes.items())
        return _resolve((*self.given, *changed), self.ignored, self.found)


def configuration(files: Sequence[Path], overrides: Mapping[str, str]) -> Configuration:
    """What the files and then the overrides say. Everything that is wrong is told together."""
    errors: list[SettingsError] = []
    set_by_hand = _set_by_hand(overrides, errors)
    reading = read_files(files, {each.setting.name for each in set_by_hand})
    errors += reading.errors
    if errors:
        raise together(errors)
    differing = _differing(reading.given)
    return _resolve((*reading.given, *set_by_hand), tuple(reading.ignored), (*reading.remarks, *differing))


def _set_by_hand(overrides: Mapping[str, str], errors: list[SettingsError]) -> list[Given]:
    """What the overrides give. Of two names for one setting nobody can say which counts."""
    names: dict[str, str] = {}
    found: list[Given] = []
    for name, value in overrides.items():
        try:
            given_now = _override(name, value, OVERRIDE)
            first = names.setdefault(given_now.setting.name, name)
            if first != name:
                raise _given_twice(given_now.setting, f"{first}={overrides[first]}", f"{name}={value}")
            found.append(given_now)
        except SettingsError as error:
            errors.append(error)
    return found


def _given_twice(setting: Setting, first: str, second: str) -> SettingsError:
    return SettingsError(
        "ANG063",
        f"--set gives {setting.name} twice: {first} and {second}",
        possible=f"both are names of {setting.name}, which has one value",
        remedy="leave one of them out",
    )


def find_setting(name: str) -> Setting:
    """The setting that is meant by a name on a command line."""
    words = plain(name)
    for prefix in ("producer.", "consumer.", "topic.", "broker."):
        rest = words.removeprefix(prefix)
        if named(words) is None and rest != words and named(rest):
            words = rest
    setting = named(SHORT.get(words, words))
    if setting:
        return setting
    if is_known(words):
        raise SettingsError(
            "ANG061",
            f"{name} does not bear on delivery: whatever it is, nothing changes",
            possible=f"possible: {', '.join(sorted(SETTINGS))}",
            remedy="leave it out",
        )
    near = get_close_matches(words, [*SETTINGS, *SHORT], n=1)
    raise SettingsError(
        "ANG061",
        f"there is no setting {name}",
        possible=f"did you mean {near[0]}?" if near else f"possible: {', '.join(sorted(SETTINGS))}",
        remedy="write a name of Kafka's; dots, dashes and underscores are the same",
    )


def _override(name: str, value: str, origin: str) -> Given:
    setting = find_setting(name)
    return given(setting, setting.scopes[0], value, origin)


def _differing(all_given: Sequence[Given]) -> list[str]:
    """Settings of which several files say different things to the same reader."""
    groups: dict[tuple[str, Scope], list[Given]] = {}
    for each in all_given:
        groups.setdefault((each.setting.name, each.scope), []).append(each)
    return [
        f"{name} is {', then '.join(f'{each.value} ({each.origin})' for each in group)}: the last counts"
        for (name, _), group in groups.items()
        if len({each.value for each in group}) > 1
    ]


def _resolve(all_given: tuple[Given, ...], ignored: tuple[str, ...], found: tuple[str, ...]) -> Configuration:
    values: dict[str, Resolved] = {}
    for setting in CATALOGUE:
        values[setting.name] = _value(setting, all_given, values)
    for name, default in _DEPENDENT.items():
        if not values[name].given:
            values[name] = default(values) or values[name]
    wrong = contradictions(values)
    if wrong:
        raise together(wrong)
    return Configuration(values, ignored, (*found, *remarks(values)), all_given, found)


def _value(setting: Setting, all_given: Sequence[Given], values: Values) -> Resolved:
    """The last value of the strongest scope, or what is inherited, or the default."""
    ours = [each for each in all_given if each.setting is setting]
    for scope in setting.scopes:
        last = next((each for each in reversed(ours) if each.scope is scope), None)
        if last:
            return Resolved(last.value, last.origin, True, last.place)
    inherited = values.get(setting.inherits)
    if inherited and inherited.given:
        return Resolved(inherited.value, f"{inherited.origin}, {setting.inherits}", True, inherited.place)
    return Resolved(setting.default, "default")


# --- defaults that depend on other settings ---------------------------------------------------------


def _because(value: str, reason: str) -> Resolved:
    return Resolved(value, f"default, because {reason}")


def _idempotence(values: Values) -> Resolved | None:
    """Kafka turns it off without an error if something rules it out and nobody has asked for it."""
    if values["acks"].value != "all":
        return _because("false", f"acks={values['acks'].value}")
    if values["retries"].value == "0":
        return _because("false", "retries=0")
    return None


def _delivery_timeout(values: Values) -> Resolved | None:
    """Kafka raises it, with a warning, if nobody has set it."""
    least = int(values["linger.ms"].value) + int(values["request.timeout.ms"].value)
    if least <= int(values["delivery.timeout.ms"].value):
        return None
    return _because(str(least), "it must be at least linger.ms + request.timeout.ms")


def _auto_commit(values: Values) -> Resolved | None:
    """Who says when the application commits says that the application does it."""
    said = [name for name in ("commit", "commit.on.revoke") if values[name].given]
    if not said or values["enable.auto.offset.store"].value == "true":
        return None
    return _because("false", f"{said[0]} is set")


def _commit(values: Values) -> Resolved | None:
    stores, commits = values["enable.auto.offset.store"].value, values["enable.auto.commit"].value
    handed_over = (stores, commits) == ("true", "true")
    return _because("any-time", "enable.auto.offset.store=true") if handed_over else None


def _commit_on_revoke(values: Values) -> Resolved | None:
    return (
        _because("true", "enable.auto.commit=true") if values["enable.auto.commit"].value == "true" else None
    )


def _brokers(values: Values) -> Resolved | None:
    replicas = values["replication.factor"].value
    return _because(replicas, f"replication.factor={replicas}") if int(replicas) > 3 else None


_DEPENDENT: dict[str, Callable[[Values], Resolved | None]] = {
    "enable.idempotence": _idempotence,
    "delivery.timeout.ms": _delivery_timeout,
    "enable.auto.commit": _auto_commit,
    "commit": _commit,
    "commit.on.revoke": _commit_on_revoke,
    "brokers": _brokers,
}
