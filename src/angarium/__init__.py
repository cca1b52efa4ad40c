"""Angarium checks that every message arrives.

A model file imports the words of the language from here; see `angarium.checker.language.vocabulary`. A
program imports `check`, `refine` and `replay`; see `angarium.api`. They are loaded when they are first used,
so that reading a model needs no compiler.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

from angarium.checker.language.vocabulary import AF as AF
from angarium.checker.language.vocabulary import AG as AG
from angarium.checker.language.vocabulary import AR as AR
from angarium.checker.language.vocabulary import AU as AU
from angarium.checker.language.vocabulary import AW as AW
from angarium.checker.language.vocabulary import AX as AX
from angarium.checker.language.vocabulary import EF as EF
from angarium.checker.language.vocabulary import EG as EG
from angarium.checker.language.vocabulary import ER as ER
from angarium.checker.language.vocabulary import EU as EU
from angarium.checker.language.vocabulary import EW as EW
from angarium.checker.language.vocabulary import EX as EX
from angarium.checker.language.vocabulary import Array as Array
from angarium.checker.language.vocabulary import Channel as Channel
from angarium.checker.language.vocabulary import Index as Index
from angarium.checker.language.vocabulary import Knowledge as Knowledge
from angarium.checker.language.vocabulary import Model as Model
from angarium.checker.language.vocabulary import Record as Record
from angarium.checker.language.vocabulary import Seq as Seq
from angarium.checker.language.vocabulary import SetOf as SetOf
from angarium.checker.language.vocabulary import Term as Term
from angarium.checker.language.vocabulary import action as action
from angarium.checker.language.vocabulary import always as always
from angarium.checker.language.vocabulary import array as array
from angarium.checker.language.vocabulary import at_rest as at_rest
from angarium.checker.language.vocabulary import atom as atom
from angarium.checker.language.vocabulary import budget as budget
from angarium.checker.language.vocabulary import channel as channel
from angarium.checker.language.vocabulary import choose as choose
from angarium.checker.language.vocabulary import count as count
from angarium.checker.language.vocabulary import crashed as crashed
from angarium.checker.language.vocabulary import crashes as crashes
from angarium.checker.language.vocabulary import ctl as ctl
from angarium.checker.language.vocabulary import deadlock_free as deadlock_free
from angarium.checker.language.vocabulary import deterministic as deterministic
from angarium.checker.language.vocabulary import divergence_free as divergence_free
from angarium.checker.language.vocabulary import either as either
from angarium.checker.language.vocabulary import encrypted as encrypted
from angarium.checker.language.vocabulary import events as events
from angarium.checker.language.vocabulary import eventually as eventually
from angarium.checker.language.vocabulary import finished as finished
from angarium.checker.language.vocabulary import goal as goal
from angarium.checker.language.vocabulary import implies as implies
from angarium.checker.language.vocabulary import initial as initial
from angarium.checker.language.vocabulary import integer as integer
from angarium.checker.language.vocabulary import invariant as invariant
from angarium.checker.language.vocabulary import knowledge as knowledge
from angarium.checker.language.vocabulary import leads_to as leads_to
from angarium.checker.language.vocabulary import ltl as ltl
from angarium.checker.language.vocabulary import next_ as next_
from angarium.checker.language.vocabulary import observation as observation
from angarium.checker.language.vocabulary import on_crash as on_crash
from angarium.checker.language.vocabulary import option as option
from angarium.checker.language.vocabulary import paired as paired
from angarium.checker.language.vocabulary import param as param
from angarium.checker.language.vocabulary import rate as rate
from angarium.checker.language.vocabulary import reaches as reaches
from angarium.checker.language.vocabulary import release as release
from angarium.checker.language.vocabulary import require as require
from angarium.checker.language.vocabulary import sealed as sealed
from angarium.checker.language.vocabulary import seq as seq
from angarium.checker.language.vocabulary import setof as setof
from angarium.checker.language.vocabulary import setting as setting
from angarium.checker.language.vocabulary import signed as signed
from angarium.checker.language.vocabulary import spend as spend
from angarium.checker.language.vocabulary import steps as steps
from angarium.checker.language.vocabulary import steps_until as steps_until
from angarium.checker.language.vocabulary import strong as strong
from angarium.checker.language.vocabulary import subsets as subsets
from angarium.checker.language.vocabulary import time_until as time_until
from angarium.checker.language.vocabulary import times as times
from angarium.checker.language.vocabulary import until as until
from angarium.checker.language.vocabulary import weak as weak
from angarium.checker.language.vocabulary import weak_until as weak_until

if TYPE_CHECKING:
    from angarium.api import OnSpark as OnSpark
    from angarium.api import audit as audit
    from angarium.api import check as check
    from angarium.api import conform as conform
    from angarium.api import prove as prove
    from angarium.api import record_of as record_of
    from angarium.api import recover as recover
    from angarium.api import refine as refine
    from angarium.api import replay as replay
    from angarium.api import result_of as result_of
    from angarium.api import simulate as simulate
    from angarium.api import state_machine as state_machine
    from angarium.api import verify as verify
    from angarium.api import watch as watch
    from angarium.app.pipeline.entrance import run as run
    from angarium.checker.walks.results import Simulation as Simulation
    from angarium.contracts.monitor.rules import ContractBroken as ContractBroken
    from angarium.contracts.monitor.rules import WrongCall as WrongCall
    from angarium.core.result import Report as Report
    from angarium.core.result import Story as Story
    from angarium.core.result import Verdict as Verdict

__version__ = "0.1.0"

_LAZY = {
    "Report": "angarium.core.result",
    "Simulation": "angarium.checker.walks.results",
    "Story": "angarium.core.result",
    "Verdict": "angarium.core.result",
    "OnSpark": "angarium.api",
    "audit": "angarium.api",
    "check": "angarium.api",
    "conform": "angarium.api",
    "prove": "angarium.api",
    "record_of": "angarium.api",
    "recover": "angarium.api",
    "refine": "angarium.api",
    "replay": "angarium.api",
    "result_of": "angarium.api",
    "run": "angarium.app.pipeline.entrance",
    "simulate": "angarium.api",
    "state_machine": "angarium.api",
    "verify": "angarium.api",
    "watch": "angarium.api",
    "ContractBroken": "angarium.contracts.monitor.rules",
    "WrongCall": "angarium.contracts.monitor.rules",
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
    "OnSpark",
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
    "audit",
    "budget",
    "channel",
    "check",
    "choose",
    "conform",
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
    "prove",
    "rate",
    "reaches",
    "record_of",
    "recover",
    "refine",
    "release",
    "replay",
    "require",
    "result_of",
    "run",
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
    "subsets",
    "time_until",
    "times",
    "until",
    "verify",
    "watch",
    "weak",
    "weak_until",
]

if not TYPE_CHECKING:  # else type checkers would believe that every name exists

    def __getattr__(name: str) -> object:
        if name not in _LAZY:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(_import_module(_LAZY[name]), name)
