"""How many messages a second the transport carries, by its capacity and by when the sender pauses."""

import sys

from angarium.checker.walks.datagrams import Impairment, Network
from angarium.systems.queue.sans_io.host import Host, Rules
from angarium.systems.queue.sans_io.stream import Stream

MESSAGES = 2000
CAPACITIES = (1, 2, 4, 8, 16, 32, 64)
CASES = [(share, patient) for share in (0.0, 0.01, 0.05) for patient in (False, True)]
A, B = 1, 2


def speed(capacity: int, share: float, *, patient: bool) -> float:
    """Messages a second if so large a share of datagrams is lost, doubled and overtaken."""
    messages = (number.to_bytes(4) for number in range(MESSAGES))
    sender = Stream(Host(A, [B], Rules(capacity)), B, messages, patient=patient)
    receiver = Host(B, [A])
    network = Network({A: sender, B: receiver}, Impairment(share, share, share), seed=1)
    sender.feed(network.now)
    network.attend(A)
    network.run(until=lambda: sender.done, deadline=1e6)
    assert len(receiver.take_deliveries()) == MESSAGES
    return MESSAGES / network.now


def main() -> None:
    """One line for each capacity."""
    lines = [
        "              no faults      1 % faults      5 % faults",
        "capacity  eager patient   eager patient   eager patient",
    ]
    for capacity in CAPACITIES:
        speeds = [speed(capacity, share, patient=patient) for share, patient in CASES]
        pairs = (f"{eager:7.0f} {calm:7.0f}" for eager, calm in zip(speeds[::2], speeds[1::2], strict=True))
        lines.append(f"{capacity:8}" + " ".join(pairs))
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
