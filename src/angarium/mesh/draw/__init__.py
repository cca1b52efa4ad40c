"""Drawings of meshes: SVG for people to look at, DOT and Mermaid for other tools."""

from angarium.mesh.draw.as_svg import svg
from angarium.mesh.draw.as_text import dot, mermaid
from angarium.mesh.draw.drawing import Drawing, Mark

__all__ = ["Drawing", "Mark", "dot", "mermaid", "svg"]
