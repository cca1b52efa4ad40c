"""Work that cannot be interrupted, done by a process of its own, which can be ended.

The process gets bytes and gives bytes. It ends with whoever started it, however that ends, because its
standard input ends then; and it does not hear a Ctrl-C that is meant for the other.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import suppress
from importlib import import_module
from typing import NoReturn

_PROGRAM = "import sys; sys.path[:] = sys.argv[2:]; import {0} as it; it.answer(sys.argv[1])"
_LENGTH = 8


def apart(function: str, given: bytes) -> bytes:
    """What `MODULE:FUNCTION` gives for some bytes, in another process; MemoryError if that has ended."""
    program = [sys.executable, "-c", _PROGRAM.format(__name__), function, *sys.path]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        program, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, process_group=0
    ) as process:
        assert process.stdin
        try:
            return _asked(process, given)
        except BrokenPipeError:
            raise MemoryError from None
        finally:
            process.kill()
            with suppress(BrokenPipeError):
                process.stdin.close()


def _asked(process: subprocess.Popen[bytes], given: bytes) -> bytes:
    assert process.stdin and process.stdout
    process.stdin.write(len(given).to_bytes(_LENGTH) + given)
    process.stdin.flush()
    length = process.stdout.read(_LENGTH)
    answer = process.stdout.read(int.from_bytes(length))
    if len(length) < _LENGTH or len(answer) < int.from_bytes(length):
        raise MemoryError
    return answer


def answer(function: str) -> NoReturn:
    """The other process: read what is given, write what is made of it, and end."""
    given = sys.stdin.buffer.read(int.from_bytes(sys.stdin.buffer.read(_LENGTH)))
    threading.Thread(target=_end_with_input, daemon=True).start()
    module, name = function.split(":")
    made = getattr(import_module(module), name)(given)
    sys.stdout.buffer.write(len(made).to_bytes(_LENGTH) + made)
    sys.stdout.buffer.flush()
    os._exit(0)


def _end_with_input() -> NoReturn:
    sys.stdin.buffer.read()
    os._exit(1)
