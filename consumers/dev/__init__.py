"""Finds and starts Kafka and Redis for trying things out and for tests.

Process management only: nothing here knows the engine, its topics or its keys. `servers` is the
whole public surface; production never imports this package.
"""
