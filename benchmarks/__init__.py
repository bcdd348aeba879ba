"""`make bench`: how fast the core is by itself. No server, no I/O."""
