"""No importer shows a password that stands in an address of a broker's configuration."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.app.cli.running import run

EXAMPLES = Path("examples/meshes")
VERBS = (("verify", "--all"), ("verify", "--json"), ("convert",), ("draw",))


def with_passwords(text: str) -> str:
    """The same configuration, each address of which has a user and a password."""
    text = re.sub(r"([a-z-]+://)(?:[^\"'@\s/,]*@)?", r"\1me:s3cr3t@", text)
    return re.sub(r"(?m)^(\s*(?:remote_)?password\s+)\S+", r"\1s3cr3t", text)


@pytest.mark.parametrize(
    "name", ["artemis/federation", "nats/supercluster", "rabbitmq/regions", "mosquitto/ring"]
)
def test_passwords_in_addresses_are_not_shown(name: str, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(EXAMPLES / name, tmp_path / "mesh"))
    for file in folder.iterdir():
        file.write_text(with_passwords(file.read_text(encoding="utf-8")), encoding="utf-8")
    for verb, *more in VERBS:
        done = run("mesh", verb, str(folder), *more)
        assert done.exit_code in (0, 1, 3), done.output
        assert "s3cr3t" not in done.output, [line for line in done.output.splitlines() if "s3cr3t" in line]
