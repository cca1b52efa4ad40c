"""Consumers share a queue; a job that fails is tried again, and then put aside."""

from enum import Enum

from angarium import (
    Index,
    Model,
    Record,
    at_rest,
    channel,
    choose,
    count,
    integer,
    invariant,
    reaches,
    setof,
    until,
)


class Job(Index):
    """Something to be done."""


class Consumer(Index):
    """Somebody who does it."""


class Kind(Enum):
    """Whether a job comes for the first time."""

    FIRST = "first"
    AGAIN = "again"


class Delivery(Record):
    """What the queue holds."""

    job: Job
    kind: Kind
    returned_by: Consumer | None
    attempt: int = integer(1, 2)


class WorkQueue(Model):
    """Every job is done or put aside, and none is both."""

    jobs = count(Job, 2)
    consumers = count(Consumer, 2)

    queue = channel(Delivery, jobs)
    done = setof(Job)
    put_aside = setof(Job)

    def settle(self, job: Job, worked: bool) -> None:
        if worked:
            self.done.add(job)
        else:
            self.put_aside.add(job)

    async def producer(self) -> None:
        for job in Job:
            await self.queue.send(Delivery(job=job, kind=Kind.FIRST, returned_by=None, attempt=1))

    async def consumer(self, c: Consumer) -> None:
        while True:
            delivery = await self.queue.receive()
            await until(True)
            worked: bool = choose(True, False)
            if worked or delivery.attempt == 2:
                self.settle(delivery.job, worked)
                continue
            await self.queue.send(
                Delivery(delivery.job, Kind.AGAIN, returned_by=c, attempt=delivery.attempt + 1)
            )

    @invariant
    def never_both(self) -> bool:
        """No job is done and put aside."""
        return not any(job in self.done and job in self.put_aside for job in Job)

    @at_rest
    def nothing_lost(self) -> bool:
        """When nothing more can happen, every job is done or put aside."""
        return all(job in self.done or job in self.put_aside for job in Job)

    @reaches
    def all_done(self) -> bool:
        """It can happen that every job is done."""
        return len(self.done) == self.jobs
