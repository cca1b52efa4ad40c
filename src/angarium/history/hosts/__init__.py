"""Where the kernel runs."""
