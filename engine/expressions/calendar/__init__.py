"""Dates, times, durations and zones, on integers and on pinned zone rules."""
