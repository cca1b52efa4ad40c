"""Proof modules: write `from angarium.contracts import Specification, contract, require, ...`.

The words are in `angarium.contracts.language`. Nothing here loads a solver.
"""

from angarium.contracts.language import Answer as Answer
from angarium.contracts.language import Implementation as Implementation
from angarium.contracts.language import Order as Order
from angarium.contracts.language import Ring as Ring
from angarium.contracts.language import Sort as Sort
from angarium.contracts.language import Specification as Specification
from angarium.contracts.language import between as between
from angarium.contracts.language import conjecture as conjecture
from angarium.contracts.language import contract as contract
from angarium.contracts.language import ensure as ensure
from angarium.contracts.language import every as every
from angarium.contracts.language import first as first
from angarium.contracts.language import implies as implies
from angarium.contracts.language import invariant as invariant
from angarium.contracts.language import require as require
