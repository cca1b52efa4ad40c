"""What the language consists of, and which of it a model uses: to say how much of it random models reach.

A construct is a pattern in the text of a model as Python writes it. Besides these, every word that a model
can import counts, but for those about time and walks: they say nothing about states and steps.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable

from angarium.checker.language import time_words, walk_words
from angarium.checker.language.vocabulary import WORDS

FORMULAS = (
    "true of whole runs, not of a state or a step: tests/checker/logic decides them again by the textbook"
)
WALKS = "said of one random walk, not of the graph: tests/checker/walks holds them against a slow reference"
LEFT_OUT: dict[str, str] = {
    **{word: FORMULAS for word in vars(time_words) if word in WORDS and word != "implies"},
    **{word: WALKS for word in vars(walk_words) if word in WORDS},
}
"""The words that mean nothing in a graph of states, and where they are compared instead."""
P = r"self\.\w+(?:\[[^\n]*?\]|\.\w+)*"
"""A part of the state, more or less."""
CONSTRUCTS: dict[str, str] = {
    # types and declarations
    "symmetric index": r"symmetric=True",
    "record in a record": r"packet: Packet",
    "optional field": r"back: Item \| None",
    "field with a range": r"weight: int = integer",
    "optional field with a range": r"tag: int \| None = option\(integer",
    "constant of the file": r"^MOST = LEAST \+ 1",
    "value of a table": r"COST\[(?!-1)",
    "value of a table of rows": r"GRID\[[^\n]*?\]\[",
    "member of a table": r"TURN\[",
    "last value of a table": r"COST\[-1\]",
    "in a table": r"(?<!for )\b[^\n ]+ (not )?in (COST|TURN)\)",
    "over a table": r"for k\d+ in (COST|TURN)",
    "sum, min or max of a table": r"(sum|min|max)\((COST|GRID\[\d\])\)",
    "length of a table": r"len\(COST\)",
    "number that starts elsewhere": r"= integer\(-?\d+, -?\d+, -?\d+\)",
    "negative range": r"integer\(-1",
    "bool of the state": r"\w+: bool = (True|False)",
    "enumeration of the state": r"s\d: Colour = ",
    "index of the state": r"s\d: (Item|Twin)$",
    "record of the state": r"s\d: (Packet|Crate)$",
    "optional index": r"s\d: \w+ \| None = None",
    "optional number": r"option\(integer",
    "optional record": r"s\d: Packet \| None",
    "optional item of a collection": r"(seq|array)\([^\n]*option\(",
    "array of arrays": r"array\(\w+, array\(",
    "array of sequences": r"array\([^\n]*seq\(",
    "array of sets": r"array\([^\n]*setof\(",
    "array of records": r"array\([^\n]*(Packet|Crate)\)",
    "array over bool": r"array\(bool,",
    "array over numbers": r"array\(integer\(1, 2\),",
    "array over an enumeration": r"array\(Colour,",
    "array over interchangeable values": r"array\(Twin,",
    "sequence of records": r"seq\((Packet|Crate),",
    "set of numbers": r"setof\(integer",
    "set of members": r"setof\(Colour",
    "set of bools": r"setof\(bool",
    "set of interchangeable values": r"setof\(Twin",
    "set of records": r"setof\(Packet",
    "set of records in records": r"setof\(Crate",
    "array of sets of records": r"array\([^\n]*setof\((Packet|Crate)",
    "array of channels": r"wire = array\(",
    "rendezvous": r"wire = (array\(\w+, )?channel\([^\n]*, 0",
    "channel with a buffer": r"wire = (array\(\w+, )?channel\([^\n]*, [12]",
    "channel of records": r"channel\(Packet",
    "channel of options": r"channel\(option",
    "loses": r"loses=",
    "duplicates": r"duplicates=",
    "reorders": r"reorders=",
    "budget that starts at a setting": r"budget\(patience\)",
    "wide state": r"integer\(0, \d{9,}\)",
    # intruders
    "what somebody knows": r"knows = knowledge\(Fact\)",
    "what somebody knows, with an annotation": r"knows: Knowledge\[Fact\] = ",
    "intruder on a channel": r"wire[^\n]* = channel\(Fact[^\n]*intruder=knows",
    "intruder on channels in an array": r"array\(\w+, channel\(Fact[^\n]*intruder=knows",
    "intruder on a channel that loses": r"loses=mishaps[^\n]*intruder=knows",
    "term of the state": r"s\d: Fact$",
    "optional term": r"s\d: Fact \| None",
    "array over terms": r"array\(Fact,",
    "set of terms": r"setof\(Fact",
    "sequence of terms": r"seq\((option\()?Fact",
    "heard": r"self\.knows\.hear\(",
    "known": r" (not )?in self\.knows\b",
    "over what is known": r"for k\d+ in self\.knows",
    "over all terms": r" in Fact\b",
    "how much is known": r"len\(self\.knows\)",
    "choice of what is known": r"choose\([^\n]*self\.knows",
    "equality of terms": r"(name|key|secret|cipher|letter|note|both)\([^\n]*?\) [!=]= ",
    "helper that gives a term": r"def h\d\([^\n]*-> Fact:",
    "helper that takes a term": r"def h\d\([^\n]*: Fact[^\n]*\)",
    "term as an argument": r"def act\d\([^\n]*: Fact",
    # expressions
    "+ - *": r" [+*-] ",
    "//": r" // ",
    "%": r" % ",
    "**": r" \*\* [0-9]",
    "** of what is known during the search only": r" \*\* COST",
    "negation": r"-\(|-self|-\w+\)",
    "chained comparison": r"\w\)? [<>!=]=? [^\n]{1,40}? [<>!=]=? [^\n]*?\w",
    "equality of records": r"(Packet|Crate)\([^\n]*\) [!=]= ",
    "equality of collections": r"(self\.s\d(\[[^\n]*?\])*) [!=]= \1\b",
    "is None": r" is None",
    "is not None": r" is not None",
    "== None": r" [!=]= None",
    "in a sequence, set or channel": rf" in {P}",
    "in values": r" in \(",
    "not in": r" not in ",
    "and": r" and ",
    "or": r" or ",
    "not": r"\bnot ",
    "if else": r" if [^\n]* else ",
    "None or a value": r" else None\)",
    "min of two": r"min\([^\n]*, ",
    "max of two": r"max\([^\n]*, ",
    "abs": r"abs\(",
    "int()": r"int\(",
    "bool()": r"bool\(",
    "len": r"len\(",
    "sum": r"sum\(\(",
    "sum of a list": r"sum\(\[",
    "min or max over a domain": r"(min|max)\(\([^\n]* for ",
    "min or max with a default": r"default=",
    "any": r"any\(\(",
    "all": r"all\(\(",
    "comprehension with a condition": r" for \w+ in [^\n]* if [^\n]*\)",
    "over an index": r" in Item",
    "over an enumeration": r" in Colour",
    "over bool": r" in bool",
    "over interchangeable values": r" in Twin",
    "over a range": r" in range\(",
    "over a sequence or set": rf"for k\d+ in {P}",
    "over values": r"for k\d+ in \(",
    "conversion to an index": r"Item\([^01\n]",
    "record by position": r"Packet\([^=\n]*?,",
    "record by name": r"Packet\(item=",
    "first or last item": r"\]?\[(0|-1)\]",
    "item at a computed position": r"self\.s\d\[self\.",
    "field of an item": r"\]\.\w+",
    "parameter": r"self\.limit",
    "bool parameter": r"self\.strict",
    "enumeration parameter": r"self\.first",
    "setting": r"self\.patience",
    # functions and statements
    "helper that computes": r"def h\d\(",
    "helper that gives a record": r"def h\d\([^\n]*-> Packet:",
    "helper that may give None": r"def h\d\([^\n]*-> Item \| None:",
    "helper that takes a record": r"def h\d\([^\n]*Packet[^\n]*\)",
    "helper that changes something": r"def p\d\(",
    "sequence given to a function": r"def p\d\([^\n]*Seq\[",
    "set given to a function": r"def p\d\([^\n]*SetOf\[",
    "function of the file": r"^def outside\(",
    "early return": r"if [^\n]*:\n\s+return",
    "name that is bound": r"\n\s+[nx]\d+ = ",
    "name with an annotation": r"\n\s+[nx]\d+: ",
    "assigned field": r"self\.\w+(\[[^\n]*?\])?\.\w+ = ",
    "assigned item": rf"\n\s+{P}\[[^\n]*\] = ",
    "assigned list": r" = \[",
    "assigned set": r" = \{",
    "empty set": r"set\(\)",
    "collection that is copied": r"\n\s+(self\.s\d) = self\.s\d\n",
    "+=": r" \+= ",
    "-=": r" -= ",
    "other operators with =": r" (\*|//|%)= ",
    "append": r"\.append\(",
    "insert": r"\.insert\(",
    "remove": r"\.remove\(",
    "discard": r"\.discard\(",
    "add": r"\.add\(",
    "clear": r"\.clear\(",
    "pop the last": r"\.pop\((-1)?\)",
    "pop the first": r"\.pop\(0\)",
    "pop at a position": r"\.pop\([^0)-]",
    "pop that is dropped": r"\n\s+self\.[^\n=]*\.pop\(",
    "else": r"\n\s+else:",
    "for": r"\n\s+for k\d+ in ",
    "loop in a loop": r"\n\s+for k\d+ in [^\n]*\n\s+for k",
    "choice of values": r"choose\([^\n]*, ",
    "choice from a domain": r"choose\((Item|Colour|bool|range)",
    "choice from a collection": r"choose\(self",
    "choice with a condition": r"choose\(\(?k\d+ for ",
    "choice in a loop": r"\n(\s+)for k\d+ in [^\n]*(\n\1    [^\n]*)*?\n\1    [^\n]*choose\(",
    "require behind changes": r" = [^\n]*\n\s+require\(",
    "two conditions of an argument": r"def act\d\(self, i0: [^\n]*i1",
    "union of sets": rf"{P} \| ",
    "what two sets share": rf"{P} & ",
    "difference of sets": rf"{P} - (\{{|\(self)",
    "comprehension of a set": r"\{k\d+ for k\d+ in ",
    "subset": rf"{P} <=? (\{{|\(self|set)",
    "all subsets": r"in subsets\(",
    "record as an argument": r"def act\d\(self[^\n]*: Packet",
    "optional argument": r"def act\d\(self[^\n]*Item \| None",
    "interchangeable argument": r"def act\d\(self[^\n]*: Twin",
    "guarantee with require": r"def claim_\w+\(self\) -> bool:\n\s+require",
    # processes
    "process for an index": r"async def taker\(self, me: Item\)",
    "process for a member": r"async def taker\(self, me: Colour\)",
    "process for a bool": r"async def taker\(self, me: bool\)",
    "process for interchangeable values": r"async def taker\(self, me: Twin\)",
    "process with two arguments": r"async def taker\(self, me: Item, up: bool\)",
    "received item": r"got = await",
    "received and dropped": r"\n\s+await [^\n]*\.receive\(\)",
    "await until": r"await until\(",
    "await either": r"match await either\(",
    "received in either": r"case \['one', it|case 'one', it|case \[.one., it",
    "sent in either": r"either\(one=[^\n]*\.send\(",
    "await in an if": r"\n\s+if [^\n]*\n\s+await ",
    "while": r"\n\s+while tries",
    "while True": r"while True:",
    "for that awaits": r"\n\s+for (j|w\d+) in ",
    "break": r"\bbreak\b",
    "continue": r"\bcontinue\b",
    "return of a process": r"\n\s+return\n",
    "local number": r"tries: int = integer",
    "local option": r"last: Item \| None",
    "local record": r"box: Packet = ",
    "local sequence": r"todo: Seq",
    "local set": r"seen: SetOf",
    "local without an annotation": r"(mine|flag) = ",
    "assigned field of a local record": r"box\.\w+ = ",
    "finished": r"finished\(self\.\w+\)",
    "finished instance": r"finished\(self\.taker, ",
    "crashed instance": r"crashed\(self\.taker, ",
    "crash without a restart": r"@crashes\(deaths\)",
    "crash with a restart": r"restarts=",
    "changes on a crash": r"@on_crash\(taker\)",
}


def used(text: str) -> set[str]:
    """The constructs and the words that a model uses."""
    tree = ast.parse(text)
    plain = ast.unparse(tree)
    patterns = {name for name, pattern in CONSTRUCTS.items() if re.search(pattern, plain, re.M)}
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return patterns | {f"word {word}" for word in names & WORDS - LEFT_OUT.keys()}


EVERYTHING = {*CONSTRUCTS, *(f"word {word}" for word in WORDS - LEFT_OUT.keys())}
"""All that there is to reach."""


def reached(texts: Iterable[str]) -> Counter[str]:
    """In how many of the models each construct occurs."""
    found = Counter(dict.fromkeys(EVERYTHING, 0))
    for text in texts:
        found.update(used(text))
    return found
