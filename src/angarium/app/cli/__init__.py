"""The command line: one module a verb, which parses arguments and renders; everything else is below.

Exit codes: 0 all hold, 1 something is violated, 2 usage or input error, 3 unknown, 70 a bug in Angarium.
"""

from angarium.app.cli.program import main as main
