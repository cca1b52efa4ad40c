"""Meshes from texts, for tests of mesh files."""

from __future__ import annotations

from textwrap import dedent

import pytest

from angarium.core.errors import InputError
from angarium.mesh.files.nodes import source_of
from angarium.mesh.files.yaml_file import mesh_of
from angarium.mesh.mesh import Mesh

FILE = "mesh.yaml"


def mesh(text: str) -> Mesh:
    """The mesh of an indented text."""
    return mesh_of(source_of(FILE, dedent(text)))


def refusal(text: str) -> InputError:
    """The error that a text makes."""
    with pytest.raises(InputError) as caught:
        mesh_of(source_of(FILE, text))
    return caught.value
