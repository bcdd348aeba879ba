"""A namespace of an older version is sealed, and its secret replaced, while it is at work."""

import pytest

from consumers.config import Config
from consumers.kafka_connection import KafkaConnection
from consumers.namespace import NamespaceError
from consumers.secret_file import SecretSource
from consumers.upgrade import Upgraded, upgrade
from storage.keys import namespace_key
from tests.support.load import MODEL, Load
from tests.support.servers import StartRedis
from tests.support.stored import namespace_record
from tests.support.system import System
from tests.system.conftest import StartSystem


def as_made_by_an_older_version(system: System) -> None:
    key = namespace_key(system.namespace)
    system.stored.client.hset(key, "format", "1")
    system.stored.client.hdel(key, "epochs")
    system.secret_file.unlink()


def config(system: System) -> Config:
    return Config(
        kafka=KafkaConnection(bootstrap=system.bootstrap),
        redis=system.redis_url,
        namespace=system.namespace,
    )


async def upgraded(system: System, *, rotate: bool = False) -> Upgraded:
    """Upgrade while the broker still lists the engine that was killed."""
    secrets = SecretSource(file=system.secret_file)
    return await upgrade(config(system), rotate=rotate, secrets=secrets)


async def seals(system: System) -> list[bool]:
    """Of each send in the log whether it has a seal."""
    found = await system.wire.read("commands")
    return ["torpor-seal" in dict(each.headers) for each in found if each.header("torpor-number")]


async def test_a_namespace_at_work_is_sealed_and_its_secret_replaced_and_nothing_is_lost(
    private_redis: StartRedis, start_system: StartSystem
) -> None:
    redis = await private_redis()
    system = await start_system(redis.url)
    as_made_by_an_older_version(system)
    engine = await system.engine()
    assert "torpor upgrade" in engine.log()
    await system.deploy(MODEL)
    load = Load(system)
    async with load.running():
        await load.goes_on()
        with pytest.raises(NamespaceError, match=r"are running \(torpor-"):
            await upgrade(config(system))
        await load.goes_on()
        engine.kill()  # with sends in the log that are not applied, and in outboxes
        assert not any(await seals(system))
        assert (await upgraded(system)).changed
        engine = await system.engine()
        await load.goes_on()
        engine.kill()
        assert (await upgraded(system, rotate=True)).changed
        engine = await system.engine()
        await load.goes_on()
    assert await engine.total("torpor_forged_total") == 0
    assert {False, True} == set(await seals(system))
    found = await namespace_record(system.redis_url, system.namespace)
    assert [each.secret is None for each in found.epochs] == [True, False, False]
    assert found.format == 2
    again = await upgrade(config(system), secrets=SecretSource(file=system.secret_file))
    assert again.changed == (), "what is as it is to be is found while engines run, too"
    await load.check()
    await system.check_replay((await private_redis()).url)
