"""NSQ: nsqd, nsqlookupd, their producers and consumers."""
