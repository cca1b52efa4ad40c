"""A transition system or a story in others' words: Promela, TLA+, SMV, Mermaid, ITF."""
