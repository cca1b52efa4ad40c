"""The report of a job as one HTML file.

It needs nothing else: no network, no script, no font. What is long is folded away by `<details>`, which every
browser can do by itself, and unfolded on paper. Every module makes one part of the page from the records;
texts are escaped by `elements`, where they become HTML, and nowhere else.
"""

from __future__ import annotations

from angarium.app.report.html.page import page

__all__ = ["page"]
