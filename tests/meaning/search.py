"""All states of a model, found by running it.

A step is tried on a copy of the state: an action with each combination of its arguments, a process at each
thing that it waits for, a fault with each of its victims. If `choose` is come to, the step is tried once for
each choice. What is tried is possible, not possible (`require`), or fails (`OutOfRangeError`, and what Python
itself raises).
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product

from tests.meaning import words
from tests.meaning.scalars import Frozen, Kind, OutOfRangeError, Value, annotations
from tests.meaning.values import Channel, Rows, Wire, cloned, freeze, kind_of
from tests.meaning.walk import Alternative, Program, Walker, alternatives
from tests.meaning.words import CHOSEN, Chosen, Model, NotPossibleError

Attempt = Callable[["World"], None]


class TooManyStatesError(Exception):
    """The search is cut: the model is too large for this."""


@dataclass
class World:
    """A state: that of the model, and where its processes are."""

    model: Model
    walkers: list[Walker]

    def copy(self) -> World:
        model = blank(type(self.model))
        for name in model._kinds:
            model._hold(name, cloned(getattr(self.model, name)))
        return World(model, attached(model, [walker.copy(model) for walker in self.walkers]))

    def frozen(self) -> Frozen:
        state = tuple(freeze(getattr(self.model, name)) for name in self.model._kinds)
        return (state, tuple(walker.frozen() for walker in self.walkers))

    def channels(self) -> Iterator[Channel]:
        """Every channel, also those in arrays."""
        for name, kind in self.model._kinds.items():
            if isinstance(_item(kind), Wire):
                yield from _within(getattr(self.model, name))


def _item(kind: Kind) -> Kind:
    while isinstance(kind, Rows):
        kind = kind.item
    return kind


def _within(value: Value) -> Iterator[Channel]:
    if isinstance(value, Channel):
        yield value
    else:
        for part in value._parts.values():
            yield from _within(part)


def blank(model: type[Model]) -> Model:
    return object.__new__(model)


def attached(model: Model, walkers: list[Walker]) -> list[Walker]:
    """Let the state know its processes, for `finished` and `crashed`."""
    model._walkers = walkers
    return walkers


# --- what can be tried ------------------------------------------------------------------------------


@dataclass
class Steps:
    """Everything that may happen in a model."""

    model: type[Model]
    actions: list[tuple[Callable[..., None], tuple[Value, ...]]] = field(init=False)

    def __post_init__(self) -> None:
        functions = [each for each in vars(self.model).values() if getattr(each, "role", "") == "action"]
        self.actions = [(each, given) for each in functions for given in self.instances(each)]

    def functions(self, role: str) -> list[Callable[..., Value]]:
        return [each for each in vars(self.model).values() if getattr(each, "role", "") == role]

    def instances(self, function: Value) -> list[tuple[Value, ...]]:
        hints = annotations(function, self.model._names)
        count = function.__code__.co_argcount
        kinds = [kind_of(hints[name]) for name in function.__code__.co_varnames[1:count]]
        return list(product(*(kind.values() for kind in kinds)))

    def of(self, world: World) -> Iterator[Attempt]:
        for function, given in self.actions:
            yield lambda w, f=function, g=given: f(w.model, *g)
        for number, walker in enumerate(world.walkers):
            yield from self._of_walker(world, number, walker)
        for number, channel in enumerate(world.channels()):
            yield from _channel_faults(number, channel)

    # --- processes ----------------------------------------------------------------------------------

    def _of_walker(self, world: World, number: int, walker: Walker) -> Iterator[Attempt]:
        for position, each in enumerate(alternatives(walker.site) if walker.site else ()):
            if each.word == "until":
                yield lambda w, p=position: _until(w, number, p)
            elif self._wire(each)[1].capacity:
                yield lambda w, p=position: _through_buffer(w, number, p)
            elif each.word == "send":
                yield from self._meetings(world, number, position, each)
            elif (mind := self._wire(each)[1].intruder) is not None:
                for term in getattr(world.model, mind.name):
                    yield lambda w, p=position, t=term: _faked(w, number, p, t)
        function = vars(self.model)[walker.name]
        if hasattr(function, "crashes") and not walker.finished:
            yield from self._crash(number, walker, function)

    def _wire(self, alternative: Alternative) -> tuple[str, Wire]:
        """The channel that is written in the text, whichever of an array it is."""
        node = alternative.call.func
        while not (isinstance(node, ast.Attribute) and node.attr in self.model._kinds):
            assert isinstance(node, ast.Attribute | ast.Subscript), ast.dump(node)
            node = node.value
        wire = _item(self.model._kinds[node.attr])
        assert isinstance(wire, Wire)
        return node.attr, wire

    def _meetings(self, world: World, sender: int, position: int, sent: Alternative) -> Iterator[Attempt]:
        name, wire = self._wire(sent)
        for number, walker in enumerate(world.walkers):
            for there, each in enumerate(alternatives(walker.site) if walker.site else ()):
                if number != sender and each.word == "receive" and self._wire(each)[0] == name:
                    for first in (True, False):
                        yield lambda w, n=number, t=there, f=first: _meet(w, sender, position, n, t, f)
        if "loses" in wire.faults:
            yield lambda w: _lost(w, sender, position, wire)
        if wire.intruder is not None:
            yield lambda w: _intercepted(w, sender, position)

    def _crash(self, number: int, walker: Walker, function: Value) -> Iterator[Attempt]:
        if not walker.crashed:
            hooks = [h for h in self.functions("on_crash") if getattr(h, "process", "") == walker.name]
            yield lambda w: _crash(w, number, function.crashes, hooks)
        elif function.restarts is not None:
            yield lambda w: _restart(w, number, function.restarts)


def _at(world: World, number: int, position: int) -> tuple[Walker, Alternative]:
    walker = world.walkers[number]
    assert walker.site is not None
    return walker, alternatives(walker.site)[position]


def _channel(walker: Walker, alternative: Alternative) -> Channel:
    assert isinstance(alternative.call.func, ast.Attribute)
    found = walker.evaluate(alternative.call.func.value)
    assert isinstance(found, Channel)
    return found


def _until(world: World, number: int, position: int) -> None:
    walker, alternative = _at(world, number, position)
    words.require(walker.evaluate(alternative.call.args[0]))
    walker.take(alternative)


def _through_buffer(world: World, number: int, position: int) -> None:
    walker, alternative = _at(world, number, position)
    channel = _channel(walker, alternative)
    if alternative.word == "receive":
        words.require(len(channel) > 0)
        walker.take(alternative, channel.pop(0))
    else:
        words.require(len(channel) < channel._kind.capacity)
        channel.append(walker.evaluate(alternative.call.args[0]))
        walker.take(alternative)


def _meet(world: World, sender: int, position: int, receiver: int, there: int, sender_first: bool) -> None:
    """Both at once: the item is taken first, then the sender and the receiver go on, in either order."""
    giving, sent = _at(world, sender, position)
    taking, received = _at(world, receiver, there)
    channel = _channel(giving, sent)
    words.require(channel is _channel(taking, received))
    item = _said(world, channel, giving.evaluate(sent.call.args[0]))
    if sender_first:
        giving.take(sent)
    taking.take(received, item)
    if not sender_first:
        giving.take(sent)


def _lost(world: World, number: int, position: int, wire: Wire) -> None:
    """The sender believes that it was received."""
    walker, alternative = _at(world, number, position)
    channel = _channel(walker, alternative)
    _said(world, channel, walker.evaluate(alternative.call.args[0]))
    words.spend(world.model, wire.faults["loses"].name)
    walker.take(alternative)


def _said(world: World, channel: Channel, item: Value) -> Value:
    """What is sent without a buffer; whoever sits on the channel hears it."""
    item, mind = channel._kind.item.fit(item), channel._kind.intruder
    if mind is not None:
        getattr(world.model, mind.name).hear(item)
    return item


def _intercepted(world: World, number: int, position: int) -> None:
    """The sender believes that it was received, but only the intruder has heard it."""
    walker, alternative = _at(world, number, position)
    _said(world, _channel(walker, alternative), walker.evaluate(alternative.call.args[0]))
    walker.take(alternative)


def _faked(world: World, number: int, position: int, term: Value) -> None:
    """The receiver believes that somebody sent what the intruder says."""
    walker, alternative = _at(world, number, position)
    _channel(walker, alternative)
    walker.take(alternative, term)


# --- faults -----------------------------------------------------------------------------------------


def _channel_faults(number: int, channel: Channel) -> Iterator[Attempt]:
    for word, budget in channel._kind.faults.items():
        for position in range(len(channel)):
            yield lambda w, f=FAULTS[word], b=budget, p=position: _fault(w, number, f, b, p)


def _fault(world: World, number: int, fault: Callable[[Channel, int], None], budget: Kind, at: int) -> None:
    words.spend(world.model, budget.name)
    fault(list(world.channels())[number], at)


def _duplicate(channel: Channel, position: int) -> None:
    words.require(len(channel) < channel._kind.capacity)
    channel.append(channel[position])


def _reorder(channel: Channel, position: int) -> None:
    words.require(position + 1 < len(channel))
    channel[position], channel[position + 1] = channel[position + 1], channel[position]


FAULTS: dict[str, Callable[[Channel, int], None]] = {
    "loses": lambda channel, position: channel.pop(position),
    "duplicates": _duplicate,
    "reorders": _reorder,
}


def _crash(world: World, number: int, budget: Kind, hooks: list[Callable[..., None]]) -> None:
    words.spend(world.model, budget.name)
    walker = world.walkers[number]
    walker.crash()
    for hook in hooks:
        hook(world.model, *walker.arguments)


def _restart(world: World, number: int, budget: Kind) -> None:
    words.spend(world.model, budget.name)
    world.walkers[number].begin()


# --- trying -----------------------------------------------------------------------------------------


def failure(problem: Exception) -> bool:
    """Whether an exception says that a value is none that can be; anything else is a mistake of ours."""
    if isinstance(problem, OutOfRangeError | ZeroDivisionError):
        return True
    text = str(problem)
    empty = isinstance(problem, ValueError) and "empty" in text
    return empty or (isinstance(problem, AttributeError | TypeError) and "NoneType" in text)


def tried(make: Callable[[], World], attempt: Attempt) -> Iterator[World | None]:
    """What comes of a step, for each of its choices; None where it fails."""
    chosen: Chosen | None = Chosen()
    while chosen is not None:
        CHOSEN[0] = chosen
        world = make()
        try:
            attempt(world)
            yield world
        except NotPossibleError:
            pass
        except Exception as problem:
            if not failure(problem):
                raise
            yield None
        chosen = chosen.following()


@dataclass(eq=False)
class Node:
    """A state that was found."""

    world: World
    level: int
    targets: list[Node] = field(default_factory=list)
    fails: bool = False
    hits: frozenset[str] = frozenset()
    at_rest: bool = False
    """Whether nothing more can happen."""


class InitialStepError(Exception):
    """The initial step fails, or nothing that it chooses is allowed."""


def initial_worlds(model: type[Model]) -> list[World]:
    """The states in which a model may begin."""
    steps = Steps(model)
    programs = {name: Program(node, model._names) for name, node in model._bodies.items()}

    def begin(world: World) -> None:
        for name, program in programs.items():
            instances = steps.instances(vars(model)[name])
            world.walkers += [Walker(program, given, state=world.model) for given in instances]
        for function in steps.functions("initial"):
            function(world.model)
        for walker in world.walkers:
            walker.begin()

    found = list(tried(lambda: _first(model), begin))
    if not found or None in found:
        raise InitialStepError(model.__name__)
    return [world for world in found if world is not None]


def _first(model: type[Model]) -> World:
    state = blank(model)
    for name, kind in model._kinds.items():
        setattr(state, name, kind.start())
    return World(state, attached(state, []))


GUARANTEES = ("invariant", "reaches", "at_rest", "deadlock_free")


def explore(model: type[Model], most: int = 5000) -> dict[Frozen, Node]:
    """Every state that can be reached, with what can happen in it and what it hits."""
    steps = Steps(model)
    found: dict[Frozen, Node] = {}
    waiting: deque[Node] = deque()

    def node_of(world: World, level: int) -> Node:
        key = world.frozen()
        if key not in found:
            found[key] = Node(world, level)
            waiting.append(found[key])
        return found[key]

    for world in initial_worlds(model):
        node_of(world, 0)
    while waiting:
        node = waiting.popleft()
        node.targets = [node_of(world, node.level + 1) for world in _expand(steps, node)]
        node.at_rest = not node.targets and not node.fails
        node.hits = frozenset(name for role in GUARANTEES for name in _hit(steps, node, role))
        if len(found) > most:
            raise TooManyStatesError(len(found))
    return found


def _expand(steps: Steps, node: Node) -> Iterator[World]:
    for attempt in steps.of(node.world):
        for target in tried(node.world.copy, attempt):
            if target is None:
                node.fails = True
            else:
                yield target


def _hit(steps: Steps, node: Node, role: str) -> set[str]:
    """The guarantees of a role that a state hits; one that cannot be evaluated makes the state fail."""
    if role in ("at_rest", "deadlock_free") and not node.at_rest:
        return set()
    hit = set()
    for function in steps.functions(role):
        name = "deadlock-free" if role == "deadlock_free" else function.__name__.replace("_", "-")
        truths: list[bool] = []
        for world in tried(node.world.copy, lambda w, f=function, t=truths: t.append(bool(f(w.model)))):
            node.fails |= world is None
        if truths and truths[0] == (role == "reaches"):
            hit.add(name)
    return hit
