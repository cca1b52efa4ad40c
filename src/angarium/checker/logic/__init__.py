"""What is judged on explored graphs: guarantees over time, refinement, mutants, what would have helped."""
