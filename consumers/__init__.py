"""Kafka, HTTP, the command line and the process: all that runs an engine."""
