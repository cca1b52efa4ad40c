"""Second meanings of what the product computes: each written from a page of rules, and from nothing else."""
