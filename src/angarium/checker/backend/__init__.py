"""From a transition system to native code: layout, kernel, symmetry, LLVM, and the cache of object files."""
