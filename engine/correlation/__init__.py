"""The aggregate `message:<name>:<key>`: who waits for a message, and which messages wait.

`apply_message` is its only door. Delivery is a handshake: the aggregate offers a message to a
subscription (`DeliverMessage`), the instance settles it (`SettleMessage`).
"""

from engine.correlation.aggregate import apply_message

__all__ = ["apply_message"]
