"""What is said between clients and Kerberos, where no intruder sits.

These are terms of their own, apart from the facts on the network, so that nobody's deductions run over what
nobody can hear. All keys are shared keys, as they are in Kerberos.
"""

from angarium import Term, atom, encrypted, paired

from .security_facts import Moment, User


class Letter(Term):
    """Everything that is said to Kerberos, or by it."""


def identity(user: User) -> Letter:
    return atom()


def time(start: Moment) -> Letter:
    return atom()


def password(user: User) -> Letter:
    """The long-term key that a user shares with the authentication server."""
    return atom()


def tgs_key() -> Letter:
    """The long-term key of the ticket-granting server."""
    return atom()


def server_key() -> Letter:
    """The long-term key that the broker shares with the ticket-granting server."""
    return atom()


def tgs_session(user: User, start: Moment) -> Letter:
    """The key between a user and the ticket-granting server."""
    return atom()


def server_session(user: User, start: Moment) -> Letter:
    """The key between a user and the broker."""
    return atom()


# --- the authentication server ----------------------------------------------------------------------


def as_request(user: User, start: Moment) -> Letter:
    """I am so and so, and it is that time."""
    return paired(identity(user), time(start))


def tgt(user: User, start: Moment) -> Letter:
    """The ticket for the ticket-granting server."""
    return encrypted(tgs_key(), identity(user), time(start), tgs_session(user, start))


def as_reply(user: User, start: Moment) -> Letter:
    """The ticket and its key, for nobody else than this user."""
    return encrypted(password(user), tgt(user, start), tgs_session(user, start))


# --- the ticket-granting server ---------------------------------------------------------------------


def tgs_authenticator(user: User, start: Moment) -> Letter:
    """I have the key of the ticket."""
    return encrypted(tgs_session(user, start), identity(user), time(start))


def tgs_request(user: User, start: Moment) -> Letter:
    return paired(tgt(user, start), tgs_authenticator(user, start))


def service_ticket(user: User, start: Moment) -> Letter:
    """The ticket for the broker: on the network it is called `ticket`."""
    return encrypted(server_key(), identity(user), time(start), server_session(user, start))


def granted(user: User, start: Moment) -> Letter:
    """The key of the ticket for the broker."""
    return encrypted(tgs_session(user, start), server_session(user, start))


def tgs_reply(user: User, start: Moment) -> Letter:
    return paired(granted(user, start), service_ticket(user, start))


def expired() -> Letter:
    """The ticket-granting server says: too late."""
    return atom()
