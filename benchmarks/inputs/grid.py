"""Three counters that only go up: 369 to the third, a little over fifty million states of one word."""

from angarium import Index, Model, action, array, count, integer, param, require


class Counter(Index):
    """A counter."""


class Grid(Model):
    """Counters that go up one at a time."""

    counters = count(Counter, 3)
    top = param(368)

    value = array(Counter, integer(0, top))

    @action
    def count_up(self, c: Counter) -> None:
        require(self.value[c] < self.top)
        self.value[c] += 1
