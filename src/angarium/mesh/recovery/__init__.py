"""Recovery: routing tables for every failure, calculated before it happens."""
