"""Small programs that Spark tests run in a process of their own, and what they leave behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

TIMEOUT = 600
"""Seconds: a session takes four on a machine that has nothing else to do."""


def run_python(source: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a program with these variables of the environment on top of ours."""
    return subprocess.run(
        [sys.executable, "-c", source],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        env=os.environ | variables,
        check=False,
    )


def fake_java(folder: Path, version: str, home: Path | None = None) -> Path:
    """A Java that can do nothing but say which one it is; its home."""
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    said = f"    java.home = {home or folder}\\n    java.specification.version = {version}\\n"
    program.write_text(f"#!/bin/sh\nprintf '{said}' >&2\n", encoding="utf-8")
    program.chmod(0o755)
    return folder


def processes_that_name(folder: Path) -> list[str]:
    """The command lines of running processes that name a folder."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if str(folder) in words:
            found.append(words)
    return found
