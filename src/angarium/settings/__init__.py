"""What operators have written down about their brokers and clients, read from their own files."""
