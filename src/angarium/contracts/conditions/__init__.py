"""What must be proved of a proof module.

`duties` lists the obligations of a specification or an implementation; to find them, it runs its statements
on symbols instead of values.
"""
