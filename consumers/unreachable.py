"""Which server does not answer, and which option says where it is, in one sentence."""

from aiokafka.errors import KafkaConnectionError

from consumers.log import LogUnavailableError
from storage.errors import StoreUnavailableError


def unreachable_sentence(kafka: str, error: LogUnavailableError | StoreUnavailableError) -> str:
    """For people who started a process; `kafka` is the address that it was given."""
    if isinstance(error, LogUnavailableError):
        is_silence = isinstance(error.__cause__, KafkaConnectionError)
        reason = f"no Kafka answers at {kafka}" if is_silence else str(error).rstrip(".")
        option = "--kafka (or TORPOR_KAFKA)"
    else:
        reason, option = str(error).rstrip("."), "--redis (or TORPOR_REDIS)"
    return f"{reason}. Is {option} right, and does it run?"
