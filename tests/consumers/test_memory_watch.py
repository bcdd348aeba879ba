"""A store that is nearly full."""

import redis as redis_py

from consumers.memory_watch import MemoryWatch
from consumers.metrics import Metrics
from storage.redis_store import connect_store
from tests.support.servers import StartRedis


async def test_a_store_that_is_nearly_full_has_no_room_until_it_has_again(
    private_redis: StartRedis,
) -> None:
    server = await private_redis()
    store = await connect_store(server.url, "shop")
    metrics = Metrics()
    watch = MemoryWatch(store, metrics)
    with redis_py.Redis.from_url(server.url, protocol=2) as admin:
        await watch.look()
        assert watch.has_room()  # without a limit there is always room
        used = admin.info("memory")["used_memory"]
        admin.config_set("maxmemory", int(used * 1.02))
        await watch.look()
        assert not watch.has_room()
        assert metrics.value("torpor_store_memory_share") > 0.9
        server.kill()
        await watch.look()
        assert not watch.has_room()  # nothing is known better
        await server.start()
        admin.config_set("maxmemory", used * 4)
        await watch.look()
        assert watch.has_room()
    await store.close()
