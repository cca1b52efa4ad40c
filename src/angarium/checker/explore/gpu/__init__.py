"""The search on a graphics card: its loop, its memory, and the card that is emulated where there is none."""
