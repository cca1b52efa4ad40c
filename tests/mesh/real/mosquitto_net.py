"""Mosquitto brokers on loopback, and random small configurations of them.

A configuration is a text for each broker, in which `<hub>` stands for the address of `hub`, and comments that
begin with `#acl` have the lines of its list of rights.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from random import Random
from subprocess import Popen

from tests import processes
from tests.brokers import HOST, Listener, free_ports, is_up
from tests.needs import program
from tests.waiting import wait_until

NAMES = ("one", "two", "three")
PREFIXES = ("", "", "p/", "q/", "p")
PATTERNS = ("#", "a/#", "a/+", "+/b", "a/b", "a/b/#", "+/+")
ACL = "#acl "
RIGHTS = ("topic a/#", "topic read #", "topic write a/#", "topic read +/b", "topic deny a/b", "pattern p/#")
Texts = dict[str, str]


class Brokers:
    """Running brokers of a configuration, with their files and a client of each."""

    def __init__(self) -> None:
        self.files: dict[str, Path] = {}
        self.clients: dict[str, Listener] = {}
        self.running: dict[str, Popen[str]] = {}

    def kill(self, name: str) -> None:
        self.clients.pop(name).close()
        processes.kill(self.running[name])


@contextmanager
def brokers(folder: Path, texts: Texts) -> Iterator[Brokers]:
    """Every broker of a configuration."""
    ports = dict(zip(texts, free_ports(len(texts)), strict=True))
    net = Brokers()
    with ExitStack() as held:
        for name, text in texts.items():
            for other, port in ports.items():
                text = text.replace(f"<{other}>", f"{HOST}:{port}")
            net.files[name] = folder / f"{name}.conf"
            head = f"listener {ports[name]} {HOST}\nallow_anonymous true\nuser root\n"
            if rights := [line.removeprefix(ACL) for line in text.splitlines() if line.startswith(ACL)]:
                (folder / f"{name}.acl").write_text("\n".join([*rights, ""]), encoding="utf-8")
                head += f"acl_file {folder / name}.acl\n"
            net.files[name].write_text(head + text, encoding="utf-8")
            log = held.enter_context((folder / f"{name}.log").open("ab"))
            command = [str(program("mosquitto")), "-v", "-c", str(net.files[name])]
            net.running[name] = held.enter_context(processes.running(command, stdout=log, stderr=log))
        for name, port in ports.items():
            wait_until(f"{name} listens", partial(is_up, net.running[name], port))
            net.clients[name] = Listener(port)
        try:
            yield net
        finally:
            for each in net.clients.values():
                each.close()


# --- random ones ----------------------------------------------------------------------------


def random_texts(random: Random) -> Texts:
    """Two or three brokers, and bridges between them; those of the last one may have several addresses."""
    names = NAMES[: random.randint(2, 3)]
    texts = {name: "allow_duplicate_messages true\n" * (random.random() < 0.1) for name in names}
    if random.random() < 0.25:
        rights = ["topic $SYS/#", *random.sample(RIGHTS, random.randint(1, 3))]
        texts[random.choice(names)] += "".join(f"{ACL}{line}\n" for line in rights)
    for number in range(random.randint(1, len(names))):
        here = random.choice(names)
        others = [name for name in names if name != here]
        count = random.randint(1, len(others)) if here == names[-1] else 1
        texts[here] += _bridge(random, f"bridge{number}", random.sample(others, count))
    return texts


def _bridge(random: Random, name: str, addresses: list[str]) -> str:
    lines = [f"connection {name}", f"address {' '.join(f'<{each}>' for each in addresses)}"]
    lines += [f"remote_clientid {name}", "restart_timeout 1", "notifications_local_only true"]
    lines.append(f"bridge_protocol_version {random.choice(['mqttv50', 'mqttv311', 'mqttv311'])}")
    lines += ["try_private false"] * (random.random() < 0.2)
    lines += [_topic(random) for _ in range(random.randint(1, 3))]
    return "\n".join(dict.fromkeys(lines)) + "\n"


def _topic(random: Random) -> str:
    """A prefix without a slash may stand before a word, not before a wildcard."""
    pattern = random.choice(PATTERNS)
    line = f"topic {pattern} {random.choice(['out', 'in', 'both'])} 1"
    fitting = [each for each in PREFIXES if each != "p" or pattern.startswith("a")]
    prefixes = [random.choice(fitting) or '""' for _ in range(2)]
    return f"{line} {' '.join(prefixes)}" if random.random() < 0.5 else line
