"""What is judged on explored graphs: guarantees over time, refinement, mutants, and what would have helped."""
