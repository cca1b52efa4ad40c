"""Message automata: which lives a message can have in a model, and which lives it had in a history."""
