"""Random walks over a transition system, and what they show.

The room has the name of a function of the package, and Python gives such a name to the module as soon as it
is imported. So the module can be called: `angarium.simulate(...)` is the function, whether or not anybody has
been in this room before.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class _Room(ModuleType):
    def __call__(self, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401 (those of the function)
        return import_module("angarium.api").simulate(*arguments, **options)


sys.modules[__name__].__class__ = _Room
