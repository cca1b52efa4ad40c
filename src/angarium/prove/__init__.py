"""Proof modules: write `from angarium.prove import Specification, contract, require, ...`.

The words are in `angarium.prove.language`. Nothing here loads a solver.
"""

from angarium.prove.language import Answer as Answer
from angarium.prove.language import Implementation as Implementation
from angarium.prove.language import Order as Order
from angarium.prove.language import Ring as Ring
from angarium.prove.language import Sort as Sort
from angarium.prove.language import Specification as Specification
from angarium.prove.language import between as between
from angarium.prove.language import conjecture as conjecture
from angarium.prove.language import contract as contract
from angarium.prove.language import ensure as ensure
from angarium.prove.language import every as every
from angarium.prove.language import first as first
from angarium.prove.language import implies as implies
from angarium.prove.language import invariant as invariant
from angarium.prove.language import require as require
