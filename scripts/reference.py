"""The parts of the documents that are made from the code: what `<!-- generated: NAME -->` stands for."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from pathlib import Path
from types import ModuleType

import click

import angarium
from angarium.app.cli.program import main as program
from angarium.checker.explore.native import NativeEngine
from angarium.checker.export import mermaid
from angarium.checker.frontend.build import build
from angarium.checker.language import intruder_words, time_words, vocabulary, walk_words
from angarium.checker.language.declarations import find_model
from angarium.checker.language.source import read
from angarium.checker.logic.check import check
from angarium.contracts import language as proof_language
from angarium.core import errors
from angarium.core.result import Verdict
from angarium.systems.registry import Scenario, systems
from scripts import house
from scripts.history_tables import audit_tables, event_schema, history_guarantees
from scripts.kafka_security_table import kafka_attacks, kafka_protections, kafka_security_switches
from scripts.kafka_settings import kafka_changes, kafka_names, kafka_settings
from scripts.kafka_table import kafka_guarantees
from scripts.nsq_table import nsq_stories, nsq_switches
from scripts.recovery_protocol import (
    recovery_deeds,
    recovery_envelope,
    recovery_messages,
    recovery_states,
    recovery_timing,
)

ROOT = Path(__file__).parent.parent

_SECTION = re.compile(r"# --- (?P<title>.+?) -+")


def language_words() -> str:
    """Every word of the language: its signature and its docstring, in the order of the source."""
    parts = ["## Types", *_words_in(vocabulary), "## Guarantees over time", *_words_in(time_words)]
    parts += ["## Random walks", *_words_in(walk_words), "## Intruders", *_words_in(intruder_words)]
    return "\n\n".join(parts)


def proof_words() -> str:
    """Every word with which a proof module is written."""
    return "\n\n".join(["## Words", *_words_in(proof_language, proof_language.WORDS)])


def _words_in(module: ModuleType, words: Container[str] = vocabulary.WORDS) -> list[str]:
    source = Path(module.__file__ or "").read_text(encoding="utf-8")
    titles = {number: _SECTION.match(line) for number, line in enumerate(source.splitlines(), 1)}
    found = [(line, f"## {match['title'].capitalize()}") for line, match in titles.items() if match]
    found += [(node.lineno, _word(node)) for node in ast.parse(source).body if _is_word(node, words)]
    return [text for _, text in sorted(found)]


def _is_word(node: ast.stmt, words: Container[str]) -> bool:
    is_definition = isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name in words
    return is_definition and not any(ast.unparse(each) == "overload" for each in node.decorator_list)


def _word(node: ast.ClassDef | ast.FunctionDef) -> str:
    parts = [f"### `{node.name}`", ast.get_docstring(node) or ""]
    if isinstance(node, ast.FunctionDef):
        parts.insert(1, f"```text\n{_signature(node)}\n```")
    else:
        methods = [each for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
        parts.append("\n".join(_method(each) for each in methods if not each.name.startswith("_")))
    return "\n\n".join(part for part in parts if part)


def _signature(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    arguments = ast.unparse(node.args).removeprefix("self, ").removeprefix("self")
    return f"{node.name}({arguments})"


def _method(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    before = "await " if isinstance(node, ast.AsyncFunctionDef) else ""
    names = [arg.arg for arg in node.args.args[1:]]
    return f"- `{before}{node.name}({', '.join(names)})`: {ast.get_docstring(node)}"


ENTRANCES = """check verify recover audit prove conform run simulate replay refine watch state_machine
    record_of result_of""".split()
"""The functions that `import angarium` offers, in the order in which a newcomer needs them."""


def python_functions() -> str:
    """The functions that a program calls."""
    functions = [getattr(angarium, name) for name in ENTRANCES]
    return "\n\n".join(
        f"## `angarium.{each.__name__}`\n\n```text\n{_call(each)}\n```\n\n{inspect.getdoc(each)}"
        for each in functions
    )


def _call(function: Callable[..., object]) -> str:
    signature = inspect.signature(function)
    arguments = "\n".join(f"    {each}," for each in _arguments(signature.parameters.values()))
    return f"{function.__name__}(\n{arguments}\n) -> {signature.return_annotation}"


def _arguments(parameters: Iterable[inspect.Parameter]) -> Iterator[str]:
    star = False
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            star = True
            yield "*"
        yield str(parameter).replace("'", "")


def verbs() -> str:
    """The help of the program and of every verb, and of the verbs of a verb."""
    return "\n\n".join(_help(program, "angarium", _context(program, "angarium")))


def _help(command: click.Command, name: str, context: click.Context) -> Iterator[str]:
    yield f"## {name}\n\n```text\n{command.get_help(context)}\n```"
    if isinstance(command, click.Group):
        for verb in command.list_commands(context):
            below = command.get_command(context, verb)
            assert below is not None, verb
            yield from _help(below, f"{name} {verb}", _context(below, verb, context))


def _context(command: click.Command, name: str, parent: click.Context | None = None) -> click.Context:
    """As when the command is called, on a terminal of 80 columns."""
    settings = {**command.context_settings, "terminal_width": 80}
    return click.Context(command, parent=parent, info_name=name, **settings)


def error_codes() -> str:
    """The tree of errors and the table of codes."""
    tree = inspect.cleandoc(errors.__doc__ or "").split("\n\n")[1]
    rows = [(f"`{code}`", meaning) for code, meaning in errors.CODES.items()]
    drawn = "\n".join(line.removeprefix("    ") for line in tree.splitlines())
    return f"```text\n{drawn}\n```\n\n{_table(('code', 'meaning'), rows)}"


def systems_in_short() -> str:
    """One row a system: its largest scenario."""
    rows = []
    for system in systems().values():
        largest = max(system.scenarios, key=lambda scenario: scenario.states)
        rows.append((f"`{system.name}`", system.decl.description, *_row(largest)))
    return _table(("system", "what it is", *_COLUMNS), rows)


def systems_in_full() -> str:
    """Every scenario of every system."""
    parts = []
    for system in systems().values():
        rows = [_row(scenario) for scenario in system.scenarios]
        about = inspect.cleandoc(ast.get_docstring(system.decl.module.tree) or "")
        parts += [f"## {system.name}", about, f"Source: {system.source}.", _table(_COLUMNS, rows)]
    return "\n\n".join(parts)


def duplicate_story() -> str:
    """The story of the at-least-once queue's duplicate, as a diagram."""
    subject = "examples/at_least_once.py"
    model = build(find_model(read(str(ROOT / subject))), {})
    report = check(model, engine=NativeEngine(), subject=subject, only=["no-duplicates"])
    story = next(each.story for each in report.verdicts if each.story)
    return f"```mermaid\n{mermaid.render(story)}```"


_COLUMNS = ("parameters", "states", "with symmetry", "transitions", "depth", "verdicts")


def _row(scenario: Scenario) -> tuple[str, ...]:
    """What is expected of a scenario; tests search each one and find just that."""
    return (
        ", ".join(f"{name}={value}" for name, value in scenario.parameters.items()),
        f"{scenario.states:,}",
        f"{scenario.symmetric_states:,}" if scenario.symmetric_states else "",
        f"{scenario.transitions:,}",
        str(scenario.depth),
        _verdicts(scenario),
    )


def _verdicts(scenario: Scenario) -> str:
    """The guarantees by verdict: `holds: type-ok, no-loss`."""
    groups = {
        verdict.value: [name for name, said in scenario.verdicts.items() if said == verdict.value]
        for verdict in Verdict
    }
    return "; ".join(f"{verdict}: {', '.join(names)}" for verdict, names in groups.items() if names)


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    def lines() -> Iterator[str]:
        yield f"| {' | '.join(header)} |"
        yield f"|{'---|' * len(header)}"
        for row in rows:
            yield f"| {' | '.join(row)} |"

    return "\n".join(lines())


GENERATORS: dict[str, Callable[[], str]] = {
    "house": house.table,
    "language": language_words,
    "proof-words": proof_words,
    "python": python_functions,
    "verbs": verbs,
    "errors": error_codes,
    "duplicate-story": duplicate_story,
    "systems-in-short": systems_in_short,
    "systems-in-full": systems_in_full,
    "kafka-settings": kafka_settings,
    "kafka-names": kafka_names,
    "kafka-changes": kafka_changes,
    "kafka-guarantees": kafka_guarantees,
    "kafka-protections": kafka_protections,
    "kafka-security-switches": kafka_security_switches,
    "kafka-attacks": kafka_attacks,
    "nsq-switches": nsq_switches,
    "nsq-stories": nsq_stories,
    "recovery-states": recovery_states,
    "recovery-deeds": recovery_deeds,
    "recovery-timing": recovery_timing,
    "recovery-messages": recovery_messages,
    "recovery-envelope": recovery_envelope,
    "event-schema": event_schema,
    "history-guarantees": history_guarantees,
    "audit-tables": audit_tables,
}
