"""The seam to Neo4j waits for an answer, and not for ever."""

import anyio
import pytest
from anyio.abc import SocketStream

from server.core.errors import GraphUnavailable, InternalError
from server.graph import graph as seam
from server.graph.graph import Graph, Transaction, connect
from tests.conftest import Where

pytestmark = pytest.mark.anyio


@pytest.mark.proves("SVC-53")
async def test_a_neo4j_that_does_not_answer_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
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
                with pytest.raises(GraphUnavailable, match="does not answer"), anyio.fail_after(60):
                    await call()
        tasks.cancel_scope.cancel()
    await listener.aclose()


async def test_a_statement_that_lacks_its_one_row_is_an_internal_error(graph: Graph, namespace: str) -> None:
    async def work(transaction: Transaction) -> None:
        await transaction.row("backup/state", namespace=namespace)

    assert (await graph.row("backup/sequence", namespace=namespace))["value"] == 0
    for call in (lambda: graph.row("backup/state", namespace=namespace), lambda: graph.transaction(work)):
        with pytest.raises(InternalError, match="could not carry this out") as refused:
            await call()
        assert "0 rows" in str(refused.value.__cause__)


async def test_an_address_with_routing_reads_and_writes_on_a_single_server(neo4j: Where, namespace: str) -> None:
    uri, *credentials = neo4j
    async with connect(uri.replace("bolt://", "neo4j://"), *credentials, timeout=30, retry_time=1) as graph:
        assert (await graph.row("sequences/take", namespace=namespace, count=3))["last"] == 3

        async def read(transaction: Transaction) -> int:
            return int((await transaction.row("projection/lag"))["records"])

        assert await graph.transaction(read, access="read") >= 0
        assert (await graph.row("sequences/take", namespace=namespace, count=1))["last"] == 4
