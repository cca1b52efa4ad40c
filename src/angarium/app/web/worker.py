"""The process that computes for the page: one question after the other, from standard input.

A question is a function with its arguments; the answer is what it gives or raises. Both are pickled behind
eight bytes with their length. Whoever asks is the page, which has started this process, so what it sends is
believed. The process ends when its input does, or when the page dies; Ctrl-C is the page's affair.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import IO, Any

from angarium.app.pipeline.worker import end_with_parent
from angarium.core.errors import InputError, WebError

HEAD = 8
"""Bytes of a length."""
READY = b"."
"""What a worker writes when it has loaded all that it needs."""
Question = tuple[Callable[..., object], Sequence[object]]


def send(pipe: IO[bytes], what: object) -> None:
    """Write a question or an answer."""
    message = pickle.dumps(what)
    pipe.write(len(message).to_bytes(HEAD) + message)
    pipe.flush()


def main() -> None:
    """Answer until nobody asks."""
    end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever else is printed is no answer
    _load()
    answers.write(READY)
    answers.flush()
    while len(head := sys.stdin.buffer.read(HEAD)) == HEAD:
        function, given = pickle.loads(sys.stdin.buffer.read(int.from_bytes(head)))
        send(answers, _answer(function, given))


def _load() -> None:
    """Everything that questions are about, before the first of them waits for it."""
    from angarium.app.web import explore, mesh, reports  # noqa: F401


def _answer(function: Callable[..., Any], given: Sequence[object]) -> tuple[bool, object]:
    """Whether a function came to its end, and what it gave or raised."""
    try:
        return True, function(*given)
    except InputError as problem:
        return False, problem
    except (MemoryError, RecursionError):
        what = "this needs more memory, or is nested more deeply, than there is room for"
        return False, WebError("ANG154", what, remedy="ask for less", status=422)
    except Exception as problem:
        traceback.print_exc()
        return False, type(problem).__name__


if __name__ == "__main__":
    main()
