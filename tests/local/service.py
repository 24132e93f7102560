"""A service as small as can be: it owns a home and runs its Neo4j until asked to stop. Run as a process of its own.

    python -m tests.local.service HOME CACHE BOLT BROWSER [deaf]

It says `ready` on stdout. `deaf` runs no Neo4j and does not hear SIGTERM.
"""

import signal
import sys
from pathlib import Path

import anyio

from server.core.home import LocalPaths
from server.core.settings import Settings
from server.local.class_data import installation
from server.local.neo4j import LocalNeo4j
from server.local.owner import own
from server.local.ports import Ports


async def serve(paths: LocalPaths, ports: Ports) -> None:
    neo4j = LocalNeo4j(installation(paths.cache), paths.home, ports, jvm_flags=Settings().neo4j_jvm)
    with anyio.open_signal_receiver(signal.SIGTERM) as signals:
        await neo4j.start()
        print("ready", flush=True)  # noqa: T201 - its one word
        async for _ in signals:
            break
    await neo4j.stop()


def main(home: str, cache: str, bolt: str, browser: str, *deaf: str) -> None:
    paths, ports = LocalPaths.of(Path(home), Path(cache)), Ports(int(bolt), int(browser))
    with own(paths.home, "serve", {"bolt": ports.bolt, "browser": ports.browser}):
        if deaf:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            print("ready", flush=True)  # noqa: T201 - its one word
            signal.pause()
        anyio.run(serve, paths, ports)


if __name__ == "__main__":
    main(*sys.argv[1:])
