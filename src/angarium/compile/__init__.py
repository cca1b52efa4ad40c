"""From a model to a transition system (`frontend`), and from there to native code (`backend`)."""
