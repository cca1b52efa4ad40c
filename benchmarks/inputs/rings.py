"""Tokens on six rings of twelve places: three million states of one word, twelve steps from each."""

from angarium import Index, Model, action, array, count, integer, param


class Ring(Index):
    """A ring."""


class Rings(Model):
    """Tokens that go round, each on its own ring."""

    rings = count(Ring, 6)
    places = param(12, low=2)

    at = array(Ring, integer(0, places - 1))

    @action
    def forward(self, r: Ring) -> None:
        self.at[r] = (self.at[r] + 1) % self.places

    @action
    def back(self, r: Ring) -> None:
        self.at[r] = (self.at[r] + self.places - 1) % self.places
