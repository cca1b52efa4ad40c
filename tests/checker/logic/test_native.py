"""Low-level modules that use each other are compiled together, if every name means the same in all."""

from __future__ import annotations

import numpy as np
import pytest

from angarium.mesh.recovery import exceptions_core, verified_core
from angarium.mesh.routing import sweep_core
from angarium.native.calls import Native


def test_a_module_calls_the_functions_of_another() -> None:
    native = Native(exceptions_core, ("parent",), also=(sweep_core,))
    targets, via = np.array([7, 8, 9], np.int32), np.array([2, 0], np.int32)
    graph, column = np.zeros(9, np.uint64), np.zeros(9, np.uint64)
    graph[sweep_core.TARGETS], column[sweep_core.VIA] = targets.ctypes.data, via.ctypes.data

    assert [native.call("parent", graph, column, broker) for broker in (0, 1)] == [9, 7]


def test_a_function_of_another_module_can_be_asked_for() -> None:
    heap = np.zeros(3, np.uint64)

    assert Native(exceptions_core, ("push",), also=(sweep_core,)).call("push", heap, 0, 5) == 1
    assert heap[0] == 5


def test_a_name_that_means_two_things_is_an_error() -> None:
    with pytest.raises(SyntaxError, match="is something else in a module that it uses"):
        _ = Native(verified_core, ("check",), also=(sweep_core,)).library
