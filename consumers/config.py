"""The configuration of a process, read once. Everything below is handed values.

Every option of the command line has its variable: `--namespace` is `TORPOR_NAMESPACE`. What has
only a variable is listed in `VARIABLES`.
"""

from collections.abc import Mapping

import msgspec

from consumers.kafka_connection import KafkaConnection
from consumers.kafka_log import SESSION_MS
from schemas.topics import is_namespace
from storage.redis_topology import topology_of, without_password

HTTP = "127.0.0.1:8080"
CACHE_MB = 256

VARIABLES: Mapping[str, str] = {
    "TORPOR_KAFKA_SECURITY": "PLAINTEXT (the default), SSL, SASL_PLAINTEXT or SASL_SSL",
    "TORPOR_KAFKA_SASL_MECHANISM": "PLAIN (the default), SCRAM-SHA-256 or SCRAM-SHA-512",
    "TORPOR_KAFKA_USERNAME": "the user, for SASL",
    "TORPOR_KAFKA_PASSWORD": "the password, for SASL",
    "TORPOR_KAFKA_CA_FILE": "certificates to trust instead of the system's, for SSL",
    "TORPOR_LOG_LEVEL": "DEBUG, INFO (the default), WARNING or ERROR",
    "TORPOR_CACHE_MB": "documents kept in memory, MB a process (256)",
    "TORPOR_SESSION_MS": "after so long without a sign of life another takes over, ms (10000)",
}
_CREDENTIALS = (
    "TORPOR_KAFKA_USERNAME",
    "TORPOR_KAFKA_PASSWORD",
    "TORPOR_KAFKA_SASL_MECHANISM",
)
_SECURITY = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")


class ConfigError(ValueError):
    """An option or variable that cannot be used; the text says which, and what is expected."""


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """`redis` is a URL, `http` `host:port` (port 0: any that is free)."""

    kafka: KafkaConnection
    redis: str
    namespace: str
    http: str = HTTP
    log_level: str = "INFO"
    cache_bytes_max: int = CACHE_MB * 1024 * 1024
    session_ms: int = SESSION_MS

    def http_address(self) -> tuple[str, int]:
        host, _, port = self.http.rpartition(":")
        return host.strip("[]"), int(port)


def read_config(
    environment: Mapping[str, str],
    *,
    kafka: str,
    redis: str,
    namespace: str,
    http: str = HTTP,
) -> Config:
    """A configuration from the options given and the variables that have none.

    Raises ConfigError.
    """
    config = Config(
        kafka=read_kafka(environment, kafka),
        redis=redis,
        namespace=namespace,
        http=http,
        log_level=_one_of(environment, "TORPOR_LOG_LEVEL", _LEVELS, "INFO"),
        cache_bytes_max=_number(environment, "TORPOR_CACHE_MB", CACHE_MB) * 1024 * 1024,
        session_ms=_number(environment, "TORPOR_SESSION_MS", SESSION_MS),
    )
    _check(config)
    return config


def read_kafka(environment: Mapping[str, str], bootstrap: str) -> KafkaConnection:
    """How to reach Kafka: the addresses given, the credentials by variables. Raises ConfigError."""
    protocol = _one_of(environment, "TORPOR_KAFKA_SECURITY", _SECURITY, "PLAINTEXT")
    _check_credentials(environment, protocol)
    return KafkaConnection(
        bootstrap=bootstrap,
        security_protocol=protocol,
        sasl_mechanism=environment.get("TORPOR_KAFKA_SASL_MECHANISM", "PLAIN"),
        sasl_username=environment.get("TORPOR_KAFKA_USERNAME"),
        sasl_password=environment.get("TORPOR_KAFKA_PASSWORD"),
        ca_file=environment.get("TORPOR_KAFKA_CA_FILE"),
    )


def _check_credentials(environment: Mapping[str, str], protocol: str) -> None:
    """What would be passed over in silence, and what is missing. Raises ConfigError."""
    given = [name for name in _CREDENTIALS if environment.get(name)]
    if given and not protocol.startswith("SASL"):
        raise ConfigError(
            f"{given[0]} is given, but TORPOR_KAFKA_SECURITY is {protocol}, which logs in nobody:"
            " choose SASL_SSL or SASL_PLAINTEXT"
        )
    if protocol.startswith("SASL"):
        for name in ("TORPOR_KAFKA_USERNAME", "TORPOR_KAFKA_PASSWORD"):
            if not environment.get(name):
                raise ConfigError(f"TORPOR_KAFKA_SECURITY is {protocol}, which needs {name}")
    if environment.get("TORPOR_KAFKA_CA_FILE") and "SSL" not in protocol:
        raise ConfigError(
            f"TORPOR_KAFKA_CA_FILE is given, but TORPOR_KAFKA_SECURITY is {protocol}, which"
            " encrypts nothing: choose SSL or SASL_SSL"
        )


def _one_of(
    environment: Mapping[str, str], name: str, choices: tuple[str, ...], default: str
) -> str:
    value = environment.get(name, default).upper()
    if value not in choices:
        raise ConfigError(f"{name} is {value!r}; it must be one of {', '.join(choices)}")
    return value


def _number(environment: Mapping[str, str], name: str, default: int) -> int:
    value = environment.get(name, str(default))
    if not (value.isascii() and value.isdigit() and int(value) > 0):
        raise ConfigError(f"{name} is {value!r}; it must be a whole number above 0")
    return int(value)


def _check(config: Config) -> None:
    if not is_namespace(config.namespace):
        raise ConfigError(
            f"the namespace {config.namespace!r} must be 1 to 40 characters of a-z, 0-9 and -"
        )
    for address in config.kafka.bootstrap.split(","):
        _check_address("--kafka", address)
    _check_address("--http", config.http)
    try:
        topology_of(config.redis)
    except ValueError as error:
        shown = without_password(config.redis)
        raise ConfigError(f"--redis {shown!r}: {error}") from error


def _check_address(option: str, address: str) -> None:
    host, separator, port = address.rpartition(":")
    if not (host and separator and port.isdigit() and int(port) < 65536):
        raise ConfigError(f"{option} {address!r} must be host:port")
