"""`make cluster`: a replica of the service is killed while two of them work off a backlog."""

import signal
import sys
import time

import anyio
import pytest
from neo4j import AsyncDriver

from tests.conftest import Cypher, Where, empty
from tests.interaction.replicas import connect_to, running_replicas
from tests.interaction.tools import ask
from tests.qdrant import Qdrant

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]


async def test_the_work_of_a_killed_replica_is_taken_over_within_seconds_and_it_comes_back(
    *,
    neo4j: Where,
    graph: object,
    driver: AsyncDriver,
    qdrant: Qdrant,
    namespace: str,
    cypher: Cypher,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    await empty(driver)
    async with running_replicas(neo4j, qdrant, tmp_path_factory) as (killed, survivor):
        await cypher(
            """
            UNWIND range(1, 400) AS n
            CREATE (line:Passage:Unprojected {namespace: $namespace, id: 'backlog ' + n, name: 'Line ' + n})
            SET line.text = line.name
            """
        )
        claimed = "MATCH (claim:ProjectionClaim) WHERE size(claim.elements) > 0 RETURN claim.owner AS owner"
        with anyio.fail_after(60):
            while len({row["owner"] for row in await cypher(claimed)}) < 2:
                await anyio.sleep(0.005)
        await killed.end(signal.SIGKILL)
        began = time.monotonic()
        with anyio.fail_after(60):
            while (await cypher("RETURN COUNT { (:Unprojected) } AS queued"))[0]["queued"]:
                await anyio.sleep(0.1)
        sys.stdout.write(f"the backlog was done {time.monotonic() - began:.1f} s after the kill\n")
        async with anyio.create_task_group() as restarting:
            restarting.start_soon(killed.start)
            verified = await anyio.to_thread.run_sync(survivor.command, "verify")
        assert verified.returncode == 0, verified.stdout + verified.stderr
        async with connect_to([killed], namespace) as client:
            assert (await ask(client, "ping"))["status"]
