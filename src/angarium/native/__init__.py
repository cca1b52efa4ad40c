"""One low-level language for all native code: typed Python that is read and compiled through LLVM.

`lowlevel` reads a function and writes its IR, `llvm` has the pieces of that text, `jit` makes machine code of
it, `object_cache` keeps the code between runs, and `calls` calls it with NumPy's arrays.
"""
