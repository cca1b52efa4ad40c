"""Standard output is ours: what somebody else's code writes there goes to standard error instead.

A record in JSON must not have a queue's own lines in between. Python's own `print` is sent aside, and so is
what other programs write that the code starts, by the number of the file.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout

_OUTPUT, _ERRORS = 1, 2


@contextmanager
def output_aside() -> Iterator[None]:
    """Send whatever the block writes on standard output to standard error."""
    sys.stdout.flush()
    kept = os.dup(_OUTPUT)
    os.dup2(_ERRORS, _OUTPUT)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(kept, _OUTPUT)
        os.close(kept)
