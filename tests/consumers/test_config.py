"""Options and variables of the environment become one configuration."""

import pytest

from consumers.config import HTTP, Config, ConfigError, read_config


def read(environment: dict[str, str] | None = None, **options: str) -> Config:
    given = {"kafka": "a:9092", "redis": "redis://r:6379/0", "namespace": "shop", **options}
    return read_config(environment or {}, **given)


def test_options_and_variables_make_one_configuration() -> None:
    config = read(
        {
            "TORPOR_KAFKA_SECURITY": "sasl_ssl",
            "TORPOR_KAFKA_USERNAME": "me",
            "TORPOR_KAFKA_PASSWORD": "secret",
            "TORPOR_LOG_LEVEL": "debug",
            "TORPOR_SESSION_MS": "3000",
            "TORPOR_CACHE_MB": "5",
        },
        kafka="a:9092,b:9093",
        http="0.0.0.0:0",
    )
    assert config.kafka.bootstrap == "a:9092,b:9093"
    assert config.kafka.security_protocol == "SASL_SSL"
    assert config.kafka.options()["sasl_plain_username"] == "me"
    assert config.log_level == "DEBUG"
    assert config.session_ms == 3000
    assert config.cache_bytes_max == 5 * 1024 * 1024
    assert config.http_address() == ("0.0.0.0", 0)


def test_without_variables_the_defaults_hold() -> None:
    config = read()
    assert config.http == HTTP
    assert config.kafka.options() == {
        "bootstrap_servers": ["a:9092"],
        "security_protocol": "PLAINTEXT",
    }
    assert config.session_ms == 10_000


@pytest.mark.parametrize(
    "url",
    [
        "redis://r:6379",
        "rediss://user:secret@r:6380/2",
        "unix:///run/redis.sock",
        "redis+cluster://a:1,b:2",
        "redis+sentinel://:secret@a:26379,b:26379/master?db=1&ssl=true",
    ],
)
def test_every_kind_of_redis_has_an_address(url: str) -> None:
    assert read(redis=url).redis == url


@pytest.mark.parametrize(
    ("environment", "options", "named"),
    [
        ({}, {"namespace": "Shop.x"}, "namespace"),
        ({}, {"kafka": "nowhere"}, "--kafka"),
        ({}, {"kafka": "a:9092,b:port"}, "--kafka"),
        ({}, {"http": "localhost"}, "--http"),
        ({}, {"http": "localhost:99999"}, "--http"),
        ({}, {"redis": "http://r"}, "--redis"),
        ({}, {"redis": "redis+sentinel://a:26379"}, "--redis"),
        ({"TORPOR_LOG_LEVEL": "loud"}, {}, "TORPOR_LOG_LEVEL"),
        ({"TORPOR_KAFKA_SECURITY": "none"}, {}, "TORPOR_KAFKA_SECURITY"),
        ({"TORPOR_SESSION_MS": "soon"}, {}, "TORPOR_SESSION_MS"),
        ({"TORPOR_CACHE_MB": "0"}, {}, "TORPOR_CACHE_MB"),
        ({"TORPOR_KAFKA_USERNAME": "me"}, {}, "TORPOR_KAFKA_USERNAME .* logs in nobody"),
        (
            {"TORPOR_KAFKA_PASSWORD": "p", "TORPOR_KAFKA_SECURITY": "SSL"},
            {},
            "TORPOR_KAFKA_PASSWORD .* logs in nobody",
        ),
        (
            {"TORPOR_KAFKA_SECURITY": "SASL_SSL", "TORPOR_KAFKA_USERNAME": "me"},
            {},
            "needs TORPOR_KAFKA_PASSWORD",
        ),
        ({"TORPOR_KAFKA_CA_FILE": "ca.pem"}, {}, "TORPOR_KAFKA_CA_FILE .* encrypts nothing"),
    ],
)
def test_what_cannot_be_used_is_named(
    environment: dict[str, str], options: dict[str, str], named: str
) -> None:
    with pytest.raises(ConfigError, match=named):
        read(environment, **options)


def test_an_address_that_cannot_be_used_is_named_without_its_password() -> None:
    with pytest.raises(ConfigError, match="--redis 'http://r'") as refused:
        read(redis="http://me:secret@r")
    assert "secret" not in str(refused.value)
