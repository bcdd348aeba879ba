"""Runs models on the real core without servers: what `torpor test` and our own scenarios do."""
