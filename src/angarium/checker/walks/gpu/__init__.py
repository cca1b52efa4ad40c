"""Random walks on a graphics card: the same walks, each a thread's."""
