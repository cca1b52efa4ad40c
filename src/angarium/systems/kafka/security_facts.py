"""What can be said between clients and a broker, and so what an intruder can get to know.

A function that returns a `Fact` says how such a fact is made: who has which parts can make it, and who has
which key can take it apart.
"""

from enum import Enum

from angarium import Index, Term, atom, encrypted, paired, sealed, signed


class User(Enum):
    """Who can have an account; the intruder has one only as an insider."""

    PRODUCER = "producer"
    CONSUMER = "consumer"
    INTRUDER = "intruder"


class Datum(Enum):
    """What the producer sends, what the broker has for the consumer, and what nobody honest ever said."""

    NEW = "new"
    KEPT = "kept"
    BOGUS = "bogus"


class Moment(Index, label="t"):
    """A moment of the clock."""


class Protection(Enum):
    """How a broker's listener is protected."""

    NONE = "none"
    KERBEROS = "kerberos"
    KERBEROS_ENCRYPTED = "kerberos-encrypted"
    KERBEROS_SIGNED = "kerberos-signed"
    TLS = "tls"
    MUTUAL_TLS = "mutual-tls"


class Stage(Enum):
    """How far a client has come."""

    OUTSIDE = "it has no connection"
    LOGIN = "it opens one"
    REQUEST = "it writes or reads"
    DONE = "it has its answer"


class Age(Enum):
    """When a session key can get known."""

    USED = "used"
    EXPIRED = "expired"


class Fact(Term):
    """Everything that can be said on the network, or known."""


# --- names, times and keys --------------------------------------------------------------------------


def name(user: User) -> Fact:
    """Who somebody is."""
    return atom()


def broker() -> Fact:
    """Who the broker is."""
    return atom()


def moment(time: Moment) -> Fact:
    """A time of day, which everybody can tell."""
    return atom()


def broker_key() -> Fact:
    """What the broker shares with Kerberos; of TLS, its private key."""
    return atom()


def private_key(user: User) -> Fact:
    """What a user signs with."""
    return atom()


def session(user: User, start: Moment) -> Fact:
    """The key between a user and the broker; of TLS, the secret that the user has made up."""
    return atom()


# --- how a client opens a connection to the broker --------------------------------------------------


def ticket(user: User, start: Moment) -> Fact:
    """What Kerberos has granted: this key is between the broker and this user."""
    return encrypted(broker_key(), name(user), moment(start), session(user, start))


def authenticator(user: User, start: Moment, stamp: Moment) -> Fact:
    """I have the key of the ticket, and it is that time."""
    return encrypted(session(user, start), name(user), moment(stamp))


def login(user: User, start: Moment, stamp: Moment) -> Fact:
    return paired(ticket(user, start), authenticator(user, start, stamp))


def false_authenticator(user: User, start: Moment, stamp: Moment) -> Fact:
    """The intruder says under its own key that it is somebody else."""
    return encrypted(session(User.INTRUDER, start), name(user), moment(stamp))


def false_login(user: User, start: Moment, stamp: Moment) -> Fact:
    """The intruder's own ticket, with somebody else's name in the authenticator."""
    return paired(ticket(User.INTRUDER, start), false_authenticator(user, start, stamp))


def hello(user: User, start: Moment) -> Fact:
    """TLS: a secret for the broker's eyes only."""
    return sealed(broker_key(), name(user), session(user, start))


def signed_hello(user: User, start: Moment) -> Fact:
    """TLS with a client's certificate."""
    return signed(private_key(user), hello(user, start))


def proof(user: User, start: Moment) -> Fact:
    """The broker has the key of the connection, so it is the broker."""
    return encrypted(session(user, start), broker(), moment(start))


# --- what is said on a connection -------------------------------------------------------------------


def data(datum: Datum) -> Fact:
    return atom()


def signed_data(datum: Datum) -> Fact:
    return signed(private_key(User.PRODUCER), data(datum))


def ask() -> Fact:
    """What is there to read?"""
    return atom()


def ack() -> Fact:
    """It is stored."""
    return atom()


def secret_data(user: User, start: Moment, datum: Datum) -> Fact:
    return encrypted(session(user, start), data(datum))


def secret_signed_data(user: User, start: Moment, datum: Datum) -> Fact:
    return encrypted(session(user, start), signed_data(datum))


def secret_ask(user: User, start: Moment) -> Fact:
    return encrypted(session(user, start), ask())


def secret_ack(user: User, start: Moment) -> Fact:
    return encrypted(session(user, start), ack())


# --- what the intruder begins with ------------------------------------------------------------------


def common() -> Fact:
    """Names, what is said in the clear, and a datum of the intruder's own making."""
    return paired(
        name(User.PRODUCER),
        name(User.CONSUMER),
        name(User.INTRUDER),
        broker(),
        ask(),
        ack(),
        data(Datum.BOGUS),
    )


def everyday(time: Moment) -> Fact:
    """The time of day, and a key of the intruder's own making."""
    return paired(moment(time), session(User.INTRUDER, time))
