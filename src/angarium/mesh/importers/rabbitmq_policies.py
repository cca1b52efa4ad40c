"""Which policy applies to an exchange or a queue, and from where it makes them pull.

Of the policies of a virtual host whose pattern is found in the name, the one of highest priority applies,
alone: policies are not merged. It names an upstream, a set of them, or a pattern of upstreams' names; the
set `all` is every upstream of the virtual host. An entry of a set may say any value of its upstream
otherwise.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from angarium.core.errors import MeshError, Place, did_you_mean
from angarium.mesh.importers import common
from angarium.mesh.importers.rabbitmq_cluster import ALTERNATE, PREDECLARED, Cluster, Key, Policy, described
from angarium.mesh.importers.rabbitmq_definitions import Entry, shown
from angarium.mesh.importers.rabbitmq_effects import DEAD_LETTERS, DROPPING, of_setting
from angarium.mesh.importers.rabbitmq_regexp import PatternError, searched
from angarium.mesh.mesh import Remark

ONE, SET, LIKE = "federation-upstream", "federation-upstream-set", "federation-upstream-pattern"
MODELLED = frozenset((ONE, SET, LIKE, ALTERNATE))
EXCHANGES, QUEUES = "exchanges", "queues"
QUEUE_TYPES = {"classic": "classic_queues", "quorum": "quorum_queues", "stream": "streams"}

MOST_STEPS = 50_000_000
"""Ten thousand names and a hundred policies take about a tenth."""


@dataclass(frozen=True, slots=True)
class Upstream:
    """From where an exchange or a queue pulls, with all that was said about it."""

    name: str
    values: dict[str, Any]
    place: Place


@dataclass(slots=True)
class Policies:
    """The policies of a cluster, in the order in which they apply, and what came of them."""

    cluster: Cluster
    ordered: list[Policy] = field(init=False)
    used: set[Key] = field(default_factory=set)
    """Upstreams that a policy takes."""
    matched: dict[str, set[Key]] = field(default_factory=dict)
    remarks: dict[Remark, None] = field(default_factory=dict)
    """Each once, in order."""
    unreadable: set[str] = field(default_factory=set)
    steps: int = 0

    def __post_init__(self) -> None:
        self.ordered = sorted(self.cluster.policies, key=lambda policy: -policy.priority)

    def applying(self, kind: str, vhost: str, name: str, queue_type: str = "classic") -> Policy | None:
        """The policy that applies to an exchange or queue."""
        kinds = {"all", kind} | ({QUEUE_TYPES.get(queue_type, "")} if kind == QUEUES else set())
        fitting = [p for p in self.ordered if p.vhost == vhost and p.apply_to in kinds and self.fits(p, name)]
        for policy in fitting:
            self.matched.setdefault(_key(policy), set())
        if not fitting:
            return None
        self.matched[_key(fitting[0])].add((vhost, name))
        self.compare(fitting, described(vhost, name))
        return fitting[0]

    def compare(self, fitting: list[Policy], what: str) -> None:
        """Of equals, RabbitMQ does not say which one it takes."""
        equals = [policy for policy in fitting[1:] if policy.priority == fitting[0].priority]
        if equals and _that_matters(equals[0]) != _that_matters(fitting[0]):
            both = f"policies {fitting[0].name} and {equals[0].name} of {self.cluster.name}"
            what = f"{both} fit {what} with the same priority; {fitting[0].name} is taken"
            self.remark(common.not_understood(what, equals[0].place, "Give them different priorities."))

    def fits(self, policy: Policy, name: str) -> bool:
        if _key(policy) in self.unreadable:
            return False
        try:
            is_found, steps = searched(policy.pattern, name)
            self.spend(steps, policy)
            return is_found
        except PatternError as error:
            what = f"pattern {shown(policy.pattern)} of policy {policy.name} of {self.cluster.name}: {error}"
            remedy = "It is taken to match nothing; write a simpler regular expression."
            self.remark(common.not_understood(what, policy.place, remedy))
            self.unreadable.add(_key(policy))
            return False

    def spend(self, steps: int, policy: Policy) -> None:
        self.steps += steps
        if self.steps > MOST_STEPS:
            raise MeshError(
                "ANG125",
                f"the patterns of {len(self.cluster.policies)} policies of {self.cluster.name} take too long",
                possible=f"possible: {MOST_STEPS:,} steps for all names of exchanges and queues",
                remedy="Give the definitions of single virtual hosts, or simplify the patterns.",
                place=policy.place,
            )

    def remark(self, remark: Remark) -> None:
        self.remarks.setdefault(remark)

    def upstreams(self, policy: Policy) -> list[Upstream]:
        """All from where the policy pulls."""
        given = [key for key in (ONE, SET, LIKE) if key in policy.definition]
        if len(given) > 1:
            what = f"policy {policy.name} of {self.cluster.name} gives {' and '.join(given)}"
            remedy = "RabbitMQ refuses such a policy: give one of them."
            self.remark(common.dangling(what, policy.place, remedy))
            return []
        return [self.merged(policy, *each) for key in given for each in self.chosen(policy, key)]

    def chosen(self, policy: Policy, key: str) -> Iterator[tuple[Entry, dict[str, Any]]]:
        """Upstreams, with what an entry of a set says otherwise."""
        word = policy.definition[key]
        if not isinstance(word, str):
            entry = Entry({}, policy.place)
            raise entry.wrong(
                f"{key} of policy {policy.name} is {shown(word)}, not a text", "possible: a name"
            )
        here = {
            name: entry for (vhost, name), entry in self.cluster.upstreams.items() if vhost == policy.vhost
        }
        if key == ONE:
            yield from self.named(policy, here, [{"upstream": word}])
        elif key == LIKE:
            like = Policy(policy.name, policy.vhost, word, "", 0, {}, policy.place)
            yield from ((entry, {}) for name, entry in here.items() if self.fits(like, name))
        elif word == "all":
            yield from ((entry, {}) for entry in here.values())
        else:
            yield from self.named(policy, here, self.members(policy, word))

    def members(self, policy: Policy, name: str) -> list[dict[str, Any]]:
        entry = self.cluster.sets.get((policy.vhost, name))
        if entry is None:
            sets = [each for vhost, each in self.cluster.sets if vhost == policy.vhost]
            what = f"policy {policy.name} of {self.cluster.name}: there is no upstream set {name}"
            self.remark(common.dangling(what, policy.place, did_you_mean(name, [*sets, "all"])))
            return []
        members = entry.values.get("value")
        if not isinstance(members, list) or not all(isinstance(each, dict) for each in members):
            raise entry.wrong(f"set {name} is {shown(members)}", 'possible: [{"upstream": NAME}, …]')
        return members

    def named(
        self, policy: Policy, here: dict[str, Entry], members: list[dict[str, Any]]
    ) -> Iterator[tuple[Entry, dict[str, Any]]]:
        for member in members:
            name = member.get("upstream")
            if isinstance(name, str) and name in here:
                yield here[name], member
            else:
                what = f"policy {policy.name} of {self.cluster.name}: there is no upstream {name}"
                self.remark(common.dangling(what, policy.place, did_you_mean(str(name), here)))

    def merged(self, policy: Policy, entry: Entry, otherwise: dict[str, Any]) -> Upstream:
        name = entry.text("name")
        self.used.add((policy.vhost, name))
        return Upstream(name, entry.table("value") | otherwise, entry.place)

    def left_over(self) -> Iterator[Remark]:
        """Policies that apply to nothing, and upstreams that nothing pulls from."""
        for policy in self.cluster.policies:
            key = _key(policy)
            if policy.definition.keys() & {ONE, SET, LIKE} and key not in self.unreadable:
                yield from self._idle(policy, self.matched.get(key))
            if self.matched.get(key):
                yield from self._unmodelled(policy, "policy", self._matched_by(policy))
        yield from self._of_operators()
        for vhost, name in sorted(self.cluster.upstreams.keys() - self.used):
            what = f"no policy of {self.cluster.name} uses upstream {described(vhost, name)}"
            remedy = "Name it in a policy, or remove it."
            yield common.dangling(what, self.cluster.upstreams[vhost, name].place, remedy)

    def _unmodelled(self, policy: Policy, kind: str, queues: Collection[Key]) -> Iterator[Remark]:
        for key in sorted(policy.definition.keys() - MODELLED):
            if effects := of_setting(key):
                what = f"{key} of {kind} {policy.name} of {self.cluster.name}"
                yield self.told(key, what, policy.place, effects, queues)

    def told(
        self, key: str, what: str, place: Place, effects: frozenset[str], queues: Collection[Key]
    ) -> Remark:
        """Of a key that some queues have. A queue without limits sends no dead letters by itself."""
        if key in DEAD_LETTERS and not any(map(self._has_limit, queues)):
            return common.assumed(f"nothing is refused or expires that {what} would publish again", place)
        return common.not_understood(what, place, effects=effects)

    def _has_limit(self, queue: Key) -> bool:
        """Whether a queue drops messages, by an argument or by a policy."""
        entry = self.cluster.queues.get(queue)
        arguments = entry.table("arguments") if entry else {}
        said = [{key.removeprefix("x-") for key in arguments}]
        said += [set(each.definition) for each in self.cluster.policies if queue in self._matched_by(each)]
        said += [set(each.definition) for each in self._operators_of(queue)]
        return not DROPPING.isdisjoint(set().union(*said))

    def _matched_by(self, policy: Policy) -> set[Key]:
        return self.matched.get(_key(policy), set()) if policy.apply_to != EXCHANGES else set()

    def _of_operators(self) -> Iterator[Remark]:
        """What operators set for queues applies beside what policies say."""
        for policy in self.cluster.operator_policies:
            queues = [queue for queue in self.cluster.queues if self._is_set(policy, queue)]
            if queues or _key(policy) in self.unreadable:
                yield from self._unmodelled(policy, "operator policy", queues)

    def _operators_of(self, queue: Key) -> list[Policy]:
        return [each for each in self.cluster.operator_policies if self._is_set(each, queue)]

    def _is_set(self, policy: Policy, queue: Key) -> bool:
        """Whether an operator's policy is one of a queue; if it cannot be read, it may be."""
        vhost, name = queue
        return vhost == policy.vhost and (self.fits(policy, name) or _key(policy) in self.unreadable)

    def _idle(self, policy: Policy, matched: set[Key] | None) -> Iterator[Remark]:
        if matched or (matched is None and any(self.fits(policy, name) for name in PREDECLARED)):
            return
        who = f"policy {policy.name} of {self.cluster.name}"
        if matched is None:
            what, remedy = f"matches no name of {policy.apply_to}", "Mend its pattern, or remove it."
            yield common.dangling(f"{who}: pattern {shown(policy.pattern)} {what}", policy.place, remedy)
        else:
            what = f"{who} never applies: policies of higher priority take all that it matches"
            yield common.dangling(what, policy.place, "Raise its priority, or put both into one policy.")


def _that_matters(policy: Policy) -> dict[str, Any]:
    return {key: value for key, value in policy.definition.items() if key in MODELLED or of_setting(key)}


def _key(policy: Policy) -> str:
    return f"{policy.vhost} {policy.name}"
