"""What can be explored: bundled systems, and models and meshes in the page's folder.

A subject is named as on the command line: `nsq`, `queue.py`, `queue.py:Class`, `overlay:mesh.yaml`; files are
looked for in the folder only. A model is read and compiled, and never run as Python; it may import what lies
in the folder, too. The same names stand in the addresses of stories, so that `angarium replay`, called in the
folder, understands them.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from angarium.app.report.catalogue import KINDS, about
from angarium.app.web.files import MESHES, MODELS, Folder
from angarium.checker.frontend.build import build
from angarium.checker.frontend.parameters import as_setting, elaborate
from angarium.checker.ir.transition import TransitionSystem
from angarium.checker.ir.types import Bool, Enumeration, Scalar
from angarium.checker.language.declarations import ModelDecl, ParameterDecl
from angarium.core import files
from angarium.core.errors import WebError, did_you_mean
from angarium.core.result import setting_text
from angarium.mesh.as_model.subject import OVERLAY, find
from angarium.systems.registry import systems

_OURS = re.compile(r"^(?:from|import) angarium\b", re.MULTILINE)
_MODEL = re.compile(r"^class (\w+)\((?:\w+\.)?Model\)", re.MULTILINE)
_HEAD = 20_000
"""Bytes of a Python file in which a model's words must stand."""


def every(folder: Folder) -> dict[str, Any]:
    """All subjects: bundled ones with what they are, and files."""
    bundled = [
        {"name": each.name, "description": _line(each.decl), "source": each.source}
        for each in systems().values()
    ]
    meshes = [f"{OVERLAY}:{name}" for name in folder.names(MESHES)]
    models = [model for name in folder.names(MODELS) for model in _models(folder, name)]
    return {"bundled": bundled, "models": models, "meshes": meshes}


def _line(decl: ModelDecl) -> str:
    return " ".join(decl.description.split())


def _models(folder: Folder, name: str) -> list[str]:
    """What a file seems to have: asked of every file of a folder, so it is not compiled for that."""
    head = files.head(folder.file(name, MODELS), _HEAD).decode("utf-8", "replace")
    found = _MODEL.findall(head) if _OURS.search(head) else []
    return [f"{name}:{each}" for each in found] if len(found) > 1 else [name] * len(found)


def located(folder: Folder, subject: str) -> str:
    """The subject with the places of its files: what can be loaded."""
    if subject in systems():
        return subject
    system, colon, mesh = subject.partition(":")
    if system == OVERLAY and colon:
        return f"{OVERLAY}:{folder.file(mesh, MESHES)}"
    path, ending, name = subject.partition(".py:")
    if ending:
        return f"{folder.file(f'{path}.py', MODELS)}:{name}"
    if subject.endswith(MODELS):
        return str(folder.file(subject, MODELS))
    raise WebError(
        "ANG153",
        f"there is no system named {subject!r}",
        possible=did_you_mean(subject, systems()),
        remedy="give one of these names, or a Python file with a model in the folder",
        status=404,
    )


def load(folder: Folder, subject: str, settings: Mapping[str, str]) -> TransitionSystem:
    """The transition system of a subject; a file is read anew each time, because people change it."""
    if subject in systems():
        return _bundled(subject, tuple(sorted(settings.items())))
    return build(find(located(folder, subject), folder.root), settings)


@lru_cache(maxsize=32)
def _bundled(name: str, settings: tuple[tuple[str, str], ...]) -> TransitionSystem:
    return build(find(name), dict(settings))


# --- one subject ------------------------------------------------------------------------------


def described(folder: Folder, subject: str) -> dict[str, Any]:
    """What somebody who wants to explore a subject needs to know."""
    where = located(folder, subject)
    decl, told = find(where, folder.root), about(where, folder.root)
    return {
        "subject": subject,
        "description": told.description,
        "source": told.source,
        "parameters": _parameters(decl),
        "guarantees": [
            {"guarantee": each.name, "when": KINDS[each.kind], "description": each.description}
            for each in told.guarantees
        ],
    }


def _parameters(decl: ModelDecl) -> list[dict[str, Any]]:
    found, comments = elaborate(decl, {}).parameters, _comments(decl)
    descriptions = {each.name: comments.get(each.name, "") for each in decl.parameters}
    return [
        {
            "name": name,
            "default": setting_text(as_setting(value)),
            "description": descriptions[name],
            **_possible(value.type),
        }
        for name, value in found.items()
    ]


def _possible(type_: Scalar) -> dict[str, Any]:
    if isinstance(type_, Bool):
        return {"choices": ["true", "false"]}
    if isinstance(type_, Enumeration):
        return {"choices": [member.lower().replace("_", "-") for member in type_.members]}
    return {"low": type_.low, "high": type_.high}


def _comments(decl: ModelDecl) -> dict[str, str]:
    """What models say of their parameters: the comment in the line of each."""
    tokens = tokenize.generate_tokens(io.StringIO(decl.module.text).readline)
    by_line = {each.start[0]: each.string.lstrip("# ") for each in tokens if each.type == tokenize.COMMENT}
    lines = decl.module.text.splitlines()
    return {
        each.name: by_line.get(each.call.end_lineno or 0, "")
        for each in decl.parameters
        if _is_in(each, lines)
    }


def _is_in(parameter: ParameterDecl, lines: list[str]) -> bool:
    """Whether a parameter stands in these lines, and not in those of a file from which the model inherits."""
    number = parameter.call.lineno
    return number <= len(lines) and lines[number - 1].lstrip().startswith(parameter.name)
