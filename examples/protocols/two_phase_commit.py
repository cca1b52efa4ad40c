"""Two-phase commit as Gray and Lamport specified it ("Consensus on Transaction Commit", 2006).

What is sent stays in flight for ever, and may be received again: a set of records, to which is only added.
TLC finds 288 states of the published specification with three resource managers; so does this.
"""

from enum import Enum

from angarium import Index, Model, Record, action, array, count, invariant, reaches, require, setof


class Manager(Index, label="rm"):
    """A resource manager."""


class Progress(Enum):
    WORKING = "working"
    PREPARED = "prepared"
    COMMITTED = "committed"
    ABORTED = "aborted"


class Outcome(Enum):
    OPEN = "open"
    COMMITTED = "committed"
    ABORTED = "aborted"


class Kind(Enum):
    PREPARED = "prepared"
    COMMIT = "commit"
    ABORT = "abort"


class Message(Record):
    """What is in flight: that a manager is prepared, or what the transaction manager decided."""

    kind: Kind
    manager: Manager | None


class TwoPhaseCommit(Model):
    """Resource managers commit or abort together."""

    managers = count(Manager, 3)

    progress = array(Manager, Progress)
    outcome: Outcome
    heard_of = setof(Manager)
    messages = setof(Message)

    @action
    def hears_prepared(self, m: Manager) -> None:
        require(self.outcome == Outcome.OPEN and Message(Kind.PREPARED, m) in self.messages)
        self.heard_of.add(m)

    @action
    def commits(self) -> None:
        require(self.outcome == Outcome.OPEN and all(m in self.heard_of for m in Manager))
        self.outcome = Outcome.COMMITTED
        self.messages.add(Message(Kind.COMMIT, None))

    @action
    def aborts(self) -> None:
        require(self.outcome == Outcome.OPEN)
        self.outcome = Outcome.ABORTED
        self.messages.add(Message(Kind.ABORT, None))

    @action
    def prepares(self, m: Manager) -> None:
        require(self.progress[m] == Progress.WORKING)
        self.progress[m] = Progress.PREPARED
        self.messages.add(Message(Kind.PREPARED, m))

    @action
    def gives_up(self, m: Manager) -> None:
        require(self.progress[m] == Progress.WORKING)
        self.progress[m] = Progress.ABORTED

    @action
    def hears_commit(self, m: Manager) -> None:
        require(Message(Kind.COMMIT, None) in self.messages)
        self.progress[m] = Progress.COMMITTED

    @action
    def hears_abort(self, m: Manager) -> None:
        require(Message(Kind.ABORT, None) in self.messages)
        self.progress[m] = Progress.ABORTED

    @invariant
    def consistent(self) -> bool:
        """No manager has aborted where another has committed."""
        return not (
            any(self.progress[m] == Progress.ABORTED for m in Manager)
            and any(self.progress[m] == Progress.COMMITTED for m in Manager)
        )

    @reaches
    def all_committed(self) -> bool:
        """All of them may commit."""
        return all(self.progress[m] == Progress.COMMITTED for m in Manager)
