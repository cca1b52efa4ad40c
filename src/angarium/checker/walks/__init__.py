"""Random walks over a transition system, and what they show."""
