"""Angarium checks that every message arrives.

A model file imports the words of the language from here; see `angarium.model.language`. A program imports
`check`, `refine` and `replay`; see `angarium.api`. They are loaded when they are first used, so that reading
a model needs no compiler.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

from angarium.model.language import AF as AF
from angarium.model.language import AG as AG
from angarium.model.language import AR as AR
from angarium.model.language import AU as AU
from angarium.model.language import AW as AW
from angarium.model.language import AX as AX
from angarium.model.language import EF as EF
from angarium.model.language import EG as EG
from angarium.model.language import ER as ER
from angarium.model.language import EU as EU
from angarium.model.language import EW as EW
from angarium.model.language import EX as EX
from angarium.model.language import Array as Array
from angarium.model.language import Channel as Channel
from angarium.model.language import Index as Index
from angarium.model.language import Knowledge as Knowledge
from angarium.model.language import Model as Model
from angarium.model.language import Record as Record
from angarium.model.language import Seq as Seq
from angarium.model.language import SetOf as SetOf
from angarium.model.language import Term as Term
from angarium.model.language import action as action
from angarium.model.language import always as always
from angarium.model.language import array as array
from angarium.model.language import at_rest as at_rest
from angarium.model.language import atom as atom
from angarium.model.language import budget as budget
from angarium.model.language import channel as channel
from angarium.model.language import choose as choose
from angarium.model.language import count as count
from angarium.model.language import crashed as crashed
from angarium.model.language import crashes as crashes
from angarium.model.language import ctl as ctl
from angarium.model.language import deadlock_free as deadlock_free
from angarium.model.language import deterministic as deterministic
from angarium.model.language import divergence_free as divergence_free
from angarium.model.language import either as either
from angarium.model.language import encrypted as encrypted
from angarium.model.language import events as events
from angarium.model.language import eventually as eventually
from angarium.model.language import finished as finished
from angarium.model.language import goal as goal
from angarium.model.language import implies as implies
from angarium.model.language import initial as initial
from angarium.model.language import integer as integer
from angarium.model.language import invariant as invariant
from angarium.model.language import knowledge as knowledge
from angarium.model.language import leads_to as leads_to
from angarium.model.language import ltl as ltl
from angarium.model.language import next_ as next_
from angarium.model.language import observation as observation
from angarium.model.language import on_crash as on_crash
from angarium.model.language import option as option
from angarium.model.language import paired as paired
from angarium.model.language import param as param
from angarium.model.language import rate as rate
from angarium.model.language import reaches as reaches
from angarium.model.language import release as release
from angarium.model.language import require as require
from angarium.model.language import sealed as sealed
from angarium.model.language import seq as seq
from angarium.model.language import setof as setof
from angarium.model.language import setting as setting
from angarium.model.language import signed as signed
from angarium.model.language import spend as spend
from angarium.model.language import steps as steps
from angarium.model.language import steps_until as steps_until
from angarium.model.language import strong as strong
from angarium.model.language import time_until as time_until
from angarium.model.language import times as times
from angarium.model.language import until as until
from angarium.model.language import weak as weak
from angarium.model.language import weak_until as weak_until

if TYPE_CHECKING:
    from angarium.api import OnSpark as OnSpark
    from angarium.api import check as check
    from angarium.api import refine as refine
    from angarium.api import replay as replay
    from angarium.api import simulate as simulate
    from angarium.api import state_machine as state_machine
    from angarium.api import watch as watch
    from angarium.prove.monitor.breaches import ContractBroken as ContractBroken
    from angarium.prove.monitor.breaches import WrongCall as WrongCall
    from angarium.simulate.results import Simulation as Simulation
    from angarium.verdict import Report as Report
    from angarium.verdict import Story as Story
    from angarium.verdict import Verdict as Verdict

__version__ = "0.1.0"

_LAZY = {
    "Report": "angarium.verdict",
    "Simulation": "angarium.simulate.results",
    "Story": "angarium.verdict",
    "Verdict": "angarium.verdict",
    "OnSpark": "angarium.api",
    "check": "angarium.api",
    "refine": "angarium.api",
    "replay": "angarium.api",
    "simulate": "angarium.api",
    "state_machine": "angarium.api",
    "watch": "angarium.api",
    "ContractBroken": "angarium.prove.monitor.breaches",
    "WrongCall": "angarium.prove.monitor.breaches",
}

__all__ = [
    "AF",
    "AG",
    "AR",
    "AU",
    "AW",
    "AX",
    "EF",
    "EG",
    "ER",
    "EU",
    "EW",
    "EX",
    "Array",
    "Channel",
    "ContractBroken",
    "Index",
    "Knowledge",
    "Model",
    "Record",
    "Report",
    "Seq",
    "SetOf",
    "Simulation",
    "Story",
    "Term",
    "Verdict",
    "WrongCall",
    "action",
    "always",
    "array",
    "at_rest",
    "atom",
    "budget",
    "channel",
    "check",
    "choose",
    "count",
    "crashed",
    "crashes",
    "ctl",
    "deadlock_free",
    "deterministic",
    "divergence_free",
    "either",
    "encrypted",
    "events",
    "eventually",
    "finished",
    "goal",
    "implies",
    "initial",
    "integer",
    "invariant",
    "knowledge",
    "leads_to",
    "ltl",
    "next_",
    "observation",
    "on_crash",
    "option",
    "paired",
    "param",
    "rate",
    "reaches",
    "refine",
    "release",
    "replay",
    "require",
    "sealed",
    "seq",
    "setof",
    "setting",
    "signed",
    "simulate",
    "spend",
    "state_machine",
    "steps",
    "steps_until",
    "strong",
    "time_until",
    "times",
    "until",
    "watch",
    "weak",
    "weak_until",
]

if not TYPE_CHECKING:  # else type checkers would believe that every name exists

    def __getattr__(name: str) -> object:
        if name not in _LAZY:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(_import_module(_LAZY[name]), name)
