"""Files: what is no file is refused before it is read, what is read has a bound, what is written is whole."""

from __future__ import annotations

import ast
import io
import os
import re
import socket
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from angarium.core import files
from tests.processes import is_running, running
from tests.test_repository import PACKAGE, SOURCES
from tests.waiting import wait_until

STRANGE = ("pipe", "device", "socket", "folder", "nothing")
WORDS = {
    "pipe": "it is a pipe, and no file",
    "device": "it is a device, and no file",
    "socket": "it is a socket, and no file",
    "folder": "Is a directory",
    "nothing": "No such file or directory",
}


@pytest.fixture
def strange(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Something that is no file."""
    place = tmp_path / "strange"
    match request.param:
        case "pipe":
            os.mkfifo(place)
        case "device":
            place.symlink_to("/dev/zero")
        case "folder":
            place.mkdir()
        case "socket":
            with socket.socket(socket.AF_UNIX) as listener:
                listener.bind(str(place))
    return place


@pytest.mark.parametrize(("strange", "kind"), [(each, each) for each in STRANGE], indirect=["strange"])
def test_what_is_no_file_is_refused_with_the_reason(strange: Path, kind: str) -> None:
    for read in (files.opened, files.read_bytes, files.read_text, lambda path: files.head(path, 4)):
        with pytest.raises(OSError, match=WORDS[kind]):
            read(strange)


def test_a_file_is_read_up_to_its_bound(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"a\r\nb\rc")
    assert files.read_bytes(path, 6) == b"a\r\nb\rc"
    assert files.read_text(path) == "a\nb\nc"
    assert files.head(path, 2) == b"a\r"
    with pytest.raises(files.TooLargeError, match="it is larger than 5 bytes"):
        files.read_bytes(path, 5)


def test_a_stream_is_read_up_to_its_bound() -> None:
    assert files.bounded(io.BytesIO(b"four"), 4) == b"four"
    with open("/dev/zero", "rb") as endless, pytest.raises(files.TooLargeError, match="larger than 1 MiB"):
        files.bounded(endless, 1 << 20)


def test_who_has_nothing_to_read_yet_is_not_waited_for() -> None:
    """As the log of the system, which is a regular file that keeps its readers waiting."""
    ours, its = os.pipe()
    os.set_blocking(ours, False)
    with os.fdopen(ours, "rb") as stream, os.fdopen(its, "wb"), pytest.raises(OSError, match="nothing in it"):
        files.bounded(stream)


def test_who_is_confined_to_a_folder_opens_nothing_outside_of_it(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    for folder in (inside, outside):
        folder.mkdir()
        (folder / "file").write_text("text")
    (inside / "link").symlink_to(outside / "file")
    with files.confined(inside):
        assert files.read_text(inside / ".." / "in" / "file") == "text"
        for path in (outside / "file", inside / "link", inside / ".." / "out" / "file"):
            with pytest.raises(OSError, match="it lies outside of the folder"):
                files.read_text(path)
    assert files.read_text(inside / "link") == "text"


def test_a_name_that_no_file_can_have_is_refused() -> None:
    with pytest.raises(OSError, match="NUL"):
        files.read_bytes("a\0b")


# --- writing -----------------------------------------------------------------------------------------


def test_a_file_is_replaced_whole_and_keeps_its_rights(tmp_path: Path) -> None:
    path = tmp_path / "file"
    files.write(path, "old")
    path.chmod(0o640)
    files.write(path, "new")
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("new", 0o640)
    assert list(tmp_path.iterdir()) == [path]


def half(path: Path) -> None:
    """Write a part of a file, and fail."""
    with files.replacing(path) as beside:
        beside.write_text("half")
        raise OSError("full")


def test_a_file_that_cannot_be_finished_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    with pytest.raises(OSError, match="full"):
        half(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_what_killed_writers_left_is_removed_and_what_others_write_is_not(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with running(["true"]) as writer:
        wait_until("its end is not noted", lambda: not is_running(writer.pid))
        left = tmp_path / f".file.{writer.pid}.0123abcd"
        left.touch()
        with files.replacing(path) as beside:
            files.write(path, "text")
            assert beside.exists() and not left.exists()
    assert list(tmp_path.iterdir()) == [path]


def test_what_a_link_leads_to_is_replaced_and_not_the_link(tmp_path: Path) -> None:
    path, link = tmp_path / "file", tmp_path / "link"
    path.write_text("old")
    link.symlink_to(path)
    files.write(link, "new")
    assert link.is_symlink() and path.read_text() == "new"


def test_a_name_as_long_as_names_may_be_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("é" * 127)
    files.write(path, "text")
    assert path.read_text() == "text"


def test_into_a_device_is_written_and_it_stays_one(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("/dev/null")
    files.write(link, "text")
    assert link.is_symlink() and stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_a_pipe_that_is_read_gets_what_is_written(tmp_path: Path) -> None:
    path, heard = tmp_path / "pipe", list[bytes]()
    os.mkfifo(path)
    listener = threading.Thread(target=lambda: heard.append(path.read_bytes()), daemon=True)
    listener.start()
    wait_until("somebody reads from the pipe", lambda: is_written(path, b"x" * 200_000))
    listener.join()
    assert heard == [b"x" * 200_000]
    assert stat.S_ISFIFO(path.stat().st_mode)


def is_written(path: Path, content: bytes) -> bool:
    """Whether it could be written; not, if nobody reads."""
    try:
        files.write(path, content)
    except OSError:
        return False
    return True


def test_a_pipe_that_nobody_reads_keeps_nobody_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="nobody reads from this pipe"):
        files.write(tmp_path / "pipe", "text")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_an_open_file_without_a_name_is_written_into(tmp_path: Path) -> None:
    with open(tmp_path / "gone", "w+b") as file:
        (tmp_path / "gone").unlink()
        files.write(f"/proc/self/fd/{file.fileno()}", "text")
        file.seek(0)
        assert file.read() == b"text"
    assert list(tmp_path.iterdir()) == []


# --- nobody else reads files -------------------------------------------------------------------------

OTHERS = {
    "core/files.py": "the reader itself",
    "app/cli/output.py": "opens /dev/null",
    "native/jit.py": "the package's own sources",
    "app/report/html/page.py": "the package's own style sheet",
    "app/web/reports.py": "the same",
    "spark/scratch.py": "locks of its own",
    "core/cache.py": "the user's own key, which nobody else could write",
    "core/addresses.py": "the process's own figures, from the system",
    "app/web/workers.py": "the same, of a process that it has started",
    "mesh/files/management.py": "asks a management over the network, up to a bound",
    "checker/explore/spark/levels.py": "Parquet that a search itself has written",
    "checker/explore/spark/stored.py": "the same",
    "checker/explore/spark/visited.py": "a table of its own, in memory that is mapped",
    "history/live/folder.py": "cuts its own alerts back",
    "history/live/sources.py": "cuts its own journal back",
    "history/live/written.py": "Parquet that it has written itself",
    "history/intake/other_tables.py": "Parquet from a file that is opened already",
    "history/intake/parquet.py": "the same",
    "history/recorders/journals.py": "mends its own journals",
    "history/recorders/writer.py": "writes its own journals",
}
READERS = {
    "open",
    "read_text",
    "read_bytes",
    "ParquetFile",
    "read_table",
    "read_json",
    "fromfile",
    "load_npz",
}


def test_nobody_else_reads_files() -> None:
    found = {str(path.relative_to(PACKAGE)) for path in SOURCES if list(_reads(path))}
    assert found <= set(OTHERS), "these read files without a bound: use angarium.core.files"
    assert found == set(OTHERS), "these need no exception"


def _reads(path: Path) -> Iterator[str]:
    """The calls in a module that open or read a file, but for those that only write."""
    text = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text if re.search(rf"\b(?:{'|'.join(READERS)})\(", text) else "")):
        if isinstance(node, ast.Call) and _name(node.func) in READERS and not _only_writes(node):
            if not _is_ours(node.func):
                yield ast.unparse(node)


def _name(function: ast.expr) -> str:
    return getattr(function, "attr", getattr(function, "id", ""))


def _only_writes(call: ast.Call) -> bool:
    words = [
        each.value for each in call.args if isinstance(each, ast.Constant) and isinstance(each.value, str)
    ]
    return any(word in ("w", "wb", "a", "ab", "x", "w+b") for word in words)


def _is_ours(function: ast.expr) -> bool:
    """Of `angarium.core.files`, imported as a module or by name; or a method of a model's."""
    if isinstance(function, ast.Name):
        return function.id != "open"
    return ast.unparse(function) in ("files.read_text", "files.read_bytes", "self.open")
