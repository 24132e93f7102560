"""The seam to Neo4j waits for an answer, and not for ever."""

import anyio
import pytest
from anyio.abc import SocketStream

from server.errors import GraphUnavailable
from server.graph import graph as seam
from server.graph.graph import Transaction, connect

pytestmark = pytest.mark.anyio


async def test_a_neo4j_that_takes_connections_and_says_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seam, "_GRACE", 0.3)

    async def silent(stream: SocketStream) -> None:
        async with stream:
            await anyio.sleep_forever()

    async def work(transaction: Transaction) -> None:
        await transaction.run("projection/lag")

    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    port = listener.extra(anyio.abc.SocketAttribute.local_port)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, silent)
        async with connect(f"bolt://127.0.0.1:{port}", "neo4j", "secret", timeout=0.1, retry_time=0.1) as graph:
            for call in (lambda: graph.run("projection/lag"), lambda: graph.transaction(work), graph.ping):
                with pytest.raises(GraphUnavailable, match="does not answer at the moment"), anyio.fail_after(60):
                    await call()
        tasks.cancel_scope.cancel()
    await listener.aclose()
