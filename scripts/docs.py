"""Bring the documents up to date with the code: `python -m scripts.docs`, or with `--check` only look.

Every document (README.md and docs/) may have three kinds of parts that are not written by hand:

    <!-- include: examples/at_least_once.py -->     and a fenced block: that file, verbatim
    <!-- generated: systems -->  ...  <!-- end -->   what the function of that name in GENERATORS says
    ```console                                       commands behind `$`, and what they print

Commands run in bash, in a folder of their own with a copy of examples/. What they write to standard output is
shown, or if that is nothing, what they write to standard error. An exit code that is not 0 must be announced:
`[exit code 1]`, behind the output. Times, speeds and amounts of memory differ from run to run: they are
compared after being replaced by `#`, and what is written stays. The pictures in docs/pictures/ are drawn by
commands as well, that of the house from the imports; and the schema of records is made from the types.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from angarium.app.report.record import SCHEMA_FILE, results_schema
from scripts import house, simulation_pictures
from scripts.reference import GENERATORS

ROOT = Path(__file__).parent.parent

_INCLUDE = re.compile(
    r"(<!-- include: (?P<file>\S+) -->\n```(?P<kind>\w*)\n)(?P<old>.*?)(?=^```$)", re.M | re.S
)
_GENERATED = re.compile(r"(<!-- generated: (?P<name>\S+) -->\n)(?P<old>.*?)(?=<!-- end -->)", re.M | re.S)
_CONSOLE = re.compile(r"(?<=^```console\n)(?P<block>.*?)(?=^```$)", re.M | re.S)
_VOLATILE = (
    (re.compile(r"^Took .*?\.$", re.M | re.S), "Took #."),
    (re.compile(r"(?:\d+ min )?\d[\d,.]* ?(?:[kMG] )?(?:ms|s|states/s|[KMGT]?i?B|bytes)\b"), "#"),
    (re.compile(r'("(?:seconds|cpu_seconds|bytes|bytes_per_state|threads)": )[\d.e-]+'), r"\1#"),
    (re.compile(r"\d+ threads?\b"), "# threads"),
)


def documents() -> list[Path]:
    """Every document of the project."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md"))]


def refreshed(text: str) -> str:
    """A document as it should be now."""
    text = _INCLUDE.sub(lambda found: found[1] + (ROOT / found["file"]).read_text(encoding="utf-8"), text)
    text = _GENERATED.sub(lambda found: f"{found[1]}\n{generated(found['name'])}\n", text)
    if not _CONSOLE.search(text):
        return text
    with workshop() as folder:
        return _CONSOLE.sub(lambda found: _rerun(found["block"], folder), text)


@lru_cache
def generated(name: str) -> str:
    """A part that is made from the code."""
    return GENERATORS[name]().strip() + "\n"


@contextmanager
def workshop() -> Iterator[Path]:
    """A folder in which commands may be run."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(
            ROOT / "examples", Path(folder) / "examples", ignore=shutil.ignore_patterns("__pycache__")
        )
        yield Path(folder)


def commands(block: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with what it is said to print."""
    parts = re.split(r"^\$ ", block, flags=re.M)
    return [(command, output) for command, _, output in (_split(part) for part in parts[1:])]


def _split(part: str) -> tuple[str, str, str]:
    """A command may go on over several lines that end in a backslash."""
    end = re.search(r"(?<!\\)\n", part)
    return (part[: end.start()], "\n", part[end.end() :]) if end else (part, "", "")


def _rerun(block: str, folder: Path) -> str:
    return "".join(f"$ {command}\n{_output(command, said, folder)}" for command, said in commands(block))


def _output(command: str, said: str, folder: Path) -> str:
    """What the command prints now, or what the document says if that is the same but for what varies."""
    now = run(command, folder)
    if _exit_code(now) != _exit_code(said):
        raise ValueError(f"{command}: the document expects exit code {_exit_code(said)}, but:\n{now}")
    gap = "\n" if said.endswith("\n\n") else ""
    return said if steady(now) == steady(said) else now + gap


def _exit_code(output: str) -> str:
    found = re.search(r"^\[exit code (\d+)\]\s*\Z", output, re.M)
    return found[1] if found else "0"


def run(command: str, folder: Path) -> str:
    """What a command prints; its exit code, if not 0, in the last line."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "COLUMNS": "80", "NO_COLOR": "1"}
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    text = (done.stdout.strip() and done.stdout) or done.stderr
    return (text.rstrip() + "\n" if text.strip() else "") + (
        f"[exit code {done.returncode}]\n" if done.returncode else ""
    )


def steady(text: str) -> str:
    """Text without what differs from run to run."""
    for pattern, instead in _VOLATILE:
        text = pattern.sub(instead, text)
    return re.sub(r" +", " ", text).strip()


def main(words: list[str]) -> int:
    """Rewrite what is not up to date, or with `--check` only say what that is."""
    stale = [path for path in documents() if _refresh(path, write="--check" not in words)]
    stale += _redraw(write="--check" not in words)
    for path in stale:
        print(f"{'stale' if '--check' in words else 'rewritten'}: {path.relative_to(ROOT)}")
    return 1 if stale and "--check" in words else 0


def _refresh(path: Path, *, write: bool) -> bool:
    before = path.read_text(encoding="utf-8")
    after = refreshed(before)
    if write and after != before:
        path.write_text(after, encoding="utf-8")
    return after != before


def stale_schema() -> dict[Path, str]:
    """The JSON Schema that is shipped, with what it should be, if the types say something else now."""
    text = json.dumps(results_schema(), indent=2) + "\n"
    known = SCHEMA_FILE.read_text(encoding="utf-8") if SCHEMA_FILE.exists() else ""
    return {} if known == text else {SCHEMA_FILE: text}


def _redraw(*, write: bool) -> list[Path]:
    folder = ROOT / "docs" / "pictures"
    pictures = simulation_pictures.stale(folder) | house.stale(folder) | stale_schema()
    for path, text in pictures.items():
        if write:
            path.write_text(text, encoding="utf-8")
    return list(pictures)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
