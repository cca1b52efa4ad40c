"""What must be proved of a proof module.

`duties` lists the obligations of a specification or an implementation; to find them, `symbolic_run` runs its
statements on symbols instead of values. Others need `duties` alone.
"""
