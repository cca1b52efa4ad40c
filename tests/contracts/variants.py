"""Proof modules and what becomes of them with one thing changed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
QUEUE = ROOT / "src" / "angarium" / "systems" / "queue"
EXAMPLES = ROOT / "examples" / "proofs"

KEYED = """    @conjecture
    def keyed_by_number(self, x: Number, y: Message) -> bool:
        \"\"\"Every number maps to a message with this number.\"\"\"
        return implies((x, y) in self.map.pairs, x == y.num)
"""
REPRESENTS = """    @conjecture
    def represents(self, y: Message) -> bool:
        \"\"\"The queue holds exactly the messages that their numbers map to.\"\"\"
        return (y in self.spec.contents) == ((y.num, y) in self.map.pairs)
"""
ERASED = "self.map.erase(first(Number), seq.next)"


@dataclass(frozen=True)
class Variant:
    """A file with one change, and the obligations that then fail."""

    file: Path
    old: str = ""
    new: str = ""
    refuted: frozenset[str] = frozenset()
    numbers: int = 2
    """How many numbers a world needs to show it."""

    @property
    def worlds(self) -> list[dict[str, int]]:
        """How many things of each sort there are: a ring of two is soon full, one of three holds two."""
        return [{"Message": 2, "Number": self.numbers, "Slot": slots} for slots in (2, 3)]


def failing(*names: str) -> frozenset[str]:
    return frozenset(names)


MAP, RING = QUEUE / "ordered_map.py", QUEUE / "ring_buffer.py"
MAILBOX, CLOCK = EXAMPLES / "mailbox.py", EXAMPLES / "clock.py"

VARIANTS = {
    "the ordered map": Variant(MAP),
    "without the first conjecture": Variant(
        MAP, KEYED, "", failing("empty ensures (2)", "pick_one ensures")
    ),
    "without the second conjecture": Variant(
        MAP, REPRESENTS, "", failing("empty ensures (1)", "empty ensures (2)", "pick_one ensures")
    ),
    "erasing to seq": Variant(
        MAP, ERASED, "self.map.erase(first(Number), seq)", failing("delete_all keeps represents")
    ),
    "erasing to seq + 2": Variant(
        MAP, ERASED, "self.map.erase(first(Number), seq.next.next)",
        failing("delete_all keeps represents"), numbers=3,
    ),
    "erasing from 1": Variant(
        MAP, ERASED, "self.map.erase(first(Number).next, seq.next)", failing("delete_all keeps represents")
    ),
    "the ring buffer": Variant(RING),
    "a ring that takes what is out of order": Variant(
        RING, "not self.item[self.newest].num < msg.num", "False", failing("enqueue keeps growing")
    ),
    "a ring without a spare slot": Variant(
        RING, "if self.free.next == self.oldest:\n            return False\n        ", "",
        failing("enqueue keeps represents"),
    ),
    "a clock with two speeds": Variant(CLOCK, numbers=4),
    "a clock that ignores the fast speed": Variant(
        CLOCK, "if fast:\n            self.hand = self.hand.next\n        ", "",
        failing("tick ensures (1)", "tick keeps shows-the-time"), numbers=4,
    ),
    "a clock that goes back": Variant(
        CLOCK, "self.hand.next\n        return self.hand\n", "self.hand.next\n        return first(Number)\n",
        failing("tick ensures (1)", "tick ensures (2)"),
        numbers=4,
    ),
    "the mailbox": Variant(MAILBOX),
    "a mailbox that forgets everything": Variant(
        MAILBOX, "self.full = self.full and seq < self.letter.num", "self.full = False",
        failing("delete_all keeps represents"),
    ),
    "a mailbox that drops a second letter": Variant(
        MAILBOX, "if self.full:\n            return False", "if self.full:\n            return True",
        failing("enqueue keeps represents"),
    ),
    "the overwriting ring": Variant(
        EXAMPLES / "overwriting_ring.py",
        refuted=failing("enqueue keeps represents", "delete_all keeps represents"),
    ),
}  # fmt: skip


def written(name: str, folder: Path) -> Path:
    """A file with the variant; the change must fit."""
    variant = VARIANTS[name]
    text = variant.file.read_text(encoding="utf-8")
    assert variant.old == "" or text.count(variant.old) == 1, variant.old
    path = folder / "variant.py"
    path.write_text(text.replace(variant.old, variant.new) if variant.old else text, encoding="utf-8")
    return path
