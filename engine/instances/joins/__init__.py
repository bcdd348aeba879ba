"""Joins that wait only for what may still come: when they fire, and at what cost that is known."""
