"""`python -m angarium` is `angarium`."""

import sys

INTERRUPTED = 3
"""The exit code of a command that was stopped before it had an answer."""


def main() -> None:
    """The program. Until it is loaded, nobody else would hear Ctrl-C but Python, which shows its stack."""
    try:
        from angarium.app.cli import main as program
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    program()


if __name__ == "__main__":
    main()
